"""What every command takes: where the project is, how to answer, how much to say.

A command is written so::

    @click.command("show", epilog=examples("harnest extensions show docker"))
    @click.argument("name")
    @common
    def command(name: str, *, project: Path | None, output: Output) -> None:
        '''Show all about one extension.'''

and may return an exit code. ``project`` is None when none was named: search upward from the
current folder. Inside an installed command the answer goes through ``output`` alone.
"""

from __future__ import annotations

import sys
from functools import update_wrapper
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import click

from harnest_ext.cli.output import Output, Verbosity

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["common", "examples", "failure_exit"]

_P = ParamSpec("_P")
_R = TypeVar("_R")

_OPTIONS = (
    click.option(
        "--project",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="The agent project. Default: the current folder or the nearest one above it.",
    ),
    click.option("--json", "as_json", is_flag=True, help="Answer with one JSON object."),
    click.option(
        "--quiet", "-q", is_flag=True, help="Say only what was asked for and what went wrong."
    ),
    click.option("--verbose", "-v", is_flag=True, help="Say every step; show tracebacks."),
)


def common(function: Callable[..., _R]) -> Callable[..., _R]:
    """Give a command ``--project --json --quiet --verbose``, as ``project`` and ``output``.

    Raises:
        click.UsageError: When run with both ``--quiet`` and ``--verbose``.
    """

    def wrapper(*args: object, **kwargs: object) -> _R:
        ctx = click.get_current_context()
        output = ctx.ensure_object(Output)
        as_json, quiet, verbose = (bool(kwargs.pop(k)) for k in ("as_json", "quiet", "verbose"))
        if quiet and verbose:
            raise click.UsageError("--quiet and --verbose exclude each other.")
        output.configure(as_json=as_json, verbosity=Verbosity.of(quiet=quiet, verbose=verbose))
        if "logging" in sys.modules:
            # Whatever logs has been imported with the command; others don't pay for the package.
            from harnest_ext.cli.logs import settle_logs  # noqa: PLC0415 - see above

            settle_logs(output)
        return function(*args, output=output, **kwargs)

    # First take over the function's own options, then put these before them.
    update_wrapper(wrapper, function)
    for option in reversed(_OPTIONS):
        option(wrapper)
    return wrapper


def examples(*lines: str) -> str:
    """Return a command's epilog: an ``Examples`` section that keeps its line breaks.

    Args:
        lines: Command lines as they are typed, at least one; a line may begin with ``#``.
    """
    return "\n".join(("\b", "Examples:", *(f"  {line}" for line in lines)))


def failure_exit(code: int) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Make every failure of a command but a usage error end with ``code``.

    For a command whose small exit codes belong to the program that it runs. Goes below
    :func:`common`.

    Args:
        code: Exit code for Harnest's own failures, 1 to 255.
    """

    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        def wrapper(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            click.get_current_context().ensure_object(Output).failure_exit = code
            return function(*args, **kwargs)

        return update_wrapper(wrapper, function)

    return decorate
