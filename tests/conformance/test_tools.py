from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from harnest.execution import TierUnavailableError, Workspace
from harnest.sandbox import Sandbox, SandboxRequest, SandboxResult
from harnest_ext.cli.main import run
from harnest_ext.conformance import (
    MEMORY_PROFILE,
    CheckOutcome,
    CheckResult,
    Feature,
    MemoryProvider,
    SuiteReport,
    WorkspaceProfile,
    load_profile,
    run_provider_suite,
    run_workspace_suite,
)
from harnest_ext.conformance.report import junit
from harnest_ext.conformance.target import profile_of
from harnest_ext.errors import ExtensionNotFound, UsageError
from harnest_ext.scaffold import create_extension
from tests.support.commands import Command

# A process of its own: one process has one active set of extensions, and here the imports of other
# tests may have activated theirs.
HARNEST = Command()
OFFICIAL = Path(__file__).resolve().parents[2] / "official-extensions"

REPORT = SuiteReport(
    suite="provider",
    subject="mine\x1b",
    results=(
        CheckResult(check="a.x", promise="It is x.", outcome=CheckOutcome.PASSED, seconds=0.5),
        CheckResult(check="a.y", promise="It is y.", outcome=CheckOutcome.FAILED, detail="<no>"),
        CheckResult(check="a.z", promise="z.", outcome=CheckOutcome.UNSUPPORTED, detail="why"),
        CheckResult(check="a.w", promise="w.", outcome=CheckOutcome.NOT_APPLICABLE),
    ),
)


def test_a_report_counts_each_outcome_apart() -> None:
    """Unsupported is neither passed nor failed, in the summary and in JSON."""
    shape = json.loads(json.dumps(REPORT.to_dict()))
    assert shape["counts"] == {"passed": 1, "failed": 1, "unsupported": 1, "not applicable": 1}
    assert (shape["ok"], shape["subject"]) == (False, "mine\\x1b")
    assert [item["name"] for item in shape["checks"]] == ["a.x", "a.y", "a.z", "a.w"]
    assert "1 failed, 1 unsupported" in REPORT.summary()


def test_a_report_is_junit_that_parses() -> None:
    """Failures and skips are where CI systems look for them."""
    suite = ET.fromstring(junit([REPORT]))[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("4", "1", "2")
    assert [case[0].tag if len(case) else "" for case in suite] == [
        "",
        "failure",
        "skipped",
        "skipped",
    ]
    assert suite[1][0].get("message") == "<no>"


def test_only_what_is_named_is_tried() -> None:
    """A check by name, a group by its name and a dot."""
    report = run_provider_suite(MEMORY_PROFILE, only=["values.stdout", "bounds."])
    assert [item.check for item in report.results] == [
        "values.stdout",
        "bounds.processes",
        "bounds.memory",
    ]


def test_of_a_bare_provider_only_what_shows_is_taken_for_offered() -> None:
    """Methods show; everything else must be declared to be tried."""
    profile = profile_of(MemoryProvider, "bare")
    assert profile.supports == {Feature.STREAMING, Feature.INVENTORY, Feature.DIAGNOSIS}
    declared = profile_of(Sandbox.provider(MemoryProvider), "declared")
    assert declared.supports == profile.supports
    assert "not declared" in profile.missing(frozenset({Feature.SCRATCH}))


@pytest.mark.parametrize(
    ("target", "error"),
    [
        ("nothing", UsageError),
        (":x", UsageError),
        ("no_such_module:x", ExtensionNotFound),
        ("harnest_ext.conformance:nope", ExtensionNotFound),
        ("harnest_ext.limits:KIB", UsageError),
    ],
)
def test_a_target_that_is_none_is_refused(target: str, error: type[Exception]) -> None:
    """The refusal says what is expected."""
    with pytest.raises(error, match="ProviderProfile"):
        load_profile(target)


def test_a_factory_that_fails_is_refused_without_its_text() -> None:
    """What an author's factory raises is told by its type, and is no defect of the kit."""

    def factory() -> MemoryProvider:
        raise RuntimeError("a secret")

    with pytest.raises(UsageError, match="RuntimeError") as caught:
        profile_of(factory, "mine")
    assert "a secret" not in str(caught.value)


def test_a_profile_is_found_by_its_name() -> None:
    """module:attribute names it."""
    assert load_profile("harnest_ext.conformance:MEMORY_PROFILE") is MEMORY_PROFILE


LEAN = ("-p", "no:cacheprovider", "-p", "no:langsmith_plugin")
"""Leaves out a cache, and what a framework brings that is slow to import."""


def pytest_in(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in a folder of its own."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *LEAN, *arguments],
        cwd=folder,
        env={**os.environ, "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
    )


def test_pytest_runs_the_suite_on_a_provider_of_a_fresh_project(tmp_path: Path) -> None:
    """One test for each check; what is not offered is skipped with the reason."""
    (tmp_path / "mypkg.py").write_text(
        "from harnest_ext.conformance import MemoryProvider as factory\n"
    )
    done = pytest_in(
        tmp_path, "--harnest-provider", "mypkg:factory", "-k", "values or bounds", "-rs"
    )
    assert done.returncode == 0, done.stdout
    assert "9 passed, 2 skipped" in done.stdout
    assert "limit-memory: not declared" in done.stdout


def test_pytest_shows_the_promise_that_was_broken(tmp_path: Path) -> None:
    """A failing check fails the run and names promise and evidence, not our code."""
    (tmp_path / "mypkg.py").write_text(
        "from harnest.sandbox import SandboxResult\n"
        "class Silent:\n"
        "    def execute(self, request):\n"
        "        return SandboxResult(exit_code=0)\n"
        "    def close(self):\n"
        "        pass\n"
    )
    done = pytest_in(tmp_path, "--harnest-provider", "mypkg:Silent", "-k", "values.stdout")
    assert done.returncode == 1
    assert "What a program prints is the result's stdout, exactly." in done.stdout
    assert "expected 'hello\\n', got ''" in done.stdout


def test_pytest_refuses_a_provider_that_is_not_there(tmp_path: Path) -> None:
    """A wrong name is a usage error, not a run without tests."""
    done = pytest_in(tmp_path, "--harnest-provider", "mypkg:factory")
    assert done.returncode == 4
    assert "mypkg:factory" in done.stderr + done.stdout


def test_the_command_tests_an_extension_and_writes_junit(tmp_path: Path) -> None:
    """Exit 0 when nothing failed, the answer as JSON, the report as a file."""
    made = create_extension("demo", tmp_path / "demo")
    done = HARNEST(
        "extensions", "test", made.folder, "--json", "--junit", tmp_path / "j.xml", cwd=tmp_path
    )
    (report,) = done.json["reports"]
    assert (done.code, report["suite"], report["ok"]) == (0, "extension", True)
    assert ET.parse(tmp_path / "j.xml").getroot()[0].get("failures") == "0"


def test_the_command_tests_the_provider_that_an_extension_brings(tmp_path: Path) -> None:
    """_tests/conformance.py is run with the extension active, and its profile is tried."""
    made = create_extension("demo", tmp_path / "demo", template="sandbox-provider")
    done = HARNEST("extensions", "test", made.folder, "--json", "--only", "values.", cwd=tmp_path)
    (report,) = done.json["reports"]
    assert (done.code, report["suite"], report["subject"]) == (0, "provider", "demo")
    assert report["counts"]["passed"] == len(report["checks"]) == 9


def test_a_broken_profile_is_a_refusal(tmp_path: Path) -> None:
    """What goes wrong in the author's own file names that file and the type, not the message."""
    made = create_extension("demo", tmp_path / "demo", template="sandbox-provider")
    (made.folder / "_tests" / "conformance.py").write_text("import os\nraise RuntimeError('mine')")
    done = HARNEST("extensions", "test", made.folder, "--json", cwd=tmp_path)
    assert done.code == 1
    assert done.json["error"]["path"].endswith("conformance.py")
    assert done.json["error"]["got"] == "RuntimeError (conformance.py:2)"


@pytest.mark.parametrize(
    ("tier", "reason"),
    [
        ("docker", "no daemon answers"),
        pytest.param(
            "seatbelt",
            "wrong system",
            marks=pytest.mark.skipif(sys.platform == "darwin", reason="it can run here"),
        ),
    ],
)
def test_a_tier_that_cannot_run_here_fails_once(tmp_path: Path, tier: str, reason: str) -> None:
    """One line with the tier's own reason and remedy, beside what was tried without it."""
    nobody = f"unix://{tmp_path}/nobody.sock"
    done = HARNEST(
        "extensions", "test", OFFICIAL / tier, "--json", cwd=tmp_path, DOCKER_HOST=nobody
    )
    extension, workspace = done.json["reports"]
    assert (done.code, extension["ok"], workspace["subject"]) == (1, True, tier)
    (check,) = workspace["checks"]
    assert (check["name"], check["outcome"]) == ("opening.available", "failed")
    assert reason in check["detail"]


def test_a_suite_whose_tier_cannot_run_is_one_failure() -> None:
    """Of the library too; a tier that fails in any other way is told by the checks."""

    def refused(*_: object, **__: object) -> Workspace:
        raise TierUnavailableError("mine", "no floor", "Lay one.")

    def broken(*_: object, **__: object) -> Workspace:
        raise RuntimeError("no floor")

    options = {"tier": "extension:mine"}
    report = run_workspace_suite(WorkspaceProfile(name="mine", options=options, make=refused))
    (result,) = report.results
    assert (report.ok, result.check, result.detail) == (
        False,
        "opening.available",
        "no floor. Lay one.",
    )
    profile = WorkspaceProfile(name="mine", options=options, make=broken)
    checks = run_workspace_suite(profile, only=["input."]).results
    assert [item.check.partition(".")[0] for item in checks] == ["input"] * len(checks)
    assert len(checks) > 1


@pytest.mark.parametrize("arguments", [[], [".", "--provider", "a:b"]])
def test_the_command_asks_for_one_subject(arguments: list[str]) -> None:
    """A path or a provider, not both and not neither: exit 2."""
    assert run(["extensions", "test", *arguments]) == 2


def test_the_memory_provider_answers_what_a_test_tells_it() -> None:
    """An agent's test states the results it needs, and sees what was asked."""
    provider = MemoryProvider(answers={"train()": SandboxResult(stdout="0.93\n")})
    assert provider.execute(SandboxRequest(code="train()")).stdout == "0.93\n"
    assert provider.execute(SandboxRequest(code="print(6 * 7)")).stdout == "42\n"
    assert [request.code for request in provider.requests] == ["train()", "print(6 * 7)"]
    refused = provider.execute(SandboxRequest(code="import subprocess"))
    assert "not in the memory" in refused.stderr or "memory sandbox" in refused.stderr


@pytest.mark.parametrize(
    "target", [["--provider", "harnest_ext.conformance:MemoryProvider"], ["."]]
)
def test_a_name_that_no_check_has_is_a_usage_error(tmp_path: Path, target: list[str]) -> None:
    """A mistyped --only is not a run without failures: exit 2, with the name."""
    create_extension("demo", tmp_path / "demo")
    done = HARNEST("extensions", "test", *target, "--only", "valeus.", cwd=tmp_path / "demo")
    assert done.code == 2
    assert "'valeus.'" in done.stderr
    with pytest.raises(ValueError, match="no check"):
        run_provider_suite(MEMORY_PROFILE, only=["valeus."])
    with pytest.raises(ValueError, match="no check"):
        run_workspace_suite(WorkspaceProfile(name="x", options={"tier": "process"}), only=[])


def test_checks_of_the_extension_suite_can_be_chosen_too(tmp_path: Path) -> None:
    """By their names; suites of which none is named say nothing."""
    made = create_extension("demo", tmp_path / "demo", template="sandbox-provider")
    done = HARNEST("extensions", "test", made.folder, "--only", "static.", "--json", cwd=tmp_path)
    (report,) = done.json["reports"]
    assert [item["name"] for item in report["checks"]] == ["static.rules", "static.host-range"]


def test_a_report_that_cannot_be_written_is_a_refusal(tmp_path: Path) -> None:
    """The folder is named, and what came of the checks is said all the same."""
    made = create_extension("demo", tmp_path / "demo")
    done = HARNEST(
        "extensions", "test", made.folder, "--only", "static.", "--junit", "no/x.xml", cwd=tmp_path
    )
    assert done.code == 1
    assert "2 passed" in done.stderr
    assert "no/x.xml" in done.stderr
    assert "conformance.report" in done.stderr


def test_where_a_provider_raised_is_said(tmp_path: Path) -> None:
    """File and line of its own code, and no message."""
    (tmp_path / "mypkg.py").write_text(
        "import json\n\n\n"
        "class Broken:\n"
        "    def execute(self, request):\n"
        "        return json.loads('secret')\n"
    )
    done = HARNEST(
        "extensions", "test", "--provider", "mypkg:Broken", "--only", "values.stdout", cwd=tmp_path
    )
    assert "execute raised JSONDecodeError (mypkg.py:6)" in done.stdout
    assert "secret" not in done.stdout + done.stderr
