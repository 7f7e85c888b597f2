"""What to tell of a name that no place has: where it was looked for, what was probably meant."""

from __future__ import annotations

import difflib
from dataclasses import replace
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.errors import SourceError
from harnest_ext.sources import rules
from harnest_ext.sources.ordinary import is_ordinary

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from harnest_ext.identity import Slug
    from harnest_ext.problem import Problem
    from harnest_ext.sources.index.index import PackageIndex

__all__ = ["absence"]


def absence(
    slug: Slug, known: Collection[str], looked: Sequence[str], index: PackageIndex | None
) -> Problem:
    """Return the problem that a name is not there.

    Args:
        slug: The name.
        known: Names of extensions that are known.
        looked: The places where it was looked for, in order.
        index: The package index, if one may be asked whether this is an ordinary package.
    """
    close = close_names(slug, known)
    if not close and _is_ordinary(slug, index):
        message = f"'{slug}' is an ordinary Python package, not an extension."
        return rules.NOT_AN_EXTENSION.problem(message, path=slug)
    problem = rules.UNKNOWN.problem(
        f"There is no extension '{slug}' (project {slug.distribution}).",
        path=slug,
        remedy=_remedy(close, index),
    )
    return replace(problem, details=(f"looked in: {', '.join(looked) or 'no place at all'}",))


def close_names(text: str, known: Collection[str]) -> list[str]:
    """Return known names that ``text`` may have been meant for, the likeliest first.

    A name that differs in separators alone stands before all others.
    """
    bare = text.replace("_", "")
    same = sorted(name for name in known if name.replace("_", "") == bare)
    near = difflib.get_close_matches(text, sorted(known), n=limits.CLOSE_NAMES)
    return list(dict.fromkeys([*same, *near]))[: limits.CLOSE_NAMES]


def _is_ordinary(slug: Slug, index: PackageIndex | None) -> bool:
    if is_ordinary(slug):
        return True
    try:
        return index is not None and index.has_project(slug)
    except SourceError:
        return False  # the question is asked for a better message alone


def _remedy(close: list[str], index: PackageIndex | None) -> str:
    only = "Only projects named harnest-extension-* are extensions."
    if close:
        return f"Did you mean {' or '.join(close)}? {only}"
    if index is None:
        return (
            f"{only} No package index was asked: name one by --index-url URL, by index-url in "
            "[tool.harnest] of the agent's pyproject.toml, or in the configuration of pip or uv."
        )
    return f"Check the name: harnest extensions search lists what can be installed. {only}"
