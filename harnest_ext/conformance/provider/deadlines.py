"""Deadlines: met whatever the program does, told truly, harmless to what comes after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest.sandbox import SandboxStatus, control
from harnest_ext.conformance.checks import Group, expect
from harnest_ext.conformance.features import Feature

if TYPE_CHECKING:
    from harnest.sandbox import SandboxResult
    from harnest_ext.conformance.bench import Bench

__all__ = ["GROUP"]

GROUP: Group[Bench] = Group("deadlines")

SLEEP = "import time\nprint('so far', flush=True)\ntime.sleep(600)"
BUSY = "while True:\n    pass"
STUBBORN = """\
import signal, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
while True:
    time.sleep(1)
"""
DETACHED = """\
import os, time
for number in range(3):
    if os.fork() == 0:
        os.setsid()
        time.sleep(600)
        os._exit(0)
time.sleep(600)
"""


def _late(bench: Bench, code: str) -> SandboxResult:
    deadlines = bench.deadlines()
    for seconds in deadlines:
        result = bench.run(code, timeout_seconds=seconds)
    return result


@GROUP.check("status")
def status(bench: Bench) -> None:
    """A program that reaches its deadline has timed out."""
    expect("status", _late(bench, SLEEP).status, SandboxStatus.TIMED_OUT)


@GROUP.check("no-exit-code")
def no_exit_code(bench: Bench) -> None:
    """A program that was ended has no exit code."""
    result = _late(bench, SLEEP)
    expect("outcome", (result.status.value, result.exit_code), ("timed_out", None))


@GROUP.check("keeps-output")
def keeps_output(bench: Bench) -> None:
    """The output up to the deadline is kept."""
    deadlines = bench.deadlines()
    for seconds in deadlines:
        result = bench.run(SLEEP, timeout_seconds=seconds)
        deadlines.too_short = result.stdout == ""  # perhaps: the longest is not
    expect("stdout", result.stdout, "so far\n")


@GROUP.check("busy")
def busy(bench: Bench) -> None:
    """A program that never waits is ended too."""
    expect("status", _late(bench, BUSY).status, SandboxStatus.TIMED_OUT)


@GROUP.check("scope")
def scope(bench: Bench) -> None:
    """The deadline of the control scope around a call holds for it."""
    for seconds in bench.deadlines():
        with control.execute(seconds):
            result = bench.run(SLEEP)
    expect("status", result.status, SandboxStatus.TIMED_OUT)


@GROUP.check("not-early")
def not_early(bench: Bench) -> None:
    """A program that ends in time is left alone."""
    result = bench.run("import time\ntime.sleep(0.3)\nprint('done')")
    expect("outcome", (result.status.value, result.stdout), ("succeeded", "done\n"))


@GROUP.check("next-call")
def next_call(bench: Bench) -> None:
    """A time-out does no harm to the next program."""
    bench.run(SLEEP, timeout_seconds=1)
    expect("stdout", bench.run("print('next')").stdout, "next\n")


@GROUP.check("stubborn", needs=[Feature.SIGNALS])
def stubborn(bench: Bench) -> None:
    """A program that ignores signals is ended too."""
    expect("status", _late(bench, STUBBORN).status, SandboxStatus.TIMED_OUT)


@GROUP.check("detached", needs=[Feature.DESCENDANTS])
def detached(bench: Bench) -> None:
    """Processes in sessions of their own that hold the output don't delay the return."""
    expect("status", _late(bench, DETACHED).status, SandboxStatus.TIMED_OUT)
