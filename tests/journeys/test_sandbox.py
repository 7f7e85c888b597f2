"""``harnest sandbox``: what a user at a terminal, a script and a pipe get."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.projects import SANDBOX_FILE, echo_extension, extension, installed
from tests.support.waiting import LONG, before_a_deadline

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.commands import Command

PLAIN = '''"""A provider without optional protocols."""

from harnest.sandbox import Sandbox, SandboxResult


class Provider:
    def execute(self, request):
        return SandboxResult(stdout=request.code.removeprefix("echo ") + "\\n", exit_code=0)


plain = Sandbox.provider(Provider, name="plain")
'''
AGENTS = """    - name: second
      sandboxes: [python]
    - name: bare
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose sandbox ``python`` is a provider in memory, and ``plain`` offers little."""
    return installed(
        tmp_path,
        [echo_extension()],
        sandboxes={"python": SANDBOX_FILE.format(name="python", timeout=30), "plain": PLAIN},
    )


@pytest.fixture
def two_agents(project: Path) -> Path:
    """The same with two agents that may use ``python``, and one without grants."""
    config = project / "config.yaml"
    config.write_text(config.read_text() + AGENTS)
    return project


def test_list_shows_provider_policy_and_grants(harnest: Command, two_agents: Path) -> None:
    """For people a table, for programs one object."""
    told = harnest("sandbox", "list", cwd=two_agents)
    assert told.code == 0
    lines = [line.split() for line in told.stdout.splitlines()]
    assert ["plain", "plain", "not", "limited", "the", "provider's", "assistant"] in lines
    found = harnest("sandbox", "list", "--json", cwd=two_agents).json
    assert found["broken"] == []
    assert found["sandboxes"][1] == {
        "name": "python",
        "provider": "echo",
        "network": None,
        "timeout_seconds": 30,
        "granted_to": ["assistant", "second"],
    }


def test_list_tells_what_is_broken_and_shows_the_rest(harnest: Command, project: Path) -> None:
    """A file that can't be imported is a warning with its reason, the others are listed."""
    (project / "sandbox" / "python.py").write_text("raise ValueError('hunter2')\n")
    config = project / "config.yaml"
    config.write_text(config.read_text().replace('"plain"', '"plain", "pyhton"'))
    told = harnest("sandbox", "list", cwd=project)
    assert told.code == 0
    assert "plain" in told.stdout
    assert "ValueError" in told.stderr
    assert "'pyhton', which no file declares" in told.stderr
    assert "hunter2" not in told.stdout + told.stderr
    [broken] = harnest("sandbox", "list", "--json", cwd=project).json["broken"]
    assert (broken["name"], broken["error"]["line"]) == ("python", 1)


@pytest.mark.parametrize(
    ("code", "status", "stdout", "stderr"),
    [
        ("echo hello ✓", 0, "hello ✓\n", ""),
        ("exit 7", 7, "", ""),
        ("exit 124", 124, "", ""),
        ("flood", 123, "x" * 10, "output limit"),
        ("fail hunter2", 125, "", "RuntimeError"),
    ],
)
def test_the_exit_status_is_the_programs_or_tells_what_ended_it(
    harnest: Command, project: Path, code: str, status: int, stdout: str, stderr: str
) -> None:
    """Output passes through unchanged; Harnest's own words are on stderr."""
    done = harnest("sandbox", "run", "python", "-c", code, cwd=project)
    assert (done.code, done.stdout) == (status, stdout)
    assert stderr in done.stderr
    assert "hunter2" not in done.stderr


def test_a_timeout_may_only_shorten(harnest: Command, project: Path) -> None:
    """A shorter deadline holds, a longer one is pointed out and does not."""
    done = harnest("sandbox", "run", "python", "-c", "wait", "--timeout", "1", cwd=project)
    assert (done.code, "deadline" in done.stderr) == (124, True)
    longer = harnest("sandbox", "run", "python", "-c", "exit 0", "--timeout", "99", cwd=project)
    assert (longer.code, "30 s stays" in longer.stderr) == (0, True)


def test_json_has_status_and_exit_code_apart(
    harnest: Command, project: Path, tmp_path: Path
) -> None:
    """One object holds everything; the exit status is the same as without."""
    done = harnest("sandbox", "run", "python", "-c", "exit 3", "--json", cwd=project)
    assert done.code == 3
    assert done.json == {
        "status": "failed",
        "exit_code": 3,
        "stdout": "",
        "stderr": "",
        "metadata": {},
        "output_files": [],
        "saved": [],
    }
    wait, begun = ("sandbox", "run", "python", "-c", "wait", "--json"), tmp_path / "begun"
    late = before_a_deadline(
        lambda n: harnest(*wait, "--timeout", str(n), cwd=project, TEST_BEGUN=str(begun)),
        reached=begun.exists,
    )
    assert (late.code, late.json["status"], late.json["metadata"]["phase"]) == (
        124,
        "timed_out",
        "execution",
    )
    failed = harnest("sandbox", "run", "python", "-c", "fail hunter2", "--json", cwd=project)
    assert (failed.code, failed.error["rule"], failed.error["exit_code"]) == (
        125,
        "sandbox.execution",
        125,
    )
    assert "hunter2" not in failed.stdout


def test_programs_come_from_files_and_pipes(harnest: Command, project: Path) -> None:
    """A path, ``-``, or ``-c``: exactly one of them."""
    script = project / "script.txt"
    script.write_text("echo from a file")
    run = ("sandbox", "run", "python")
    assert harnest(*run, script, cwd=project).stdout == "from a file\n"
    assert harnest(*run, "-", cwd=project, stdin="echo piped").stdout == "piped\n"
    for wrong in ((), ("-c", "echo x", script), ("-c", " "), (project / "absent.py",)):
        done = harnest(*run, *wrong, cwd=project)
        assert (done.code, done.stdout) == (2, "")


def test_files_go_in_and_come_out(harnest: Command, project: Path, tmp_path: Path) -> None:
    """Inputs keep their names; outputs are saved where the user says, and nowhere else."""
    source = tmp_path / "data.csv"
    source.write_bytes(b"a,b\n\x00")
    run = ("sandbox", "run", "python", "-c")
    done = harnest(*run, "copy", "--input", source, "--output", "out", cwd=project)
    assert (done.code, (project / "out" / "data.csv").read_bytes()) == (0, b"a,b\n\x00")
    unsaved = harnest(*run, "copy", "--input", source, cwd=project)
    assert "--output DIR" in unsaved.stderr
    told = harnest(*run, "copy", "--input", source, "--output", "out", "--json", cwd=project).json
    assert told["output_files"] == [{"name": "data.csv", "mime_type": "text/csv", "size": 5}]
    assert told["saved"] == ["out/data.csv"]


@pytest.mark.parametrize("name", ["../evil", "/tmp/evil", "a/../../evil", ".."])
def test_an_output_file_stays_in_its_folder(harnest: Command, project: Path, name: str) -> None:
    """A program's file name that leads elsewhere is refused and nothing is written."""
    done = harnest(
        "sandbox", "run", "python", "-c", f"leave {name}", "--output", "out", cwd=project
    )
    assert (done.code, "leads out" in done.stderr) == (125, True)
    assert not (project / "evil").exists()
    assert not (project / "out").exists()


def test_an_output_file_does_not_follow_links(
    harnest: Command, project: Path, tmp_path: Path
) -> None:
    """A link on the way is refused, a link in its place is replaced."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (project / "out").mkdir()
    (project / "out" / "sub").symlink_to(outside)
    (project / "out" / "file").symlink_to(outside / "file")
    run = ("sandbox", "run", "python", "--output", "out", "-c")
    assert harnest(*run, "leave sub/file", cwd=project).code == 125
    assert harnest(*run, "leave file", cwd=project).code == 0
    assert list(outside.iterdir()) == []
    assert (project / "out" / "file").read_bytes() == b"gotcha"


def test_it_runs_as_a_granted_agent(harnest: Command, two_agents: Path) -> None:
    """The only one by default; with several one must be named; none without a grant."""
    run = ("sandbox", "run", "python", "-c", "who")
    several = harnest(*run, cwd=two_agents)
    assert (several.code, "assistant, second" in several.stderr) == (2, True)
    told = harnest(
        *run, "--agent", "second", "--user", "ada", "--session", "s-1", cwd=two_agents
    ).stdout
    assert told.startswith("second/ada/s-1/")
    for agent in ("bare", "nobody"):
        refused = harnest(*run, "--agent", agent, cwd=two_agents)
        assert (refused.code, "config.yaml" in refused.stderr) == (125, True)


def test_what_is_not_there_is_told(harnest: Command, project: Path, tmp_path: Path) -> None:
    """Unknown sandboxes, ungranted ones, and folders that are no project: 125 and a remedy."""
    unknown = harnest("sandbox", "run", "pyhton", "-c", "x", "--json", cwd=project)
    assert (unknown.code, unknown.error["rule"]) == (125, "sandbox.unknown")
    config = project / "config.yaml"
    config.write_text(config.read_text().replace("python", "other"))
    nobody = harnest("sandbox", "run", "python", "-c", "x", "--json", cwd=project)
    assert (nobody.code, nobody.error["rule"]) == (125, "sandbox.grant")
    outside = harnest("sandbox", "run", "python", "-c", "x", cwd=tmp_path)
    assert (outside.code, "harnest init" in outside.stderr) == (125, True)


def test_a_broken_extension_stops_a_run_unless_it_is_skipped(
    harnest: Command, tmp_path: Path
) -> None:
    """It is named; with --skip-broken what does not need it runs, with a warning."""
    project = installed(
        tmp_path, [echo_extension(), extension("broken", "    1 / 0")], sandboxes={"plain": PLAIN}
    )
    run = ("sandbox", "run", "plain", "-c", "echo x")
    refused = harnest(*run, cwd=project)
    assert (refused.code, "'broken'" in refused.stderr) == (125, True)
    skipped = harnest(*run, "--skip-broken", cwd=project)
    assert (skipped.code, skipped.stdout) == (0, "x\n")
    assert "'broken'" in skipped.stderr


@pytest.mark.parametrize("command", ["list", "run", "doctor", "ps", "prune"])
def test_no_command_shows_what_an_extension_raised(
    harnest: Command, tmp_path: Path, command: str
) -> None:
    """Neither plain, nor as JSON, nor with --verbose: the type and the place are told."""
    project = installed(
        tmp_path,
        [extension("broken", "    raise ValueError('hunter2')")],
        sandboxes={"plain": PLAIN},
    )
    (project / "sandbox" / "other.py").write_text("raise KeyError('hunter2')\n")
    more = ("plain", "-c", "echo x") if command == "run" else ()
    for option in ((), ("--json",), ("--verbose",)):
        done = harnest("sandbox", command, *more, *option, cwd=project, SECRET="hunter2")
        assert "hunter2" not in done.stdout + done.stderr
        assert "Error" in done.stdout + done.stderr


def test_doctor_tells_what_providers_found_out(harnest: Command, project: Path) -> None:
    """Diagnoses are shown; a provider without any is told so; ``--try`` runs a program."""
    done = harnest("sandbox", "doctor", cwd=project)
    assert done.code == 0
    assert "it is there" in done.stdout
    assert "not offered by this provider" in done.stdout
    tried = harnest("sandbox", "doctor", "python", "--try", "--json", cwd=project)
    assert tried.code == 1
    [told] = tried.json["sandboxes"]
    assert (told["name"], told["offered"]) == ("python", True)
    assert told["diagnoses"] == [
        {"name": "memory", "state": "ok", "detail": "it is there", "remedy": ""}
    ]
    assert told["error"]["rule"] == "sandbox.execution"


def test_ps_and_prune_tell_what_is_there_and_what_went(harnest: Command, project: Path) -> None:
    """Resources with owner and age; providers that offer none are named."""
    shown = harnest("sandbox", "ps", cwd=project)
    assert (shown.code, "not offered by this provider (plain)" in shown.stderr) == (0, True)
    assert ["echo", "slot", "s1", "a", "test", "(gone)", "61", "s"] in [
        line.split() for line in shown.stdout.splitlines()
    ]
    told = harnest("sandbox", "ps", "--json", cwd=project).json
    assert told["not_offered"] == ["plain"]
    [resource] = told["resources"]
    assert resource == {
        "provider": "echo",
        "kind": "slot",
        "id": "s1",
        "owner": "a test",
        "owner_alive": False,
        "age_seconds": 61.0,
        "state": "",
        "sandboxes": ["python"],
    }
    pruned = harnest("sandbox", "prune", "--json", cwd=project)
    assert pruned.code == 0
    assert [each["id"] for each in pruned.json["removed"]] == ["s1"]
    assert pruned.json["kept"] == []


@pytest.fixture
def waiting(project: Path, root: Path, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A run whose program has begun to wait in the provider."""
    note = tmp_path / "waiting"
    os.mkfifo(note)
    process = subprocess.Popen(
        [sys.executable, "-m", "harnest_ext", "sandbox", "run", "python", "-c", "wait"],
        cwd=project,
        env=os.environ | {"PYTHONPATH": str(root), "TEST_WAITING": str(note)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with note.open():
        yield process
    process.kill()
    process.communicate()


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_cancels_and_cleans_up(
    waiting: subprocess.Popen[bytes], tmp_path: Path, number: signal.Signals, status: int
) -> None:
    """Ctrl-C and a polite end stop the program, let the provider clean up, and say so."""
    waiting.send_signal(number)
    _, told = waiting.communicate(timeout=LONG)
    assert waiting.returncode == status
    assert b"Traceback" not in told
    assert not (tmp_path / "waiting").exists(), "the provider's own cleanup did not run"
