"""Versions held against PEP 440 ranges, each pair once: a search asks the same again and again."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

__all__ = ["holds", "is_empty", "version_key"]


@lru_cache(maxsize=65536)
def holds(specifier: str, version: str) -> bool:
    """Return whether a version lies in a range; one that can't be read holds no version.

    Pre-releases are judged like any other version; whether they are wanted is no matter of ranges.

    Args:
        specifier: PEP 440 clauses separated by commas; empty for any version.
        version: PEP 440 version.
    """
    if not specifier:
        return True
    parsed = _parsed(specifier)
    return parsed is not None and parsed.contains(version_key(version), prereleases=True)


def is_empty(specifier: str) -> bool:
    """Return whether no version at all lies in a range that can be read, such as ``>=1,<1``."""
    parsed = _parsed(specifier)
    return parsed is not None and parsed.is_unsatisfiable()


@lru_cache(maxsize=4096)
def version_key(text: str) -> Version:
    """Return a PEP 440 version as something that compares."""
    from packaging.version import Version  # noqa: PLC0415 - 15 ms that a refusal never needs

    return Version(text)


@lru_cache(maxsize=4096)
def _parsed(specifier: str) -> SpecifierSet | None:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # noqa: PLC0415 - likewise

    try:
        return SpecifierSet(specifier)
    except InvalidSpecifier:
        return None
