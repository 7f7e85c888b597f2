"""Every rule of packages, held against packages made on the spot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harnest_ext.errors import HarnestExtensionError
from harnest_ext.host import Host
from harnest_ext.limits import MESSAGE_BYTES
from harnest_ext.package import check_package, open_package
from harnest_ext.package.rulebook import RULES
from harnest_ext.problem import Severity
from tests.corpus.folders import FOLDERS
from tests.corpus.wheels import WHEELS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.corpus.cases import Case

CASES = {case.id: case for case in (*FOLDERS, *WHEELS)}
HOST = Host(harnest_version="1.0.0", python_version="3.11.7")
ELSEWHERE = {
    "source.not-found": "tests/unit/package/test_opening.py",
    "tree.changed": "tests/unit/package/test_disk.py",
    "tree.unreadable": "tests/unit/package/test_opening.py",
    "tree.walk": "tests/unit/package/test_opening.py",
    "version.text": "tests/unit/manifest/test_version.py",
    **{rule: "tests/unit/package/test_archive.py" for rule in RULES if rule.startswith("zip.")},
    **{rule: "tests/unit/package/test_build.py" for rule in RULES if rule.startswith("build.")},
}


@pytest.fixture
def tripwire(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that appears if a module of a package is executed."""
    wire = tmp_path / "executed"
    monkeypatch.setenv("HARNEST_TRIPWIRE", str(wire))
    return wire


def test_cases_have_distinct_names() -> None:
    """No case hides another one."""
    assert len(CASES) == len(FOLDERS) + len(WHEELS)


@pytest.mark.parametrize("case", [c for c in CASES.values() if not c.rule], ids=lambda c: c.id)
def test_a_valid_package_is_accepted_and_read(case: Case, tmp_path: Path, tripwire: Path) -> None:
    """Nothing refuses it, each file gives the bytes announced, and nothing of it runs."""
    path = case.make(tmp_path / "case")
    with open_package(path, host=HOST) as package:
        sizes = {file.path: sum(map(len, package.read(file.path))) for file in package.files}
        assert sizes == {file.path: file.size for file in package.files}
        assert {"extension.yaml", "extension.py"} <= sizes.keys()
        assert package.slug == "demo"
    assert not tripwire.exists()


@pytest.mark.parametrize("case", [c for c in CASES.values() if c.rule], ids=lambda c: c.id[:80])
def test_a_hostile_package_is_refused_by_its_rule(
    case: Case, tmp_path: Path, tripwire: Path
) -> None:
    """The first problem names the rule that was broken, where, and what to do about it."""
    path = case.make(tmp_path / "case")
    report = check_package(path, host=HOST)
    first = report.problems[0]
    assert (first.rule, first.severity) == (case.rule, Severity.ERROR), first.describe()
    assert first.kind == RULES[case.rule].kind
    assert first.path
    assert first.remedy
    with pytest.raises(HarnestExtensionError) as caught, open_package(path, host=HOST):
        pass
    assert caught.value.rule == case.rule
    message = str(caught.value)
    assert len(message.encode()) <= MESSAGE_BYTES
    assert all(ch.isprintable() or ch == "\n" for ch in message)
    assert not tripwire.exists()


def test_every_rule_refuses_something() -> None:
    """No rule is only words: each is the first problem of a case or of a named unit test."""
    used = {case.rule for case in CASES.values()} - {""}
    errors = {rule.id for rule in RULES.values() if rule.severity is Severity.ERROR}
    assert errors - used - ELSEWHERE.keys() == set()
    assert used - RULES.keys() == set()
