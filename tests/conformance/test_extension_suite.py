from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harnest_ext.conformance import CheckOutcome, run_extension_suite
from harnest_ext.conformance.extension_suite import extension_checks

from .extensions import BROKEN, broken_extension

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_extension_fails_exactly_what_it_breaks(tmp_path: Path, name: str) -> None:
    """The suite finds each fault, and blames nothing else."""
    report = run_extension_suite(broken_extension(tmp_path / "subject", BROKEN[name]))
    failed = {item.check: item.detail for item in report.failures}
    assert set(failed) == BROKEN[name].fails, failed
    assert report.ok is not bool(failed)


def test_a_package_that_breaks_rules_fails_all_that_needs_it(tmp_path: Path) -> None:
    """What can't be installed is not run, and the rule is named."""
    folder = broken_extension(tmp_path / "subject", BROKEN["nothing"])
    (folder / "stray.py").write_text("")
    report = run_extension_suite(folder)
    failed = {item.check for item in report.failures}
    assert "static.rules" in failed
    assert report.count(CheckOutcome.PASSED) == 0
    details = {i.detail for i in report.failures if not i.check.startswith("static.")}
    assert details == {"it can't be installed: layout.stray-root-entry"}


def test_a_package_without_a_host_range_is_told(tmp_path: Path) -> None:
    """The range is optional for installing and part of what a published extension owes."""
    folder = broken_extension(tmp_path / "subject", BROKEN["nothing"])
    project = folder / "pyproject.toml"
    project.write_text(project.read_text().replace('"harnest>=1.0,<2"', ""))
    report = run_extension_suite(folder)
    assert {item.check for item in report.failures} == {"static.host-range"}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("can't be imported", "extension.py:5: The extension 'subject' could not be imported"),
        ("has two instances", "'other' is another public Extension. [load.exports]"),
        ("can't be started", "The extension 'subject' could not be started: RuntimeError."),
    ],
)
def test_what_ended_the_run_is_said(tmp_path: Path, name: str, reason: str) -> None:
    """With the rule and the place; never with the message, which may hold anything."""
    report = run_extension_suite(broken_extension(tmp_path / "subject", BROKEN[name]))
    details = {item.check: item.detail for item in report.failures}
    assert reason in details["living.start"]


def test_every_check_is_failed_by_something() -> None:
    """No check is there that nothing could fail."""
    failed = {name for fault in BROKEN.values() for name in fault.fails}
    named = {"static.rules", "static.host-range"}
    assert failed | named == {check.name for check in extension_checks()}
