"""Start of the ``harnest`` command: streams, the root group, one place that catches."""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING, TextIO

import click

from harnest import __version__
from harnest_ext.cli.lazy import LazyGroup
from harnest_ext.cli.output import Output

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main", "root", "run"]

_GARBAGE_OBJECTS = 50_000
"""After how many new objects a command looks for garbage."""
_HELP = """Install, check, load and run extensions for AI agents.

\b
Examples:
  harnest init demo
  harnest extensions install docker
  harnest sandbox run python -c 'print(40*10)'
"""


def root() -> click.Group:
    """Return the whole command tree; its commands are imported when they run."""
    group = LazyGroup("harnest", help_text=_HELP)
    return click.version_option(__version__, prog_name="harnest", message="%(prog)s %(version)s")(
        group
    )


def run(arguments: Sequence[str], group: click.Group | None = None) -> int:
    """Run one command line and return its exit code.

    Args:
        arguments: What follows ``harnest``.
        group: The commands; default those of the product.
    """
    output = Output()
    # Until the command has parsed its own options, this is the best guess at how to answer.
    output.as_json = "--json" in arguments
    try:
        code = (group or root()).main(
            args=list(arguments), prog_name="harnest", obj=output, standalone_mode=False
        )
    except SystemExit as stop:
        # click's own ending when the reader of a pipe has gone
        return stop.code if isinstance(stop.code, int) else 1
    except BaseException as error:  # noqa: BLE001 - the last place: everything is told, by kind
        from harnest_ext.cli.failure import report  # noqa: PLC0415 - only a failure needs it

        return report(error, output)
    return code if isinstance(code, int) else 0


def main() -> None:
    """Run the process's command line and exit with its code."""
    # What a command makes lives until it ends: to look through all of it for garbage, every 700
    # objects, costs a tenth of an installation and finds next to nothing.
    gc.set_threshold(_GARBAGE_OBJECTS)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # Closed by whoever started us. The lowest number that is free is its own again, so
            # that no file of a project can be opened in its place and be written to.
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115, PTH123 - until the end
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A name that the terminal can't spell is shown escaped; it must not end the command.
            stream.reconfigure(errors="backslashreplace")
    code = run(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        _let_go(stream)
    # The process ends: the interpreter need not look through all that was made once more, which
    # costs another tenth.
    gc.freeze()
    sys.exit(code)


def _let_go(stream: TextIO) -> None:
    try:
        stream.flush()
    except OSError:
        # Whoever read it has gone (`harnest ... | head`), or there is no room for it: let the
        # interpreter's own last flush write to nowhere instead of failing.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
