"""The frame of the command line, tried with commands of its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click
import pytest

from harnest_ext.cli.main import root, run
from harnest_ext.cli.options import common, examples, failure_exit
from harnest_ext.errors import (
    ExtensionNotFound,
    HarnestExtensionError,
    InvalidExtension,
    SourceError,
    StoreBusy,
    UsageError,
)
from harnest_ext.problem import Problem

if TYPE_CHECKING:
    from pathlib import Path

    from harnest_ext.cli.output import Output


def problem(**fields: object) -> Problem:
    """Return a problem with everything filled in."""
    filled = {
        "kind": "manifest-invalid",
        "rule": "manifest.unknown-key",
        "message": "There is no key 'metdata'.",
        "path": "weather/extension.yaml",
        "line": 3,
        "expected": "metadata",
        "got": "metdata",
        "remedy": "Write 'metadata'.",
    }
    return Problem(**(filled | fields))


def group_that_raises(error: BaseException, *, code: int | None = None) -> click.Group:
    """Return a group with one command, ``go``, that raises."""

    def go(*, project: Path | None, output: Output) -> None:
        raise error

    inner = failure_exit(code)(go) if code else go
    return click.Group("harnest", [click.command("go")(common(inner))])


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (InvalidExtension, 1),
        (ExtensionNotFound, 1),
        (UsageError, 2),
        (StoreBusy, 3),
        (SourceError, 4),
    ],
)
def test_each_class_of_refusal_has_its_exit_code(
    kind: type[HarnestExtensionError], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """A refusal ends with the code of its class and says file, line, rule and remedy on stderr."""
    assert run(["go"], group_that_raises(kind(problem(), unchanged="Nothing was changed."))) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert "weather/extension.yaml:3: There is no key 'metdata'. [manifest.unknown-key]" in err
    assert "remedy: Write 'metadata'." in err
    assert err.endswith("Nothing was changed.\n")


def test_a_refusal_for_a_program_is_one_object_on_stdout(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With --json every field of every problem is under "error", and stderr stays empty."""
    error = InvalidExtension([problem(), problem(line=9)], unchanged="Nothing was changed.")
    assert run(["go", "--json"], group_that_raises(error)) == 1
    out, err = capsys.readouterr()
    assert err == ""
    told = json.loads(out)["error"]
    assert (told["kind"], told["rule"]) == ("manifest-invalid", "manifest.unknown-key")
    assert (told["path"], told["line"]) == ("weather/extension.yaml", 3)
    assert (told["expected"], told["got"]) == ("metadata", "metdata")
    assert (told["remedy"], told["unchanged"]) == ("Write 'metadata'.", "Nothing was changed.")
    assert (told["exit_code"], told["omitted"]) == (1, 0)
    assert [p["line"] for p in told["problems"]] == [3, 9]


def test_a_refusal_stays_short_however_much_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    """Five hundred problems with long, hostile texts fit in 4 KiB, as text and as JSON."""
    hostile = "\x1b[2J\u202e" + "x" * 900
    error = InvalidExtension([problem(got=hostile, message=hostile, line=n) for n in range(500)])
    for arguments in (["go"], ["go", "--json"]):
        run(arguments, group_that_raises(error))
        out, err = capsys.readouterr()
        told = out + err
        assert len(told.encode()) <= 4096
        assert "\x1b" not in told
        assert "\u202e" not in told
        assert "more" in told or json.loads(out)["error"]["omitted"] > 0


def test_a_foreign_exception_is_called_a_defect(capsys: pytest.CaptureFixture[str]) -> None:
    """An unexpected exception shows its type, never its text or a traceback."""
    assert run(["go"], group_that_raises(KeyError("hunter2"))) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "unexpected KeyError" in err
    assert "defect in Harnest" in err
    assert "hunter2" not in err
    assert "Traceback" not in err


def test_verbose_adds_the_traceback_of_a_defect(capsys: pytest.CaptureFixture[str]) -> None:
    """With --verbose the developer gets the traceback."""
    assert run(["go", "--verbose"], group_that_raises(KeyError("lost"))) == 1
    assert "Traceback" in capsys.readouterr().err


def test_a_stopped_command_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    """Ctrl-C ends with 130 and one line."""
    assert run(["go"], group_that_raises(KeyboardInterrupt())) == 130
    assert capsys.readouterr().err.lstrip() == "error: Stopped by the user. [cli.interrupted]\n"


@pytest.mark.parametrize(
    ("error", "code"),
    [(InvalidExtension(problem()), 125), (KeyError("x"), 125), (UsageError(problem()), 2)],
)
def test_a_command_can_keep_small_codes_for_its_program(error: Exception, code: int) -> None:
    """Under failure_exit Harnest's own failures get that code; a usage error stays 2."""
    assert run(["go"], group_that_raises(error, code=125)) == code


def test_a_command_returns_its_exit_code() -> None:
    """The number that a command returns is the exit code; nothing is 0."""

    def go(*, project: Path | None, output: Output) -> int:
        return 7

    assert run(["go"], click.Group("harnest", [click.command("go")(common(go))])) == 7


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        (["extensons"], "'harnest extensions'"),
        (["install"], "'harnest extensions install'"),
        (["extensions", "instal"], "'harnest extensions install'"),
        (["sandbox", "runn"], "'harnest sandbox run'"),
    ],
)
def test_a_mistyped_command_gets_the_nearest_ones(
    typed: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """An unknown command is a usage error that names what was probably meant."""
    assert run(typed) == 2
    err = capsys.readouterr().err
    assert "Did you mean" in err
    assert hint in err


def test_a_usage_error_is_json_when_json_was_asked(capsys: pytest.CaptureFixture[str]) -> None:
    """Even a command line that doesn't parse answers a program with an object."""
    assert run(["completion", "tcsh", "--json"]) == 2
    out, err = capsys.readouterr()
    assert err == ""
    assert json.loads(out)["error"]["kind"] == "usage"


def test_a_group_alone_shows_its_commands(capsys: pytest.CaptureFixture[str]) -> None:
    """``harnest extensions`` lists the commands and is a usage error."""
    assert run(["extensions"]) == 2
    assert "uninstall" in capsys.readouterr().err


def test_quiet_and_verbose_exclude_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    """Asking for less and more at once is refused."""
    assert run(["completion", "bash", "-q", "-v"]) == 2
    assert "exclude each other" in capsys.readouterr().err


def test_version_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """``harnest --version`` prints name and version."""
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == "harnest 1.0.0\n"


def test_examples_keep_their_lines() -> None:
    """Examples in a command's help stand one to a line."""
    command = click.Command("go", epilog=examples("harnest go one", "harnest go two"))
    text = command.get_help(click.Context(command, info_name="go"))
    assert "Examples:\n    harnest go one\n    harnest go two" in text


def test_the_root_group_is_made_of_the_table() -> None:
    """The root offers the groups and the commands without one."""
    group = root()
    names = group.list_commands(click.Context(group))
    assert {"completion", "env", "extensions", "init", "quickstart", "sandbox"} <= set(names)
