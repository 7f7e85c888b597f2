"""The options that say where extensions are looked up, for every command that looks them up."""

from __future__ import annotations

from dataclasses import dataclass
from functools import update_wrapper
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from harnest_ext.identity import Slug

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnest_ext.sources.finder import Finder
    from harnest_ext.sources.settings import SourceSettings
    from harnest_ext.store.project import Project

__all__ = ["LookupOptions", "lookup_options"]

_R = TypeVar("_R")

_OPTIONS = (
    click.option(
        "--registry",
        "registries",
        multiple=True,
        metavar="DIR_OR_URL",
        help="Look into this registry too, before those of the project. May be repeated.",
    ),
    click.option(
        "--find-links",
        multiple=True,
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Look into this folder of wheels too. May be repeated.",
    ),
    click.option(
        "--index-url",
        metavar="URL",
        help="The package index; default: the project's, else that of pip or uv.",
    ),
    click.option("--no-index", is_flag=True, help="Ask no package index."),
    click.option(
        "--index-only",
        multiple=True,
        metavar="NAME",
        help="Take this name from the package index, whatever registries say. May be repeated.",
    ),
    click.option("--offline", is_flag=True, help="Ask nothing over the network; caches answer."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupOptions:
    """What a command line says of where to look.

    Attributes:
        registries: Folders or URLs.
        find_links: Folders of wheels.
        index_url: Package index in place of the configured one.
        no_index: Whether no index is asked.
        index_only: Names that come from the index alone, as typed.
        offline: Whether nothing is asked over the network.
    """

    registries: tuple[str, ...] = ()
    find_links: tuple[Path, ...] = ()
    index_url: str | None = None
    no_index: bool = False
    index_only: tuple[str, ...] = ()
    offline: bool = False

    @property
    def index_names(self) -> frozenset[Slug]:
        """The names of ``--index-only``.

        Raises:
            InvalidExtension: One is no name of an extension.
        """
        return frozenset(Slug.from_distribution(name) or Slug(name) for name in self.index_only)

    def settings(self, project: Project | None) -> SourceSettings:
        """Return where to look, as the project, this command line, pip and uv say.

        Raises:
            InvalidExtension: The project's ``pyproject.toml`` can't be used.
        """
        from harnest_ext.sources.configured import (  # noqa: PLC0415 - few commands look up
            SourceOptions,
            source_settings,
        )
        from harnest_ext.store.wishes import read_wishes  # noqa: PLC0415 - likewise

        wishes = read_wishes(project.pyproject_path) if project else {}
        options = SourceOptions(
            registries=self.registries,
            find_links=self.find_links,
            index_url=self.index_url,
            no_index=self.no_index,
            offline=self.offline,
            index_only=self.index_names | {name for name, wish in wishes.items() if wish.index},
            registry_of=tuple((n, wish.registry) for n, wish in wishes.items() if wish.registry),
        )
        return source_settings(project.root if project else None, options, cwd=Path.cwd())

    def lookup(self, project: Project | None) -> Finder:
        """Return what looks names up.

        Raises:
            InvalidExtension: The project's ``pyproject.toml`` can't be used.
        """
        from harnest_ext.sources.finder import Finder  # noqa: PLC0415 - likewise

        return Finder(self.settings(project))


def lookup_options(function: Callable[..., _R]) -> Callable[..., _R]:
    """Give a command the options of this module, as one parameter ``where``.

    Goes between :func:`~harnest_ext.cli.options.common` and the command's own options.
    """

    def wrapper(*args: object, **kwargs: object) -> _R:
        fields = LookupOptions.__dataclass_fields__
        where = LookupOptions(**{name: kwargs.pop(name) for name in fields})  # type: ignore[arg-type]
        return function(*args, where=where, **kwargs)

    for option in reversed(_OPTIONS):
        option(wrapper)
    wrapper.__click_params__ += getattr(function, "__click_params__", [])  # type: ignore[attr-defined]
    return update_wrapper(wrapper, function)
