"""Log records of the product and its extensions, while a command runs.

They are for operators: on a command line they show with ``--verbose`` only, on stderr. Without it
the logging package's own last resort would print bare event names of warnings among the answers.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from harnest_ext.cli.output import Verbosity
from harnest_ext.text import printable

if TYPE_CHECKING:
    from harnest_ext.cli.output import Output

__all__ = ["settle_logs"]

_USUAL = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


def settle_logs(output: Output) -> None:
    """Show log records with ``--verbose``, else hide them; leave a configured logging alone."""
    root = logging.getLogger()
    if root.handlers:
        return
    if output.verbosity is not Verbosity.VERBOSE:
        root.addHandler(logging.NullHandler())
        return
    handler = logging.StreamHandler(output.stderr)
    handler.setFormatter(_OneLine())
    root.addHandler(handler)
    root.setLevel(logging.INFO)


class _OneLine(logging.Formatter):
    """Level, logger, event and its attributes on one line, foreign text escaped."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, and the traceback below it if there is one."""
        extra = (f"{k}={v}" for k, v in vars(record).items() if k not in _USUAL)
        text = " ".join(
            (f"{record.levelname.lower()}: {record.name}:", record.getMessage(), *extra)
        )
        trace = f"\n{self.formatException(record.exc_info)}" if record.exc_info else ""
        return printable(text, 2_000) + trace
