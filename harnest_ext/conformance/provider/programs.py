"""What a program finds itself in, and what it can't touch."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from harnest_ext.conformance.checks import Group, expect, refuse
from harnest_ext.conformance.features import Feature

if TYPE_CHECKING:
    from harnest_ext.conformance.bench import Bench

__all__ = ["GROUP"]

GROUP: Group[Bench] = Group("programs")

CANARY = "HARNEST_CONFORMANCE_CANARY"
NAME = "print(__name__)"
INPUT = "import sys\nprint(repr(sys.stdin.read()))"
SET = "left_over = 1"
GET = "print('left_over' in globals())"
UNICODE = "print('grüße €😀')"
LARGE = "x = '" + "a" * 3_000_000 + "'\nprint(len(x))"
DEFINITIONS = "def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\nprint(f(10))"
ENVIRONMENT = f"import os\nprint(os.environ.get({CANARY!r}))"
TOUCH = "import sys\nsys.harnest_conformance_canary = 1\nprint('touched')"
NUL = "print(1)\0"
SURROGATE = "print('\ud800')"


@GROUP.check("main")
def main(bench: Bench) -> None:
    """A program is `__main__`."""
    expect("__name__", bench.run(NAME).stdout, "__main__\n")


@GROUP.check("no-input")
def no_input(bench: Bench) -> None:
    """A program's input is empty, and reading it does not wait."""
    text = bench.within("reading the input", lambda: bench.run(INPUT).stdout)
    expect("stdin", text, "''\n")


@GROUP.check("fresh-names")
def fresh_names(bench: Bench) -> None:
    """A program finds no variable of an earlier one."""
    bench.run(SET)
    expect("a variable of the call before", bench.run(GET).stdout, "False\n")


@GROUP.check("unicode-code")
def unicode_code(bench: Bench) -> None:
    """Code may hold any text."""
    expect("stdout", bench.run(UNICODE).stdout, "grüße €😀\n")


@GROUP.check("large-code")
def large_code(bench: Bench) -> None:
    """Three megabytes of code arrive whole."""
    expect("stdout", bench.run(LARGE).stdout, "3000000\n")


@GROUP.check("recursion")
def recursion(bench: Bench) -> None:
    """Functions of a program see its other names."""
    expect("stdout", bench.run(DEFINITIONS).stdout, "55\n")


@GROUP.check("nul-in-code")
def nul_in_code(bench: Bench) -> None:
    """Code with a NUL fails without an exit code: it never was a program."""
    result = bench.run(NUL)
    expect("outcome", (result.status.value, result.exit_code), ("failed", None))


@GROUP.check("surrogate-in-code")
def surrogate_in_code(bench: Bench) -> None:
    """Code with a lone surrogate fails without an exit code: no file could hold it."""
    result = bench.run(SURROGATE)
    expect("outcome", (result.status.value, result.exit_code), ("failed", None))


@GROUP.check("clean-environment", needs=[Feature.ENVIRONMENT])
def clean_environment(bench: Bench) -> None:
    """A program does not see Harnest's own environment."""
    os.environ[CANARY] = "seen"
    try:
        expect("a variable of the host", bench.run(ENVIRONMENT).stdout, "None\n")
    finally:
        del os.environ[CANARY]


@GROUP.check("host-untouched", needs=[Feature.PROCESS])
def host_untouched(bench: Bench) -> None:
    """A program can't reach into the process that runs Harnest."""
    bench.run(TOUCH)
    reached = vars(sys).pop("harnest_conformance_canary", None) is not None
    refuse("the program changed a module of the host", if_true=reached)
