"""From what a registry's file says to an entry, every fault told at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harnest_ext.errors import SourceError
from harnest_ext.sources.registry import rules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnest_ext.identity import Slug
    from harnest_ext.problem import Problem
    from harnest_ext.sources.registry.model import RegistryEntry

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
    from pydantic import ValidationError  # noqa: PLC0415 - 60 ms that only look-ups pay

    from harnest_ext.sources.registry.model import RegistryEntry  # noqa: PLC0415 - likewise

    try:
        entry = RegistryEntry.model_validate(_known_only(told) if lenient else dict(told))
    except ValidationError as error:
        raise SourceError([_problem(fault, place) for fault in error.errors()]) from None
    except RecursionError:
        raise SourceError(rules.ENTRY.problem("It is nested too deeply.", path=place)) from None
    if entry.slug != slug:
        message = "The entry is about another extension."
        raise SourceError(rules.ENTRY.problem(message, path=place, expected=slug, got=entry.slug))
    return entry


def _problem(fault: Mapping[str, Any], place: str) -> Problem:
    where = ".".join(str(part) for part in fault["loc"])
    text = str(fault["msg"]).removeprefix("Value error, ").partition("\n")[0]
    at = f"{where}: " if where else ""
    return rules.ENTRY.problem(f"The entry can't be used: {at}{text}.", path=place)


def _known_only(told: Mapping[str, Any]) -> dict[str, Any]:
    from harnest_ext.sources.registry.model import (  # noqa: PLC0415 - as above
        RegistryEntry,
        RegistryRelease,
    )

    known = {key: value for key, value in told.items() if key in RegistryEntry.model_fields}
    if isinstance(known.get("releases"), list):
        known["releases"] = [
            {key: value for key, value in release.items() if key in RegistryRelease.model_fields}
            if isinstance(release, dict)
            else release
            for release in known["releases"]
        ]
    return known
