"""From what a registry's file says to an entry, every fault told at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harnest_ext.errors import HarnestExtensionError, SourceError
from harnest_ext.sources.registry import rules
from harnest_ext.sources.registry.model import RegistryEntry, RegistryRelease
from harnest_ext.sources.registry.schema import ENTRY, RELEASE, violations

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnest_ext.identity import Slug
    from harnest_ext.problem import Problem

__all__ = ["entry_of"]


def entry_of(
    told: Mapping[str, Any], slug: Slug, place: str, *, lenient: bool = False
) -> RegistryEntry:
    """Return the entry of one extension.

    Args:
        told: What the file says.
        slug: Whose entry it must be.
        place: File or URL, for messages.
        lenient: Whether unknown keys are left out, so that a later catalog can say more.

    Raises:
        SourceError: rule ``registry.entry``; holds every fault.
    """
    known = _known_only(told) if lenient else told
    faults = [_problem(where, text, place) for where, text in violations(known, ENTRY)]
    if not faults and (known["slug"], known["project"]) != (slug, slug.distribution):
        message = "The entry is about another extension."
        got = f"{known['slug']}, {known['project']}"
        expected = f"{slug}, {slug.distribution}"
        faults = [rules.ENTRY.problem(message, path=place, expected=expected, got=got)]
    if faults:
        raise SourceError(faults)
    return _made(known, slug, place)


def _made(known: Mapping[str, Any], slug: Slug, place: str) -> RegistryEntry:
    """The entry, or else what contradicts what in it."""
    faults: list[Problem] = []
    releases: list[RegistryRelease] = []
    for number, release in enumerate(known["releases"]):
        try:
            releases.append(RegistryRelease(**release))
        except (ValueError, HarnestExtensionError) as error:
            faults.append(_problem(f"releases.{number}", _told(error), place))
    if faults:
        raise SourceError(faults)
    rest = {k: v for k, v in known.items() if k not in {"slug", "project", "releases"}}
    try:
        return RegistryEntry(slug=slug, releases=tuple(releases), **rest)
    except ValueError as error:
        raise SourceError(_problem("releases", _told(error), place)) from None


def _told(error: Exception) -> str:
    if isinstance(error, HarnestExtensionError):
        return error.problems[0].message.rstrip(".")
    return str(error)


def _problem(where: str, text: str, place: str) -> Problem:
    at = f"{where}: " if where else ""
    return rules.ENTRY.problem(f"The entry can't be used: {at}{text}.", path=place)


def _known_only(told: Mapping[str, Any]) -> dict[str, Any]:
    known = {key: value for key, value in told.items() if key in ENTRY["properties"]}
    if isinstance(known.get("releases"), list):
        known["releases"] = [
            {key: value for key, value in release.items() if key in RELEASE["properties"]}
            if isinstance(release, dict)
            else release
            for release in known["releases"]
        ]
    return known
