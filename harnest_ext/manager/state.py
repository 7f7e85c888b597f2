"""What a writing command finds before it decides anything; refused when it can't be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.errors import ExtensionNotFound, InvalidExtension
from harnest_ext.identity import Slug, normalized
from harnest_ext.manager import rules
from harnest_ext.store.reader import installed_view
from harnest_ext.store.reading import read_regular
from harnest_ext.store.wishes import parse_wishes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnest_ext.store.lock import LockedExtension, LockFile
    from harnest_ext.store.project import Project
    from harnest_ext.store.view import InstalledView
    from harnest_ext.store.wishes import Wish

__all__ = ["State", "known_name", "read_state", "required_names", "split_requirement"]


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A project as it is.

    Attributes:
        project: Which one.
        view: What is installed.
        pyproject: Content of its `pyproject.toml`; None when absent.
        wishes: What the user asked for.
    """

    project: Project
    view: InstalledView
    pyproject: bytes | None
    wishes: Mapping[Slug, Wish]

    @property
    def lock(self) -> LockFile:
        """What the lock says."""
        return self.view.lock

    def requirers(self, name: str) -> tuple[Slug, ...]:
        """Return the extensions whose lock entries require ``name``, sorted."""
        return tuple(
            entry.name for entry in self.lock.entries.values() if name in required_names(entry)
        )


def read_state(project: Project, *, tolerant: bool = False) -> State:
    """Return what ``project`` is.

    Args:
        project: A project that is held for writing.
        tolerant: Take a lock that can't be used as an empty one, for commands that must work with
            it; the view's problems tell.

    Raises:
        InvalidExtension: The lock or `pyproject.toml` is not usable.
        StoreError: They can't be read.
    """
    view = installed_view(project)
    if view.problems and not tolerant:
        raise InvalidExtension(view.problems, unchanged="The project was not changed.")
    pyproject = read_regular(project.pyproject_path, limits.METADATA_BYTES)
    return State(project=project, view=view, pyproject=pyproject, wishes=parse_wishes(pyproject))


def known_name(view: InstalledView, text: str) -> str:
    """Return the name of something installed that ``text`` means, in any spelling of its project.

    Raises:
        ExtensionNotFound: kind ``not-found``, naming close matches.
    """
    if text in view.extensions:
        return text
    slug = Slug.from_distribution(text) or normalized(text).replace("-", "_")
    if slug in view.extensions:
        return slug
    from difflib import get_close_matches  # noqa: PLC0415 - only a wrong name pays for it

    close = get_close_matches(slug, view.extensions, n=limits.CLOSE_MATCHES)
    names = " or ".join(f"'{name}'" for name in close)
    raise ExtensionNotFound(
        rules.NOT_INSTALLED.problem(
            f"No extension '{text}' is installed in this project.",
            path=text,
            remedy=f"Did you mean {names}?" if close else "",
        ),
        unchanged="The project was not changed.",
    )


def required_names(entry: LockedExtension) -> frozenset[str]:
    """Return the names of the extensions that ``entry`` requires."""
    return frozenset(split_requirement(text)[0] for text in entry.requires)


def split_requirement(text: str) -> tuple[str, str]:
    """Return name and range of a requirement in its normal form, such as ``rag>=0.1,<1``."""
    end = next((i for i, ch in enumerate(text) if not (ch.isalnum() or ch == "_")), len(text))
    return text[:end], text[end:]
