"""What reaches stdout and stderr, on a terminal, in a pipe and as JSON."""

from __future__ import annotations

import io
import json

import pytest

from harnest_ext.cli.output import Output, Table, Verbosity

TABLE = Table(
    columns=("Name", "State"),
    rows=(("docker", "ok"), ("weather\x1b[31m", "modified")),
    empty="No extensions are installed.",
)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


def make(*, terminal: bool = False, **settings: object) -> Output:
    """Return an output on streams of the test's own."""
    stream = Terminal if terminal else io.StringIO
    output = Output(stream(), stream())
    output.configure(**({"as_json": False, "verbosity": Verbosity.NORMAL} | settings))
    return output


def test_a_table_in_a_pipe_is_aligned_text() -> None:
    """One line per row, columns aligned, foreign text escaped, nothing drawn."""
    output = make()
    output.result({}, TABLE)
    assert output.stdout.getvalue() == (
        "Name             State\ndocker           ok\nweather\\x1b[31m  modified\n"
    )


def test_a_table_on_a_terminal_is_drawn() -> None:
    """On a terminal rich draws the same cells."""
    output = make(terminal=True)
    output.result({}, TABLE)
    drawn = output.stdout.getvalue()
    assert "docker" in drawn
    assert "─" in drawn
    assert "\x1b[31m" not in drawn


def test_an_empty_table_says_so() -> None:
    """No rows: a sentence, not a lonely heading."""
    output = make()
    output.result({}, Table(columns=("Name",), rows=(), empty="No extensions are installed."))
    assert output.stdout.getvalue() == "No extensions are installed.\n"


def test_json_is_one_object_and_nothing_else() -> None:
    """With --json the data is the answer, whatever the text would have been."""
    output = make(as_json=True)
    output.note("installing")
    output.result({"name": "wetter-\u00fc", "files": 3}, TABLE)
    assert json.loads(output.stdout.getvalue()) == {"name": "wetter-\u00fc", "files": 3}
    assert output.stderr.getvalue() == "installing\n"


@pytest.mark.parametrize(
    ("verbosity", "said"),
    [
        (Verbosity.QUIET, "warning: w\n"),
        (Verbosity.NORMAL, "n\nwarning: w\n"),
        (Verbosity.VERBOSE, "n\nd\nwarning: w\n"),
    ],
)
def test_verbosity_chooses_what_is_said(verbosity: Verbosity, said: str) -> None:
    """Quiet keeps warnings, verbose adds steps; all of it goes to stderr."""
    output = make(verbosity=verbosity)
    output.note("n")
    output.detail("d")
    output.warn("w")
    assert output.stderr.getvalue() == said
    assert output.stdout.getvalue() == ""


def test_progress_is_for_terminals() -> None:
    """In a pipe nothing is drawn; on a terminal something is."""
    for terminal in (False, True):
        output = make(terminal=terminal)
        with output.progress("Copying", total=2) as advance:
            advance(1)
            advance(1)
        assert bool(output.stderr.getvalue()) is terminal


def test_rows_must_fit_their_columns() -> None:
    """A table with a cell too few can't be made."""
    with pytest.raises(ValueError, match="one cell per column"):
        Table(columns=("Name", "State"), rows=(("docker",),))


def test_quiet_says_nothing_of_what_is_done_and_all_that_was_asked() -> None:
    """People are spared what they know already; programs, and who asked what would be, are not."""
    quiet = make(verbosity=Verbosity.QUIET)
    quiet.done({"changed": True}, "installed weather")
    assert quiet.stdout.getvalue() == ""
    quiet.done({"changed": True}, "installed weather", dry_run=True)
    quiet.result({}, "weather 1.0.0")
    assert quiet.stdout.getvalue() == "installed weather\nweather 1.0.0\n"
    program = make(verbosity=Verbosity.QUIET, as_json=True)
    program.done({"changed": True}, "installed weather")
    assert json.loads(program.stdout.getvalue()) == {"changed": True}


@pytest.mark.parametrize(("columns", "drawn"), [("20", True), ("19", False)])
def test_a_narrow_terminal_gets_plain_text(
    columns: str, drawn: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a table would be squeezed until nothing of it is left, the terminal wraps the lines."""
    monkeypatch.setenv("COLUMNS", columns)
    output = make(terminal=True)
    output.result({}, TABLE)
    text = output.stdout.getvalue()
    assert ("\u2500" in text) is drawn
    assert "docker" in text


@pytest.mark.parametrize("no_color", ["", "1"])
def test_without_color_a_table_has_no_escapes(
    no_color: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NO_COLOR: what is drawn is text alone."""
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setenv("TERM", "xterm")
    output = make(terminal=True)
    output.result({}, TABLE)
    assert ("\x1b" in output.stdout.getvalue()) is not bool(no_color)


def test_progress_makes_room_for_what_is_said() -> None:
    """A note stands on lines of its own, and is not wiped by the next drawing of the bar."""
    output = make(terminal=True)
    with output.progress("Copying") as advance:
        output.note("Waiting for another command.")
        advance(1)
        with output.paused():
            output.stderr.write("Accept? [y/N]: ")
            asked = output.stderr.getvalue()
    shown = output.stderr.getvalue()
    assert "Waiting for another command.\n" in shown
    # The bar was wiped before the question, and drawn again only after it.
    assert asked.endswith("Accept? [y/N]: ")
    assert "Copying" in shown.removeprefix(asked)
