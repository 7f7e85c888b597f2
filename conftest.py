"""Rules for every test in the repository, those of the official extensions included.

Docker tests share one daemon and one set of images, so they run one after another, on one worker.
With ``HARNEST_REQUIRE_DOCKER=1`` (``scripts/test --docker``) they must run: one that is skipped, or
a run without any, fails. So does one that needs Bubblewrap with ``HARNEST_REQUIRE_BUBBLEWRAP=1``.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

_REQUIRED = os.environ.get("HARNEST_REQUIRE_DOCKER") == "1"
_MARKS = [
    mark
    for mark in ("bubblewrap", "docker")
    if os.environ.get(f"HARNEST_REQUIRE_{mark.upper()}") == "1"
]
_passed = pytest.StashKey[int]()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the Docker tests together, whichever worker gets them.

    First of all: a worker reads the groups in its own hook of this name.
    """
    for item in items:
        if item.get_closest_marker("docker"):
            item.add_marker(pytest.mark.xdist_group("docker"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let a skipped test fail where the tests of its kind have to run."""
    report = yield
    if report.skipped and any(item.get_closest_marker(mark) for mark in _MARKS):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} has to run here, but was skipped: {report.longrepr}"
    return report


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Count the Docker tests from nothing."""
    config.stash[_passed] = 0
    config.pluginmanager.register(_Counter(config), "harnest-docker-counter")


class _Counter:
    """Counts, in the process that reports, the Docker tests that passed."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a Docker test whose call passed."""
        if report.when == "call" and report.passed and "docker" in report.keywords:
            self._config.stash[_passed] += 1

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail a run that had to run Docker tests and ran none."""
        controls = not hasattr(session.config, "workerinput")
        if _REQUIRED and controls and not self._config.stash[_passed] and not session.exitstatus:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say how many Docker tests ran, where that matters."""
        if _REQUIRED:
            terminalreporter.write_line(f"Docker tests passed: {self._config.stash[_passed]}")
