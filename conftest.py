"""Rules for every test in the repository, those of the official extensions included.

Docker tests share one daemon and one set of images, so they run one after another, whichever
workers have them: whoever runs one holds a lock that all workers of the run share, and with
``HARNEST_DOCKER_TURNS`` (``scripts/test``) the workers of all runs that it names the same file to.
With ``HARNEST_REQUIRE_DOCKER=1`` (``scripts/test --docker``) they must run: one that is skipped, or
a run without any, fails. So does one that needs Bubblewrap with ``HARNEST_REQUIRE_BUBBLEWRAP=1``.
"""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

_REQUIRED = os.environ.get("HARNEST_REQUIRE_DOCKER") == "1"
_MARKS = [
    mark
    for mark in ("bubblewrap", "docker")
    if os.environ.get(f"HARNEST_REQUIRE_{mark.upper()}") == "1"
]
_TURNS = "HARNEST_DOCKER_TURNS"
"""Start of the names of the lock's files."""
_HELD = "HARNEST_DOCKER_TESTS_HELD"
"""Set while this process has the lock: tests that a test starts must not wait for it."""
_passed = pytest.StashKey[int]()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Let one Docker test run at a time; the wait is before its own clock starts.

    A group of workers' scheduler would do the same where it works: with pytest 9.2 and xdist 3.8
    the names of groups are lost.
    """
    turns = os.environ.get(_TURNS)
    if turns is None and (workers := os.environ.get("PYTEST_XDIST_TESTRUNUID")):
        turns = str(Path(tempfile.gettempdir(), f"harnest-docker-tests-{workers}"))
    if turns is None or _HELD in os.environ or not item.get_closest_marker("docker"):
        return (yield)
    with _turn(turns):
        return (yield)


@contextlib.contextmanager
def _turn(name: str) -> Iterator[None]:
    """Hold the lock of this name; who waits for it is next.

    Nobody asks for the lock while another waits: a run of nothing but Docker tests would otherwise
    have it back each time before those that wait have looked again.
    """
    lock = FileLock(f"{name}.lock")
    with FileLock(f"{name}.next"):
        lock.acquire()
    os.environ[_HELD] = "1"
    try:
        yield
    finally:
        del os.environ[_HELD]
        lock.release()


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
    """Count the Docker tests from nothing; let programs get the signals that tests send them."""
    config.stash[_passed] = 0
    for number in (signal.SIGHUP, signal.SIGINT):
        # What is ignored, as in a shell's background, programs inherit; a handler they don't.
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    config.pluginmanager.register(_Counter(config), "harnest-docker-counter")
    config.pluginmanager.register(_Tried(), "harnest-tried")


class _Counter:
    """Counts, in the process that reports, the Docker tests that passed."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a Docker test whose call passed."""
        if report.when == "call" and report.passed and "docker" in report.keywords:
            self._config.stash[_passed] += 1

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail a run that had to run Docker tests and ran none; one of the last failed may."""
        config = session.config
        whole = not hasattr(config, "workerinput") and not getattr(config.option, "lf", None)
        if _REQUIRED and whole and not config.stash[_passed] and not session.exitstatus:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say how many Docker tests ran, where that matters."""
        if _REQUIRED:
            terminalreporter.write_line(f"Docker tests passed: {self._config.stash[_passed]}")


class _Tried:
    """Tells, in the process that reports, how much was tried by tests that record it.

    A test of crashes or races proves as much as it has tried: it records that as ``tried``.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what a test has recorded."""
        if report.when == "call" and report.passed:
            name = report.nodeid.rpartition("::")[2]
            told = [value for key, value in report.user_properties if key == "tried"]
            self._lines += [f"{name}: {value}" for value in told]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say all of it."""
        if self._lines:
            terminalreporter.section("tried", sep="-")
        for line in self._lines:
            terminalreporter.write_line(line)
