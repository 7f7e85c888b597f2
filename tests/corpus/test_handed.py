"""The handed corpus: every wheel, folder and source archive has the outcome that it must have."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from harnest_ext.limits import MIB

pytestmark = [pytest.mark.corpus, pytest.mark.slow]

CPU_SECONDS = 2.0
MEMORY_BYTES = 256 * MIB
MESSAGE_BYTES = 4096
GROUPS = (
    "control",
    "dir",
    "entry-point",
    "manifest",
    "metadata",
    "name",
    "pyproject",
    "tar",
    "wheel",
    "zip",
)
UNREADABLE = ("dir/unreadable", "dir/unreadable-dir")
KINDS = {
    # 100 KB are too large whatever they are; nothing of them is parsed to say it better.
    "manifest/long-scalar": "too-large",
}


@pytest.fixture(scope="module")
def handed() -> Path:
    """The unpacked corpus."""
    folder = os.environ.get("HARNEST_CORPUS", "")
    if not folder:
        pytest.skip("HARNEST_CORPUS does not name an unpacked corpus")
    return Path(folder)


def outcomes(
    handed: Path, root: Path, tmp_path: Path, level: str, group: str
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Run the cases of a group and return each with what came of it."""
    index = json.loads((handed / "index.json").read_text())
    cases = [
        case
        for case in index["cases"]
        if case["group"] == group and case["how"] in {"wheel", "dir", "sdist"}
    ]
    if os.geteuid() != 0:  # the unreadable ones are tried by root alone, as somebody else
        cases = [case for case in cases if case["file"] not in UNREADABLE]
    asked = [
        {"id": c["id"], "path": str(handed / c["file"]), "drop": c["file"] in UNREADABLE}
        for c in cases
    ]
    tripwire = tmp_path / "tripwire"
    done = subprocess.run(
        [sys.executable, "-m", "tests.corpus.runner", level],
        input=json.dumps(asked).encode(),
        capture_output=True,
        check=True,
        cwd=root,
        env=os.environ | {"CORPUS_TRIPWIRE": str(tripwire), "CORPUS_CANARY": index["canary"]},
        timeout=500,
    )
    assert not tripwire.exists(), tripwire.read_text()
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert [outcome["id"] for outcome in said] == [case["id"] for case in cases]
    assert all(index["canary"] not in outcome["message"] for outcome in said)
    return list(zip(cases, said, strict=True))


def faults(case: dict[str, Any], outcome: dict[str, Any]) -> list[str]:
    """Return how an outcome differs from what it must be."""
    if outcome["outcome"] != case["expected"]:
        return [f"{outcome['outcome']}, not {case['expected']}: {outcome['message'][:300]}"]
    kind = KINDS.get(case["file"].rsplit("/", 1)[0], case["error"])
    refused = case["expected"] == "reject"
    size = len(outcome["message"].encode())
    checks = {
        f"kind {outcome.get('kind')}, not {kind}": refused and outcome["kind"] != kind,
        "no path, rule or remedy": refused
        and not (outcome["path"] and outcome["remedy"] and outcome["rule"]),
        f"a message of {size} bytes": refused and size > MESSAGE_BYTES,
        "a traceback": "Traceback" in outcome["message"],
        "the project was changed": refused and outcome.get("changed", False),
        f"{outcome['cpu']} s of CPU": outcome["cpu"] > CPU_SECONDS,
        f"{outcome['memory'] // MIB} MiB of memory": outcome["memory"] > MEMORY_BYTES,
        "the canary was copied": outcome.get("canary", False),
    }
    return [what for what, is_so in checks.items() if is_so]


@pytest.mark.parametrize("level", ["package", "install"])
@pytest.mark.parametrize("group", GROUPS)
def test_a_handed_case_has_the_outcome_that_it_must_have(
    handed: Path, root: Path, tmp_path: Path, level: str, group: str
) -> None:
    """Outcome, kind, message, time, memory and the project after a refusal are as promised."""
    wrong = {
        f"{case['id']} {case['what']}": found
        for case, outcome in outcomes(handed, root, tmp_path, level, group)
        if (found := faults(case, outcome))
    }
    assert wrong == {}


def test_nothing_escaped(handed: Path) -> None:
    """No case has left a file of that name anywhere that it could aim at."""
    places = [Path("/tmp"), handed, handed.parent, Path.cwd()]
    assert [p for place in places for p in place.glob("*ESCAPED*")] == []
