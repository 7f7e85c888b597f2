"""The rules that are no single part's own: names, the command line, what the environment brings."""

from __future__ import annotations

from typing import Final

from harnest_ext.problem import Severity
from harnest_ext.rule import Rule

__all__ = [
    "ADRIFT",
    "ANSWER",
    "ARGUMENT",
    "COMMAND_LINE",
    "DEFECT",
    "DUPLICATE",
    "INTERRUPTED",
    "NAME",
    "SHAPE",
    "UNREADABLE",
]

NAME: Final = Rule(
    id="name.slug",
    kind="name-invalid",
    why="An extension's name is a folder's, a module's and, with - for _, a project's: one text "
    "must do for all of them, on every system.",
    example="my-extension, Weather, 2fast, class, con",
    fix="Choose another name, such as 'my_extension'.",
)
COMMAND_LINE: Final = Rule(
    id="usage.command-line",
    kind="usage",
    why="What can't be taken as it is was meant otherwise; nothing is guessed.",
    example="harnest extensions instal docker",
    fix="See the command's --help.",
)
ARGUMENT: Final = Rule(
    id="usage.argument",
    kind="usage",
    why="An argument names a file that can't be used as one.",
    example="an option that takes a file, and is given a folder",
    fix="Correct the argument.",
)
INTERRUPTED: Final = Rule(
    id="cli.interrupted",
    kind="interrupted",
    why="Whoever waits for a command is told that it was stopped, and did not fail.",
    example="Ctrl-C while packages are downloaded",
    fix="Run the command again: what it had begun is undone or finished by the next that writes.",
)
ADRIFT: Final = Rule(
    id="cli.current-folder",
    kind="not-found",
    why="Relative paths mean nothing in a folder that was removed.",
    example="a shell that stays in a folder which another one deletes",
    fix="Change to a folder that exists, and run the command again.",
)
ANSWER: Final = Rule(
    id="cli.answer",
    kind="io-error",
    why="An answer that is cut off must not pass for a whole one.",
    example="harnest extensions list --json > a file on a disk that is full",
    fix="Make room where it goes, and ask again: what the command did is done.",
)
DEFECT: Final = Rule(
    id="cli.defect",
    kind="defect",
    why="An error that nobody thought of is ours, not the user's.",
    example="any exception that no other rule tells of",
    fix="Run the command with --verbose for the traceback, and report it.",
)
SHAPE: Final = Rule(
    id="environment.shape",
    kind="load-failed",
    why="A distribution that calls itself an extension brings one package of one layout.",
    example="a distribution with the entry point and without harnest_extension_NAME/extension.py",
    fix="Reinstall or remove that distribution.",
)
UNREADABLE: Final = Rule(
    id="environment.unreadable",
    kind="metadata-invalid",
    why="A distribution whose metadata can't be read is passed over; the others still count.",
    example="a METADATA file that an interrupted installation left empty",
    fix="Reinstall or remove that distribution.",
    severity=Severity.WARNING,
)
DUPLICATE: Final = Rule(
    id="environment.duplicate",
    kind="metadata-invalid",
    why="Of two distributions of one extension only the first on the path is used.",
    example="an editable install in a virtual environment that sees the system's packages",
    fix="Remove one of the two distributions.",
    severity=Severity.WARNING,
)
