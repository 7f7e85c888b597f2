"""The nearest change with which a conflict would resolve: found by trying, never guessed.

A pin is lifted first, then what the user typed is changed, then what the project records, then
what is there at all.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.errors import HarnestExtensionError
from harnest_ext.manifest.requirement import ExtensionRequirement
from harnest_ext.resolution.catalog import Catalog
from harnest_ext.resolution.eligibility import Eligibility
from harnest_ext.resolution.trace import DeadEnd, TooHard

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnest_ext.identity import Slug
    from harnest_ext.resolution.candidate import Candidate
    from harnest_ext.resolution.request import ResolutionRequest

__all__ = ["nearest_change"]


def nearest_change(catalog: Catalog) -> str:
    """Return a sentence with the first change that works, or ``""`` when none of them does.

    Args:
        catalog: The catalog of the request that has no solution; its answers are used again.
    """
    changes = _changes(catalog.request)
    for text, request, slug in islice(changes, limits.RESOLUTION_TRIALS):
        found = _trial(request, catalog)
        if found is not None:
            gives = f" ({slug} {found[slug].version})" if slug in found else ""
            return f"This would work: {text}{gives}."
    return ""


def _trial(request: ResolutionRequest, catalog: Catalog) -> dict[Slug, Candidate] | None:
    from harnest_ext.resolution.engine import search  # noqa: PLC0415 - it loads resolvelib

    trial = Catalog(request, catalog.provider, share=catalog)
    try:
        return search(trial, Eligibility(trial), limits.RESOLUTION_TRIAL_ROUNDS)
    except (DeadEnd, TooHard, HarnestExtensionError):
        return None  # a change that can't be tried is none to propose


_Change = tuple[str, "ResolutionRequest", "Slug"]


def _changes(request: ResolutionRequest) -> Iterator[_Change]:
    yield from _of_pins(request)
    yield from _of_wanted(request)
    yield from _of_installed(request)
    yield from _of_policy(request)
    yield from _of_roots(request)


def _of_wanted(request: ResolutionRequest) -> Iterator[_Change]:
    wanted = request.wanted
    for at, need in enumerate(wanted):
        rest = (*wanted[:at], *wanted[at + 1 :])
        if not need.specifier:
            continue
        if any(other.slug == need.slug for other in rest):
            yield f"leave out {need}", replace(request, wanted=rest), need.slug
        else:
            plain = ExtensionRequirement(slug=need.slug)
            changed = replace(request, wanted=(*wanted[:at], plain, *wanted[at + 1 :]))
            yield f"ask for {need.slug} instead of {need}", changed, need.slug


def _of_pins(request: ResolutionRequest) -> Iterator[_Change]:
    for item in request.installed:
        if item.pinned:
            others = tuple(other for other in request.installed if other is not item)
            changed = replace(request, installed=(*others, replace(item, pinned=False)))
            slug = item.candidate.slug
            yield f"harnest extensions unpin {slug}", changed, slug


def _of_installed(request: ResolutionRequest) -> Iterator[_Change]:
    for item in request.installed:
        slug = item.candidate.slug
        others = tuple(other for other in request.installed if other is not item)
        if item.pinned:
            continue
        if item.requirement is not None and item.requirement.specifier:
            free = replace(item, requirement=ExtensionRequirement(slug=slug))
            text = f"widen {item.requirement} in the project's pyproject.toml"
            yield text, replace(request, installed=(*others, free)), slug
        elif not item.replaceable:
            free = replace(item, replaceable=True, requirement=None)
            text = f"install {slug} by name, in place of the copy of {item.candidate.origin}"
            yield text, replace(request, installed=(*others, free)), slug


def _of_policy(request: ResolutionRequest) -> Iterator[_Change]:
    named = next((need.slug for need in request.wanted), None)
    present = [item.candidate.slug for item in request.given]
    present += [item.candidate.slug for item in request.installed]
    slug = named or next(iter(present), None)
    if slug is None:
        return
    if not request.prereleases:
        yield "add --pre, which takes pre-releases", replace(request, prereleases=True), slug
    if request.newest_upload is not None:
        yield "leave out --cooldown", replace(request, newest_upload=None), slug
    if not request.add_missing:
        yield "leave out --no-deps", replace(request, add_missing=True), slug


def _of_roots(request: ResolutionRequest) -> Iterator[_Change]:
    asked = len(request.wanted) + len(request.given)
    for at, need in enumerate(request.wanted):
        if asked > 1:
            rest = (*request.wanted[:at], *request.wanted[at + 1 :])
            yield f"leave out {need}", replace(request, wanted=rest), need.slug
    for item in request.installed:
        rest_installed = tuple(other for other in request.installed if other is not item)
        slug = item.candidate.slug
        text = f"harnest extensions uninstall {slug}"
        yield text, replace(request, installed=rest_installed), slug
