"""Find extensions by a word: in registries by what they say, on an index by the name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnest_ext.errors import InvalidExtension, SourceError
from harnest_ext.identity import DISTRIBUTION_PREFIX, Slug
from harnest_ext.resolution.ranges import version_key
from harnest_ext.sources import rules
from harnest_ext.sources.absence import close_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harnest_ext.problem import Problem
    from harnest_ext.resolution import Candidate
    from harnest_ext.sources.finder import Finder
    from harnest_ext.sources.registry.model import RegistryEntry

__all__ = ["Found", "SearchResult", "search"]

UNVETTED = "index"
"""The trust of what comes from a package index: anybody may have uploaded it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One extension that can be installed.

    Attributes:
        slug: Its name.
        version: Its newest release that is neither withdrawn nor, if there is a choice, a
            pre-release; empty when there is none.
        trust: ``official`` or ``community`` as the registry says, ``index`` for an index.
        summary: One line on what it does; an index states none.
        source: The place that an installation would take it from.
        documentation: Where to read about it; may be empty.
        capabilities: What that release declares; unknown for an index, thus empty.
    """

    slug: Slug
    version: str
    trust: str
    summary: str
    source: str
    documentation: str = ""
    capabilities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """What a search found.

    Attributes:
        found: The best matches first, as many as were asked for.
        total: How many there are.
        close: When there are none: names that are spelt alike.
        warnings: Places that could not be asked, entries that can't be read, answers that are old.
    """

    found: tuple[Found, ...]
    total: int
    close: tuple[str, ...]
    warnings: tuple[Problem, ...]


def search(finder: Finder, query: str = "", *, limit: int) -> SearchResult:
    """Return the extensions that match a word; a place that fails costs a warning.

    Args:
        finder: Where to look.
        query: Part of a name or of a summary, any case; empty for all.
        limit: Most matches that are returned, at least 1.
    """
    word = query.strip().lower()
    warnings: list[Problem] = []
    ranked: dict[Slug, tuple[int, Found | None]] = {}
    for entry, place in _entries(finder, warnings):
        rank = _rank(word, entry.slug, entry.summary)
        slug = entry.slug
        if rank is not None and slug not in ranked:
            ranked[slug] = (rank, _of_registry(entry, slug, place))
    known = finder.known()
    for slug in _listed(finder, word, warnings):
        rank = _rank(word, slug, "")
        if rank is not None and slug not in ranked and slug not in known:
            ranked[slug] = (rank, None)
    best = sorted(ranked, key=lambda slug: (ranked[slug][0], slug))
    found = [ranked[slug][1] or _of_index(finder, slug, warnings) for slug in best[:limit]]
    warnings += map(_stale, dict.fromkeys(finder.stale))
    return SearchResult(
        found=tuple(found),
        total=len(best),
        close=() if best else tuple(close_names(word.replace("-", "_"), known)),
        warnings=tuple(warnings),
    )


def _entries(finder: Finder, warnings: list[Problem]) -> Iterator[tuple[RegistryEntry, str]]:
    for registry in finder.registries:
        place = str(registry.origin)
        broken: list[Problem] = []
        try:
            names = registry.catalog.slugs()
        except SourceError as error:
            warnings.append(_left_out(place, error))
            continue
        for name in names:
            try:
                entry = registry.catalog.entry(Slug(name))
            except (SourceError, InvalidExtension) as error:
                broken.append(error.problems[0])
                continue
            if entry is not None:
                yield entry, place
        if broken:
            warnings.append(_broken(place, broken))


def _listed(finder: Finder, word: str, warnings: list[Problem]) -> Sequence[Slug]:
    """The names that the index lists; of one that is too long to list, the very name alone."""
    if finder.index is None:
        return ()
    try:
        return finder.index.extensions()
    except SourceError as error:
        if error.kind != "too-large":
            warnings.append(_left_out("the package index", error))
            return ()
    slug = Slug.from_distribution(word) or Slug.from_distribution(f"{DISTRIBUTION_PREFIX}{word}")
    try:
        return () if slug is None or finder.index.releases(slug) is None else (slug,)
    except SourceError as error:
        warnings.append(_left_out(str(slug), error))
        return ()


def _rank(word: str, slug: str, summary: str) -> int | None:
    """How good a match is, 0 the best; None for no match."""
    name, project = slug.replace("_", "-"), f"harnest-extension-{slug.replace('_', '-')}"
    plain = word.replace("_", "-")
    if plain in {name, project}:
        return 0
    if name.startswith(plain):
        return 1
    if plain in project:
        return 2
    return 3 if word in summary.lower() else None


def _of_registry(entry: RegistryEntry, slug: Slug, place: str) -> Found:
    usable = [release for release in entry.releases if release.yanked is None]
    newest = max(usable, key=lambda release: _preference(release.version), default=None)
    return Found(
        slug=slug,
        version=newest.version if newest else "",
        trust=entry.trust,
        summary=entry.summary,
        source=place,
        documentation=entry.documentation,
        capabilities=newest.capabilities if newest else (),
    )


def _of_index(finder: Finder, slug: Slug, warnings: list[Problem]) -> Found:
    index = finder.index
    if index is None:
        raise AssertionError("a name that an index lists comes from an index")
    releases: Sequence[Candidate] = ()
    try:
        releases = index.releases(slug) or ()
    except SourceError as error:
        warnings.append(_left_out(slug, error))
    usable = [item for item in releases if item.yanked is None and item.objection is None]
    newest = max(usable, key=lambda item: _preference(item.version), default=None)
    return Found(
        slug=slug,
        version=newest.version if newest else "",
        trust=UNVETTED,
        summary="",
        source=str(index.origin),
    )


def _preference(version: str) -> tuple[bool, object]:
    key = version_key(version)
    return not key.is_prerelease, key


def _left_out(what: str, error: SourceError) -> Problem:
    first = error.problems[0]
    return rules.LEFT_OUT.problem(
        f"{what} is left out: {first.message}", path=first.path, remedy=first.remedy
    )


def _broken(place: str, problems: Sequence[Problem]) -> Problem:
    first = problems[0]
    others = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return rules.BROKEN_ENTRY.problem(
        f"{place} has an entry that can't be read{others}: {first.message}",
        path=first.path,
        line=first.line,
    )


def _stale(url: str) -> Problem:
    return rules.OLD_ANSWER.problem("This could not be asked; an older answer is shown.", path=url)
