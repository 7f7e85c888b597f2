"""The journal: what a writing command has decided and, from then on, will be done.

It names extensions and files, never paths: a journal that came from somewhere else can at worst
move this product's own files about inside the project. It exists from the instant of the decision
until everything is in place; with it there, the new state is the true one for every reader.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from harnest_ext import limits
from harnest_ext.errors import HarnestExtensionError, StoreError
from harnest_ext.identity import Slug
from harnest_ext.store import layout, rules
from harnest_ext.store.reading import read_regular

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["NEW_NAME", "SWAPPED_FILES", "Journal", "read_journal"]

NEW_NAME: Final = "new"
"""Folder below the staging folder in which new copies wait."""

SWAPPED_FILES: Final = (layout.STAMPS_PATH, layout.PYPROJECT_NAME, layout.LOCK_NAME)
"""Files that a command may replace together with copies, in the order in which it does."""

_NUMBER = re.compile(r"[0-9]{6,12}", re.ASCII)
_VERSION: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """What is to be done.

    Attributes:
        number: Names the staging folder and the backups; larger than all before it.
        command: Command that decided it, for messages.
        moved_out: Extensions whose copy goes to the backups.
        moved_in: Extensions whose staged copy goes to its place.
        files: Those of :data:`SWAPPED_FILES` that are replaced.
    """

    number: str
    command: str
    moved_out: tuple[Slug, ...] = ()
    moved_in: tuple[Slug, ...] = ()
    files: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what could lead out of the project."""
        if not _NUMBER.fullmatch(self.number) or set(self.files) - set(SWAPPED_FILES):
            raise ValueError("not a journal")

    @property
    def staging(self) -> str:
        """Folder of everything that was staged."""
        return f"{layout.STAGING_PATH}/{self.number}"

    def staged_copy(self, name: str) -> str:
        """Return where the new copy of ``name`` waits."""
        return f"{self.staging}/{NEW_NAME}/{name}"

    def staged_file(self, path: str) -> str:
        """Return where the new content of one of :data:`SWAPPED_FILES` waits."""
        return f"{self.staging}/files/{path.rpartition('/')[2]}"

    def saved_file(self, path: str) -> str:
        """Return where the old content of one of :data:`SWAPPED_FILES` is kept meanwhile."""
        return f"{self.staging}/saved/{path.rpartition('/')[2]}"

    def backup(self, name: str) -> str:
        """Return the folder that the old copy of ``name`` is kept in, as ``tree``."""
        return f"{layout.PREVIOUS_PATH}/{self.number}/{name}"

    def render(self) -> bytes:
        """Return the journal's text."""
        shape = {
            "version": _VERSION,
            "number": self.number,
            "command": self.command,
            "moved_out": self.moved_out,
            "moved_in": self.moved_in,
            "files": self.files,
        }
        return json.dumps(shape, indent=1).encode() + b"\n"

    @classmethod
    def parse(cls, data: bytes) -> Journal:
        """Return the journal that ``data`` is the text of.

        Raises:
            StoreError: kind ``tampered``: no writing command wrote this.
        """
        try:
            shape = json.loads(data)
            if shape.pop("version") != _VERSION:
                raise _foreign("another version of Harnest wrote it")
            return cls(
                number=shape["number"],
                command=str(shape["command"]),
                moved_out=tuple(Slug(name) for name in shape["moved_out"]),
                moved_in=tuple(Slug(name) for name in shape["moved_in"]),
                files=tuple(str(path) for path in shape["files"]),
            )
        except StoreError:
            raise
        except (
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
            RecursionError,
            HarnestExtensionError,
        ) as error:
            raise _foreign("it does not have the shape of one") from error


def read_journal(root: Path) -> Journal | None:
    """Return the journal of the project at ``root``, or None when nothing was interrupted.

    Raises:
        StoreError: kinds ``io-error`` and ``tampered``.
    """
    data = read_regular(root / layout.JOURNAL_PATH, limits.STATE_BYTES, name=layout.JOURNAL_PATH)
    return None if data is None else Journal.parse(data)


def _foreign(reason: str) -> StoreError:
    return StoreError(
        rules.JOURNAL.problem(
            f"The journal of the project can't be followed: {reason}.", path=layout.JOURNAL_PATH
        ),
        unchanged="The project was not changed.",
    )
