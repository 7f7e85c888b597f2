"""The one way from a command to its reader: answers, notes, warnings and progress.

The answer goes to stdout: a table drawn by rich on a terminal, plain aligned text in a pipe, one
JSON object with ``--json``. Everything else goes to stderr. Progress is shown on a terminal only,
and makes room for whatever is said or asked meanwhile.
"""

from __future__ import annotations

import enum
import json
import os
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, TextIO

from harnest_ext import rules
from harnest_ext.errors import HarnestExtensionError
from harnest_ext.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from rich.progress import Progress

__all__ = ["Output", "Table", "Verbosity"]

_CELL_CHARACTERS = 400
"""Most characters of one cell of a table."""
_COLUMN_CHARACTERS = 10
"""Width for each column below which a terminal is too narrow for a drawn table."""


class AnswerError(HarnestExtensionError):
    """The answer can't be written to where it was to go."""


class Verbosity(enum.IntEnum):
    """How much is said on stderr beside the answer."""

    QUIET = 0
    NORMAL = 1
    VERBOSE = 2

    @classmethod
    def of(cls, *, quiet: bool, verbose: bool) -> Self:
        """Return the level that two flags ask for."""
        return cls(cls.QUIET if quiet else cls.VERBOSE if verbose else cls.NORMAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows under headings.

    Attributes:
        columns: Headings, at least one.
        rows: Cells, as many in each row as there are headings. Foreign text is escaped.
        empty: What is said instead when there are no rows.
        title: A line above the table.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    empty: str = ""
    title: str = ""

    def __post_init__(self) -> None:
        if not self.columns or any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError("every row of a table has one cell per column")

    def plain(self) -> str:
        """Return the table as aligned text without decoration, one line per row."""
        if not self.rows:
            return self.empty
        lines = [self.columns, *(self._cells(row) for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        text = (
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        )
        return "\n".join((*([self.title] if self.title else []), *text))

    @staticmethod
    def _cells(row: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(printable(cell, _CELL_CHARACTERS) for cell in row)


class Output:
    """Where a command writes.

    Args:
        stdout: Stream of the answer; default the process's own.
        stderr: Stream of everything else; default the process's own.
    """

    def __init__(self, stdout: TextIO | None = None, stderr: TextIO | None = None) -> None:
        self.stdout = stdout or sys.stdout
        self.stderr = stderr or sys.stderr
        self.as_json = False
        self.verbosity = Verbosity.NORMAL
        self.failure_exit: int | None = None
        self._bar: Progress | None = None

    def configure(self, *, as_json: bool, verbosity: Verbosity) -> None:
        """Take over what the command line asked for."""
        self.as_json = as_json
        self.verbosity = verbosity

    def result(self, data: Mapping[str, object], text: str | Table = "") -> None:
        """Give the command's answer.

        Args:
            data: The documented JSON shape of the answer.
            text: The same for people; an empty text prints nothing.
        """
        if self.as_json:
            self._answer(json.dumps(data, indent=2))
        elif isinstance(text, Table) and text.rows and self.stdout.isatty():
            self._draw(text)
        else:
            plain = text.plain() if isinstance(text, Table) else text
            if plain:
                self._answer(plain)

    def done(self, data: Mapping[str, object], text: str = "", *, dry_run: bool = False) -> None:
        """Tell what was done by a command that was asked to do, not to tell; see :meth:`result`.

        With ``--quiet`` people are told nothing: the exit code says that it is done.

        Args:
            data: The documented JSON shape of the answer.
            text: The same for people.
            dry_run: Whether it was asked only to tell what it would do.
        """
        silent = self.verbosity is Verbosity.QUIET and not dry_run
        self.result(data, "" if silent else text)

    def note(self, message: str) -> None:
        """Say something useful on stderr, unless ``--quiet``."""
        if self.verbosity >= Verbosity.NORMAL:
            self._tell(message)

    def detail(self, message: str) -> None:
        """Say a step on stderr, with ``--verbose`` only."""
        if self.verbosity >= Verbosity.VERBOSE:
            self._tell(message)

    def warn(self, message: str) -> None:
        """Say on stderr what the reader should know whatever was asked."""
        self._tell(f"warning: {message}")

    @contextmanager
    def progress(self, label: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
        """Show progress on stderr while the block runs, on a terminal only.

        Args:
            label: What is being done.
            total: Units until it is done; None when that is not known.

        Yields:
            A function that takes the number of units done since it was last called.
        """
        if not self.stderr.isatty() or self.as_json or self.verbosity is Verbosity.QUIET:
            yield _ignore
            return
        from rich.console import Console  # noqa: PLC0415 - 50 ms that only a terminal pays
        from rich.progress import Progress  # noqa: PLC0415 - likewise

        # What is written meanwhile is none of its business: see `paused`.
        with Progress(
            console=Console(file=self.stderr),
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        ) as bar:
            task = bar.add_task(printable(label), total=total)
            self._bar = bar
            try:
                yield lambda units: bar.advance(task, units)
            finally:
                self._bar = None

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Take the progress off the terminal while the block says or asks something there."""
        if self._bar is None:
            yield
            return
        self._bar.stop()
        try:
            yield
        finally:
            self._bar.start()

    def _draw(self, table: Table) -> None:
        from rich import box  # noqa: PLC0415 - only a terminal pays for it
        from rich.console import Console  # noqa: PLC0415 - likewise
        from rich.table import Table as Drawn  # noqa: PLC0415 - likewise
        from rich.text import Text  # noqa: PLC0415 - likewise

        console = Console(file=self.stdout)
        if console.width < _COLUMN_CHARACTERS * len(table.columns):
            self._answer(table.plain())
            return
        drawn = Drawn(box=box.SIMPLE_HEAD, title=table.title or None, title_justify="left")
        if os.environ.get("NO_COLOR"):
            drawn.header_style = ""
        for column in table.columns:
            drawn.add_column(column, overflow="fold")
        for row in table.rows:
            drawn.add_row(*(Text(printable(cell, _CELL_CHARACTERS)) for cell in row))
        console.print(drawn)

    def _answer(self, text: str) -> None:
        try:
            self._line(self.stdout, text)
        except BrokenPipeError:
            raise  # the reader has what it wanted
        except OSError as error:
            message = f"The answer can't be written: {error.strerror}."
            raise AnswerError(rules.ANSWER.problem(message)) from error

    def _tell(self, text: str) -> None:
        with self.paused():
            self._line(self.stderr, text)

    @staticmethod
    def _line(stream: TextIO, text: str) -> None:
        stream.write(text + "\n")
        stream.flush()


def _ignore(units: int) -> None:
    del units
