"""Which extensions there are, from both origins; nothing is imported or judged yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from harnest_ext.errors import HarnestExtensionError
from harnest_ext.runtime import rules
from harnest_ext.runtime.checking import unreadable
from harnest_ext.runtime.facts import from_distribution, from_link, from_lock
from harnest_ext.store import CopyState, installed_view

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harnest_ext.distributions import EnvironmentView
    from harnest_ext.identity import Slug
    from harnest_ext.problem import Problem
    from harnest_ext.runtime.candidate import Candidate
    from harnest_ext.store import InstalledExtension, LockedExtension, Project

__all__ = ["Discovery", "discover"]

_NOT_LOADED = {CopyState.NOT_IN_LOCK: rules.NOT_IN_LOCK, CopyState.FOREIGN: rules.FOREIGN_COPY}


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """What was found.

    Attributes:
        candidates: What may be loaded, by name.
        broken: What should be loaded and can't be, with the reasons.
        optional: Names that the environment alone brings: the project did not ask for them, so a
            broken one is left out instead of stopping it.
        notes: What a reader should know and what stops nothing.
    """

    candidates: Mapping[Slug, Candidate] = field(default_factory=dict)
    broken: Mapping[Slug, tuple[Problem, ...]] = field(default_factory=dict)
    optional: frozenset[Slug] = frozenset()
    notes: tuple[Problem, ...] = ()

    def __post_init__(self) -> None:
        """Freeze the mappings."""
        object.__setattr__(self, "candidates", MappingProxyType(dict(self.candidates)))
        object.__setattr__(self, "broken", MappingProxyType(dict(self.broken)))


class _Found:
    def __init__(self) -> None:
        self.candidates: dict[Slug, Candidate] = {}
        self.broken: dict[Slug, tuple[Problem, ...]] = {}
        self.optional: set[Slug] = set()
        self.notes: list[Problem] = []

    def add(self, slug: Slug, read: Callable[[], Candidate]) -> None:
        try:
            self.candidates[slug] = read()
        except HarnestExtensionError as error:
            self.broken[slug] = error.problems
        except Exception as error:  # noqa: BLE001 - somebody's metadata: it names one extension
            self.broken[slug] = (unreadable(slug, type(error).__name__),)


def discover(project: Project | None, environment: EnvironmentView) -> Discovery:
    """Return what the project and the environment bring; the project's copy wins.

    Args:
        project: The agent project; None for an ordinary script outside of one.
        environment: What the installed distributions bring.

    Raises:
        HarnestExtensionError: The project's own files can't be used.
    """
    found = _Found()
    if project is not None:
        _from_project(project, found)
    for slug, brought in environment.extensions.items():
        if slug in found.candidates or slug in found.broken:
            found.notes.append(
                rules.SHADOWED.problem(
                    f"The project's copy of {slug!r} is used, not the environment's "
                    f"{brought.version}.",
                    path=str(brought.folder),
                )
            )
        else:
            found.optional.add(slug)
            found.add(slug, lambda brought=brought: from_distribution(brought))  # type: ignore[misc]
    return Discovery(
        candidates=found.candidates,
        broken=found.broken,
        optional=frozenset(found.optional),
        notes=(*environment.problems, *found.notes),
    )


def _from_project(project: Project, found: _Found) -> None:
    view = installed_view(project)
    if view.problems:
        raise HarnestExtensionError(view.problems)
    for installed in view.extensions.values():
        if installed.locked is not None:
            _from_locked(installed, installed.locked, found)
        else:
            rule = _NOT_LOADED.get(installed.state, rules.NOT_IN_LOCK)
            found.notes.append(
                rule.problem(
                    f"{installed.name!r} is not loaded.", path=f"extensions/{installed.name}"
                )
            )


def _from_locked(installed: InstalledExtension, locked: LockedExtension, found: _Found) -> None:
    slug, folder = locked.name, installed.path
    if folder is None:
        found.broken[slug] = (
            rules.MISSING_COPY.problem(
                f"The files of the extension {slug!r} are not there.", path=f"extensions/{slug}"
            ),
        )
    elif locked.linked:
        found.add(slug, lambda: from_link(locked, folder))
    else:
        found.add(slug, lambda: from_lock(locked, folder))
