"""What making a new folder from a template refuses: one documented rule for each reason."""

from __future__ import annotations

from typing import Final

from harnest_ext.rule import Rule

__all__ = [
    "ALL",
    "BROKEN_RECORD",
    "CAPABILITY",
    "IMAGE",
    "NAME",
    "NO_RECORD",
    "OCCUPIED",
    "UNKNOWN",
    "VALUE",
    "WRITE",
]

VALUE: Final = Rule(
    id="template.value",
    kind="usage",
    why="Values become file names and source code, so each is held against its declared pattern.",
    example="harnest extensions init demo --author 'Ada \"Countess\" Lovelace'",
    fix="Give another value.",
)
UNKNOWN: Final = Rule(
    id="template.unknown",
    kind="not-found",
    why="Only the templates that ship with the product are rendered.",
    example="harnest extensions init demo --template web",
    fix="Choose one of those that the message lists.",
)
CAPABILITY: Final = Rule(
    id="template.capability",
    kind="capability-unknown",
    why="A manifest declares capabilities from a closed vocabulary.",
    example="harnest extensions init demo --capability fly",
    fix="Choose from the vocabulary; what an extension does not use it need not name.",
)
NO_RECORD: Final = Rule(
    id="template.no-record",
    kind="not-found",
    why="Without a record nobody knows which template a folder was made from, and with what.",
    example="harnest extensions init --update in a folder made by hand",
    fix="--update works in a folder that 'harnest extensions init' made.",
)
BROKEN_RECORD: Final = Rule(
    id="template.record",
    kind="project-invalid",
    why="A record that was changed can't tell what the template has changed since.",
    example="a .harnest-template.toml that is no TOML",
    fix="Restore it from version control, or remove it and go on without updates.",
)
OCCUPIED: Final = Rule(
    id="init.occupied",
    kind="conflict",
    why="Nothing that exists is ever overwritten.",
    example="harnest init in a folder that holds files",
    fix="Choose another folder, or move away what is there.",
)
WRITE: Final = Rule(
    id="init.write",
    kind="io-error",
    why="A folder is made whole or not at all.",
    example="harnest init below a folder without write permission",
    fix="Check the permissions and the free space there, then run the command again.",
)
NAME: Final = Rule(
    id="init.name",
    kind="usage",
    why="A project has a name, and none is made up where the folder's gives none.",
    example="harnest init 2026",
    fix="Give the project a name with --name.",
)
IMAGE: Final = Rule(
    id="init.image",
    kind="usage",
    why="An image means something to Docker only; elsewhere it would be ignored silently.",
    example="harnest init demo --image python:3.12-slim",
    fix="Add --sandbox docker, or leave --image out.",
)

ALL: Final = (
    BROKEN_RECORD,
    CAPABILITY,
    IMAGE,
    NAME,
    NO_RECORD,
    OCCUPIED,
    UNKNOWN,
    VALUE,
    WRITE,
)
"""Every rule of this package, for the reference."""
