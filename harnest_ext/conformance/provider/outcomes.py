"""How a program's end is told: by evidence, in the contract's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest.sandbox import SandboxStatus
from harnest_ext.conformance.checks import Group, expect, expect_in
from harnest_ext.conformance.features import Feature

if TYPE_CHECKING:
    from harnest_ext.conformance.bench import Bench

__all__ = ["GROUP"]

GROUP: Group[Bench] = Group("outcomes")

SEVEN = "import sys\nsys.exit(7)"
LIKE_TIMEOUT = "import sys\nsys.exit(124)"
WIDE = "import sys\nsys.exit(300)"
SORRY = "import sys\nsys.exit('sorry')"
ERROR = "print('before')\nraise ValueError('of mine')"
SYNTAX = "print('before')\nx = = 1"
ONLY_STDERR = "import sys\nprint('only a warning', file=sys.stderr)"
HARD = "import os\nos._exit(3)"
KILLED = "import os\nos.kill(os.getpid(), 9)"
TERMINATED = "import os\nos.kill(os.getpid(), 15)"


@GROUP.check("exit-code")
def exit_code(bench: Bench) -> None:
    """A program's own exit code is the result's."""
    expect("exit_code", bench.run(SEVEN).exit_code, 7)


@GROUP.check("failed-status")
def failed_status(bench: Bench) -> None:
    """A program with another exit code than 0 has failed."""
    expect("status", bench.run(SEVEN).status, SandboxStatus.FAILED)


@GROUP.check("exit-124-is-no-timeout")
def exit_124(bench: Bench) -> None:
    """Exit code 124 by the program is a failure, not a time-out."""
    result = bench.run(LIKE_TIMEOUT)
    expect("outcome", (result.status.value, result.exit_code), ("failed", 124))


@GROUP.check("exit-code-byte")
def exit_code_byte(bench: Bench) -> None:
    """Of a large exit code the lowest byte counts, as for every process."""
    expect("exit_code", bench.run(WIDE).exit_code, 44)


@GROUP.check("exit-text")
def exit_text(bench: Bench) -> None:
    """`sys.exit` with a text writes it to stderr and ends with 1."""
    result = bench.run(SORRY)
    expect("outcome", (result.exit_code, result.stderr), (1, "sorry\n"))


@GROUP.check("exception")
def exception(bench: Bench) -> None:
    """An exception ends with 1 and its traceback on stderr."""
    result = bench.run(ERROR)
    expect("exit_code", result.exit_code, 1)
    expect_in("stderr", "ValueError: of mine", result.stderr)


@GROUP.check("output-before-exception")
def output_before_exception(bench: Bench) -> None:
    """What was written before an exception is kept."""
    expect("stdout", bench.run(ERROR).stdout, "before\n")


@GROUP.check("syntax-error")
def syntax_error(bench: Bench) -> None:
    """Code that doesn't parse fails with a SyntaxError, and none of it runs."""
    result = bench.run(SYNTAX)
    expect("outcome", (result.exit_code, result.stdout), (1, ""))
    expect_in("stderr", "SyntaxError", result.stderr)


@GROUP.check("stderr-is-no-failure")
def stderr_is_no_failure(bench: Bench) -> None:
    """Writing to stderr alone is no failure."""
    expect("status", bench.run(ONLY_STDERR).status, SandboxStatus.SUCCEEDED)


@GROUP.check("next-call")
def next_call(bench: Bench) -> None:
    """A failed program does no harm to the next."""
    bench.run(ERROR)
    expect("stdout", bench.run("print('next')").stdout, "next\n")


@GROUP.check("hard-exit", needs=[Feature.SIGNALS])
def hard_exit(bench: Bench) -> None:
    """A program that ends without ceremony keeps its exit code."""
    expect("exit_code", bench.run(HARD).exit_code, 3)


@GROUP.check("sigkill", needs=[Feature.SIGNALS])
def sigkill(bench: Bench) -> None:
    """A program that signal 9 ends has failed with 137."""
    result = bench.run(KILLED)
    expect("outcome", (result.status.value, result.exit_code), ("failed", 137))


@GROUP.check("sigterm", needs=[Feature.SIGNALS])
def sigterm(bench: Bench) -> None:
    """A program that signal 15 ends has failed with 143."""
    result = bench.run(TERMINATED)
    expect("outcome", (result.status.value, result.exit_code), ("failed", 143))
