"""Where an interpreter is installed: what has to be readable for it to run inside."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from harnest.execution.local import Refusal, prefixes_of
from harnest.execution.local.installation import NAME_ANOTHER

from . import limits
from .places import real_path, unlinked

__all__ = ["Interpreter"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """An interpreter and what it needs.

    Attributes:
        path: Its absolute path, links and all: a virtual environment is found by it.
        readable: Real paths of its installation, its virtual environment and its file.
        links: Links on the way from its path to its file.
    """

    path: str
    readable: tuple[str, ...]
    links: tuple[str, ...]

    @classmethod
    def at(cls, python: str) -> Interpreter:
        """Look an interpreter up.

        Args:
            python: Its absolute path.

        Raises:
            Refusal: It does not run, or its installation is a home or holds one.
        """
        prefixes = prefixes_of(python)
        try:
            folders = [real_path(prefix) for prefix in prefixes]
            file = real_path(python)
        except OSError as error:
            raise Refusal(
                f"the interpreter's installation can't be looked up ({type(error).__name__})",
                NAME_ANOTHER,
            ) from None
        for folder in folders:
            _refuse_home(folder)
        readable = tuple(sorted({*folders, file}))
        return cls(path=python, readable=readable, links=tuple(_links(python)))


def _refuse_home(folder: str) -> None:
    homes = [os.path.realpath(os.path.expanduser("~")), "/Users", "/private/var/root"]  # noqa: PTH111 - no error without one
    if any(PurePosixPath(home).is_relative_to(folder) for home in homes):
        raise Refusal(
            "the interpreter's installation folder is a home or holds one, and programs would "
            "read all of it",
            NAME_ANOTHER,
        )


def _links(python: str) -> list[str]:
    found: list[str] = []
    place = python
    while Path(place).is_symlink() and len(found) < limits.LINKS:
        found.append(unlinked(place))
        text = os.readlink(place)  # noqa: PTH115 - its text
        place = os.path.normpath(os.path.join(os.path.dirname(place), text))  # noqa: PTH118, PTH120 - by text
    return found
