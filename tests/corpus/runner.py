"""Runs cases of the handed corpus, each in a process of its own that is measured.

``python -m tests.corpus.runner LEVEL < cases.json`` with a list of ``{"id", "path"}`` answers with
one JSON object per line: outcome, kind and message, CPU seconds, peak memory, and what changed in
the project. The cases' processes are forked from one that has imported everything, so that what is
measured is the work and not the start. Levels: ``package`` opens the package, ``install`` runs the
``harnest extensions install`` command line against a scratch project.
"""

from __future__ import annotations

import io
import json
import os
import resource
import sys
import tempfile
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harnest_ext.cli.main import run
from harnest_ext.errors import HarnestExtensionError
from harnest_ext.host import Host
from harnest_ext.package import open_package
from tests.support.commands import snapshot
from tests.support.packages import make_agent, make_folder

if TYPE_CHECKING:
    from collections.abc import Callable

NOBODY = 65534
QUICK_SECONDS = 1.0
"""CPU time below every bound that a case has."""


def main(level: str) -> None:
    """Run the cases of standard input and print what came of each."""
    judge = {"package": package, "install": install}[level]
    with tempfile.TemporaryDirectory() as scratch:
        os.chmod(scratch, 0o777)  # noqa: PTH101 - unreadable files are tried as another user
        warm(judge, Path(scratch))
        for number, case in enumerate(json.load(sys.stdin)):
            outcome = least(judge, case, Path(scratch, str(number)))
            sys.stdout.write(json.dumps({"id": case["id"], **outcome}) + "\n")
            sys.stdout.flush()


def least(
    judge: Callable[[Path, Path], dict[str, Any]], case: dict[str, Any], scratch: Path
) -> dict[str, Any]:
    """Return what came of a case: of up to three attempts the one that took the least CPU time.

    The same work takes more of it on processors that others use as well.
    """
    outcomes = []
    for attempt in range(3):
        folder = scratch.with_name(f"{scratch.name}-{attempt}")
        folder.mkdir()
        outcome = measured(judge, Path(case["path"]), folder, drop=case.get("drop", False))
        outcomes.append(outcome)
        if outcome["cpu"] < QUICK_SECONDS:
            break
    return min(outcomes, key=lambda outcome: outcome["cpu"])


def warm(judge: Callable[[Path, Path], dict[str, Any]], scratch: Path) -> None:
    """Import all that a case may need, by one that is good and one that is not."""
    (scratch / "warm").mkdir()
    good = make_folder(scratch / "warm" / "source")
    (scratch / "warm" / "good").mkdir()
    judge(good, scratch / "warm" / "good")
    (good / "lib").mkdir()
    (good / "lib" / "broken.py").write_text("def (:\n")
    (scratch / "warm" / "bad").mkdir()
    judge(good, scratch / "warm" / "bad")


def measured(
    judge: Callable[[Path, Path], dict[str, Any]], path: Path, folder: Path, *, drop: bool
) -> dict[str, Any]:
    """Return what ``judge`` says in a forked process, with its CPU time and peak memory."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        if drop:
            os.chown(folder, NOBODY, NOBODY)
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        try:
            answer = judge(path, folder)
        except BaseException:  # noqa: BLE001 - the parent reports it as the case's outcome
            answer = {"outcome": "defect", "message": traceback.format_exc()}
        with os.fdopen(writer, "w") as stream:
            json.dump(answer, stream)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        said = stream.read()
    _, status, usage = os.wait4(child, 0)
    answer = json.loads(said) if said else {"outcome": "died", "message": f"status {status}"}
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return answer | {
        "cpu": round(usage.ru_utime + usage.ru_stime, 3),
        "memory": usage.ru_maxrss * 1024,
        "before": own * 1024,
    }


def package(path: Path, folder: Path) -> dict[str, Any]:
    """Open the package and read all that an installation would copy."""
    del folder
    try:
        with open_package(path, host=Host()) as opened:
            for file in opened.files:
                for _ in opened.read(file.path):
                    pass
    except HarnestExtensionError as error:
        first = error.problems[0]
        return {
            "outcome": "reject",
            "kind": first.kind,
            "path": first.path,
            "rule": first.rule,
            "remedy": first.remedy,
            "message": str(error),
        }
    return {"outcome": "accept", "message": ""}


def install(path: Path, folder: Path) -> dict[str, Any]:
    """Install the package into a scratch project by the command line, and compare the project."""
    project = make_agent(folder, "agent")
    before = snapshot(project)
    stdout, stderr = io.StringIO(), io.StringIO()
    sys.stdout, sys.stderr = stdout, stderr
    try:
        code = run(["extensions", "install", str(path), "--project", str(project), "--json"])
    finally:
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
    said = stdout.getvalue() + stderr.getvalue()
    after = snapshot(project)
    answer = {"outcome": "accept" if code == 0 else "reject", "message": said, "code": code}
    if code:
        error = json.loads(stdout.getvalue())["error"]
        answer |= {key: error[key] for key in ("kind", "path", "rule", "remedy")}
        answer["changed"] = sorted(set(before.items()) ^ set(after.items()), key=str) != []
    written = b"".join(content for _, _, content in after.values())
    answer["canary"] = os.environ["CORPUS_CANARY"].encode() in written
    return answer


if __name__ == "__main__":
    main(sys.argv[1])
