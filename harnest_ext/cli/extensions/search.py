"""``harnest extensions search``: what can be installed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from harnest_ext import limits
from harnest_ext.cli.extensions.opening import open_project
from harnest_ext.cli.options import common, examples
from harnest_ext.cli.output import Table
from harnest_ext.cli.places import REGISTRY, URL
from harnest_ext.errors import ExtensionNotFound

if TYPE_CHECKING:
    from harnest_ext.cli.output import Output
    from harnest_ext.sources.search import Found, SearchResult

__all__ = ["command"]

_SHOWN: Final = 20
"""How many matches are shown unless told otherwise."""


@click.command(
    "search",
    epilog=examples(
        "harnest extensions search",
        "harnest extensions search sandbox",
        "harnest extensions search docker --json",
    ),
)
@click.argument("query", required=False, default="")
@click.option(
    "--limit",
    type=click.IntRange(min=1, max=limits.SEARCH_MATCHES),
    default=_SHOWN,
    show_default=True,
    metavar="N",
    help="Show at most this many.",
)
@click.option("--refresh", is_flag=True, help="Ask again what was asked within the last minutes.")
@click.option(
    "--registry",
    "registries",
    multiple=True,
    type=REGISTRY,
    metavar="DIR|URL",
    help="Search it too.",
)
@click.option("--index-url", type=URL, metavar="URL", help="Package index to search.")
@click.option("--no-index", is_flag=True, help="Search no package index.")
@click.option("--offline", is_flag=True, help="Ask nothing over the network; old answers will do.")
@common
def command(  # noqa: PLR0913 - one parameter per option of the command line
    query: str,
    *,
    limit: int,
    refresh: bool,
    registries: tuple[str, ...],
    index_url: str | None,
    no_index: bool,
    offline: bool,
    project: Path | None,
    output: Output,
) -> None:
    """Find extensions to install, by a part of their name or summary.

    Trust says who vouches for an extension: official, community (a registry lists it), or index
    (anybody may have uploaded it). What registries and the index answer is kept for ten minutes.
    """
    from harnest_ext.sources.configured import (  # noqa: PLC0415 - help needs none of it
        SourceOptions,
        source_settings,
    )
    from harnest_ext.sources.finder import Finder  # noqa: PLC0415 - likewise
    from harnest_ext.sources.search import search  # noqa: PLC0415 - likewise

    options = SourceOptions(
        registries=registries, index_url=index_url, no_index=no_index, offline=offline
    )
    settings = source_settings(_root(project), options, cwd=Path.cwd())
    settings = replace(
        settings, time_to_live=0.0 if refresh else limits.SEARCH_SECONDS, old_will_do=True
    )
    with Finder(settings) as finder, output.progress("Searching"):
        result = search(finder, query, limit=limit)
    for problem in result.warnings:
        output.warn(problem.describe())
    output.result(_shape(query, result), _table(query, result))
    if len(result.found) < result.total:
        output.note(f"{result.total - len(result.found)} more; --limit shows more of them.")


def _root(project: Path | None) -> Path | None:
    """The project whose registries count; a search works outside of one too."""
    try:
        return open_project(project).root
    except ExtensionNotFound:
        if project is not None:
            raise
        return None


def _table(query: str, result: SearchResult) -> Table:
    hint = f" Did you mean {' or '.join(result.close)}?" if result.close else ""
    return Table(
        columns=("NAME", "VERSION", "TRUST", "SUMMARY", "FROM"),
        rows=tuple(
            (item.slug, item.version or "-", item.trust, item.summary or "-", item.source)
            for item in result.found
        ),
        empty=f"Nothing matches '{query}'.{hint}" if query else "There is nothing to install.",
    )


def _shape(query: str, result: SearchResult) -> dict[str, object]:
    return {
        "query": query,
        "extensions": [_found(item) for item in result.found],
        "total": result.total,
        "close": list(result.close),
        "warnings": [problem.to_dict() for problem in result.warnings],
    }


def _found(item: Found) -> dict[str, object]:
    return {
        "name": item.slug,
        "project": item.slug.distribution,
        "version": item.version,
        "trust": item.trust,
        "summary": item.summary,
        "source": item.source,
        "documentation": item.documentation,
        "capabilities": list(item.capabilities),
    }
