"""Wheels judged once while one command chooses and copies them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.host import Host
from harnest_ext.package import check_package, open_package
from harnest_ext.package.recent import RecentWheels
from tests.corpus.cases import Demo

if TYPE_CHECKING:
    from pathlib import Path

HOST = Host(harnest_version="1.0.0", python_version="3.11.7")
LATER = Host(harnest_version="2.0.0", python_version="3.11.7")


def test_a_wheel_that_was_checked_is_the_same_package_when_it_is_opened(tmp_path: Path) -> None:
    """The second look finds the first one's verdict, and its files can still be read."""
    path = Demo().write_wheel(tmp_path)
    checked = check_package(path, host=HOST).package
    with open_package(path, host=HOST) as package:
        assert package is checked
        assert b"".join(package.read("README.md")) == b"# demo\n"
        assert b"".join(package.read("README.md")) == b"# demo\n"


def test_a_wheel_that_changed_is_judged_anew(tmp_path: Path) -> None:
    """Other bytes at the same place get a verdict of their own."""
    path = Demo().write_wheel(tmp_path)
    assert not [p for p in check_package(path, host=HOST).problems if p.severity == "error"]
    Demo(files={"helpers.py": ""}).write_wheel(tmp_path)
    rules = [problem.rule for problem in check_package(path, host=HOST).problems]
    assert "layout.stray-root-entry" in rules


def test_another_host_is_asked_anew(tmp_path: Path) -> None:
    """A wheel that is good for one Harnest is still refused for another."""
    path = Demo().write_wheel(tmp_path)
    assert not [p for p in check_package(path, host=HOST).problems if p.severity == "error"]
    assert "host.harnest" in [p.rule for p in check_package(path, host=LATER).problems]


def test_the_oldest_go_when_there_are_too_many_bytes(tmp_path: Path) -> None:
    """What is held in memory stays within its bound."""
    path = Demo().write_wheel(tmp_path)
    package = check_package(path, host=HOST).package
    assert package is not None
    assert package.archive is not None
    recent = RecentWheels(capacity=package.archive.size + 1)
    recent.keep(package, HOST)
    recent.keep(package, LATER)
    sha256 = package.archive.sha256
    assert recent.find(path, sha256, HOST) is None
    assert recent.find(path, sha256, LATER) is package
    small = RecentWheels(capacity=1)
    small.keep(package, HOST)
    assert small.find(path, sha256, HOST) is None
