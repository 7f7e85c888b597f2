"""The options that say where names are looked up, and what they come to for a project."""

from __future__ import annotations

from dataclasses import dataclass
from functools import update_wrapper
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from harnest_ext.cli.places import REGISTRY, URL
from harnest_ext.errors import HarnestExtensionError
from harnest_ext.identity import Slug
from harnest_ext.store.lock import SourceKind
from harnest_ext.store.lockfile import read_lock
from harnest_ext.store.wishes import read_wishes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harnest_ext.sources.finder import Finder
    from harnest_ext.store.lock import LockedSource
    from harnest_ext.store.project import Project

__all__ = ["LookupOptions", "lookup_options"]

_F = TypeVar("_F", bound="Callable[..., object]")
_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)

_OPTIONS = (
    click.option(
        "--registry",
        "registries",
        multiple=True,
        type=REGISTRY,
        metavar="DIR|URL",
        help="Look into this registry too. May be given several times.",
    ),
    click.option(
        "--find-links",
        multiple=True,
        type=_FOLDER,
        metavar="DIR",
        help="Look into this folder of wheels too. May be given several times.",
    ),
    click.option("--index-url", type=URL, metavar="URL", help="Package index to ask last."),
    click.option("--no-index", is_flag=True, help="Ask no package index."),
    click.option("--offline", is_flag=True, help="Ask nothing over the network."),
    click.option(
        "--index-only",
        multiple=True,
        metavar="NAME",
        help="Take this extension from the index although a registry has it.",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupOptions:
    """What a command line says of where to look; nothing by default.

    The fields are those of :class:`~harnest_ext.sources.configured.SourceOptions`, which is loaded
    only when a name is looked up.
    """

    registries: tuple[str, ...] = ()
    find_links: tuple[Path, ...] = ()
    index_url: str | None = None
    no_index: bool = False
    offline: bool = False
    index_only: frozenset[Slug] = frozenset()

    def lookup(self, project: Project) -> Finder:
        """Return what looks names up for ``project``.

        An extension stays with the place that it was asked or locked from.

        Raises:
            InvalidExtension: The project's settings can't be used.
        """
        from harnest_ext.sources.configured import (  # noqa: PLC0415 - see above
            SourceOptions,
            source_settings,
        )
        from harnest_ext.sources.finder import Finder  # noqa: PLC0415 - likewise

        locked = _locked(project)
        index_only, registry_of = _places(project, locked)
        options = SourceOptions(
            registries=self.registries,
            find_links=self.find_links,
            index_url=self.index_url,
            no_index=self.no_index,
            offline=self.offline,
            index_only=self.index_only | index_only,
            registry_of=tuple((n, r) for n, r in registry_of.items() if n not in self.index_only),
            index_of_lock=next((s.location for s in locked.values() if s.kind == "index"), ""),
        )
        finder = Finder(source_settings(project.root, options, cwd=Path.cwd()))
        context = click.get_current_context(silent=True)
        if context is not None:
            context.call_on_close(finder.close)
        return finder


def lookup_options(function: _F) -> _F:
    """Give a command the options of where to look, as ``lookup: LookupOptions``."""

    def wrapper(*args: object, **kwargs: object) -> object:
        names = ("registries", "find_links", "index_url", "no_index", "offline", "index_only")
        given = {name: kwargs.pop(name) for name in names}
        given["index_only"] = frozenset(Slug.typed(name) for name in given["index_only"])  # type: ignore[attr-defined]
        return function(*args, lookup=LookupOptions(**given), **kwargs)  # type: ignore[arg-type]

    update_wrapper(wrapper, function)
    for option in reversed(_OPTIONS):
        option(wrapper)
    return wrapper  # type: ignore[return-value]


def _locked(project: Project) -> dict[Slug, LockedSource]:
    try:
        lock = read_lock(project.lock_path)
    except HarnestExtensionError:
        # Whether a broken lock stands in the way is the command's to say.
        return {}
    return {entry.name: entry.source for entry in lock.entries.values()}


def _places(
    project: Project, locked: Mapping[Slug, LockedSource]
) -> tuple[frozenset[Slug], dict[Slug, str]]:
    """Names that come from the index alone, and names that come from one registry."""
    index_only = {name for name, source in locked.items() if source.kind is SourceKind.INDEX}
    registry_of = {n: s.location for n, s in locked.items() if s.kind is SourceKind.REGISTRY}
    for name, wish in read_wishes(project.pyproject_path).items():
        if wish.index or wish.registry or wish.path:
            index_only.discard(name)
            registry_of.pop(name, None)
        if wish.index:
            index_only.add(name)
        if wish.registry:
            registry_of[name] = wish.registry
    return frozenset(index_only), registry_of
