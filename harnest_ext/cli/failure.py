"""What went wrong, told to people on stderr or to programs as ``{"error": {...}}`` on stdout.

The exit code says the class of it: 1 refused or failed, 2 usage, 3 busy, 4 network, 130
interrupted. An exception that is none of ours is a defect and is called one; its message may hold
secrets, so only its type is shown, and the traceback only with ``--verbose``.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from typing import TYPE_CHECKING

import click

from harnest_ext import rules
from harnest_ext.cli.output import AnswerError, Verbosity
from harnest_ext.errors import HarnestExtensionError, UsageError
from harnest_ext.limits import MESSAGE_BYTES
from harnest_ext.problem import Problem

if TYPE_CHECKING:
    from harnest_ext.cli.output import Output

__all__ = ["INTERRUPTED", "error_shape", "report"]

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells give it."""
_FRAME_BYTES = 200
"""Room for what stands around the problems in the JSON shape."""


class _Defect(HarnestExtensionError):
    """An exception that nothing in Harnest expected."""


class _Adrift(HarnestExtensionError):
    """The current folder was removed."""


class _Interrupted(HarnestExtensionError):
    """The user stopped the command."""

    exit_code = INTERRUPTED


def report(error: BaseException, output: Output) -> int:
    """Tell what went wrong and return the exit code.

    Args:
        error: What a command raised.
        output: Where the command writes; its ``as_json`` and ``verbosity`` are honoured.
    """
    if isinstance(error, click.exceptions.NoArgsIsHelpError) and not output.as_json:
        output.stderr.write(f"{error.format_message()}\n")
        return UsageError.exit_code
    ours = _as_ours(error)
    code = ours.exit_code
    if output.failure_exit is not None and not isinstance(ours, (UsageError, _Interrupted)):
        code = output.failure_exit
    try:
        _tell(ours, code, output)
        if isinstance(ours, _Defect) and output.verbosity is Verbosity.VERBOSE:
            traceback.print_exception(error, file=output.stderr)
        output.stderr.flush()
    except OSError:
        # Nobody can be told, then: the exit code still says it.
        return code
    return code


def _tell(error: HarnestExtensionError, code: int, output: Output) -> None:
    if output.as_json and not isinstance(error, AnswerError):
        shape = json.dumps(error_shape(error, code), ensure_ascii=False, indent=1)
        output.stdout.write(f"{shape}\n")
        output.stdout.flush()
    else:
        output.stderr.write(f"error: {error}\n")


def error_shape(error: HarnestExtensionError, exit_code: int) -> dict[str, object]:
    """Return the documented JSON shape of a refusal.

    The first problem's fields stand at the top; ``problems`` holds all of them, as many as fit the
    bound of a whole message, and ``omitted`` counts the rest.
    """
    first, *_ = shapes = [problem.to_dict() for problem in error.problems]
    room = MESSAGE_BYTES - _size(first) - _FRAME_BYTES - len(error.unchanged.encode())
    shown = []
    for shape in shapes:
        room -= _size(shape)
        if room < 0:
            break
        shown.append(shape)
    return {
        "error": {
            **first,
            "unchanged": error.unchanged,
            "exit_code": exit_code,
            "problems": shown,
            "omitted": len(shapes) - len(shown),
        }
    }


def _size(shape: dict[str, object]) -> int:
    # As it will be written, line breaks and indentation included.
    return len(json.dumps(shape, ensure_ascii=False, indent=4).encode("utf-8", "replace"))


def _as_ours(error: BaseException) -> HarnestExtensionError:
    if isinstance(error, HarnestExtensionError):
        return error
    if isinstance(error, click.UsageError):
        return UsageError(_usage(error))
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return _Interrupted(
            Problem(
                kind=rules.INTERRUPTED.kind,
                rule=rules.INTERRUPTED.id,
                message="Stopped by the user.",
            )
        )
    if isinstance(error, FileNotFoundError) and _adrift():
        return _Adrift(rules.ADRIFT.problem("The current folder is no longer there."))
    if isinstance(error, click.ClickException):
        return UsageError(
            rules.ARGUMENT.problem(
                error.format_message(), path=" ".join(["harnest", *sys.argv[1:3]])
            )
        )
    return _Defect(_defect(error))


def _adrift() -> bool:
    try:
        os.getcwd()  # noqa: PTH109 - asked of the system, no path is wanted
    except FileNotFoundError:
        return True
    return False


def _usage(error: click.UsageError) -> Problem:
    command = error.ctx.command_path if error.ctx else "harnest"
    bare = isinstance(error, click.exceptions.NoArgsIsHelpError)
    return rules.COMMAND_LINE.problem(
        "A command is missing." if bare else error.format_message(),
        path=command,
        remedy=f"See '{command} --help'.",
    )


def _defect(error: BaseException) -> Problem:
    where = traceback.extract_tb(error.__traceback__)
    spot = f"{where[-1].name}, line {where[-1].lineno}" if where else ""
    return rules.DEFECT.problem(
        f"Harnest met an unexpected {type(error).__name__}: this is a defect in Harnest.",
        got=spot,
        remedy=f"Run '{' '.join(['harnest', *sys.argv[1:3]])} ... --verbose' for the traceback "
        "and report it with the version that 'harnest --version' prints.",
    )
