"""Releases in memory, behind the resolver's port."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from harnest_ext.identity import Slug
from harnest_ext.manifest import ExtensionRequirement
from harnest_ext.problem import Problem
from harnest_ext.resolution import Candidate, Facts, Origin, OriginKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["FakeReleases", "candidate", "facts", "need"]

_INDEX = Origin(kind=OriginKind.INDEX, location="memory")


def need(text: str) -> ExtensionRequirement:
    """Return a requirement from text."""
    return ExtensionRequirement.parse(text)


def candidate(text: str, **changes: object) -> Candidate:
    """Return the release that ``"name version"`` names."""
    slug, version = text.split()
    made = Candidate(
        slug=Slug(slug),
        version=version,
        origin=_INDEX,
        filename=f"harnest_extension_{slug}-{version}-py3-none-any.whl",
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def facts(requires: Sequence[str]) -> Facts:
    """Return demands; ``harnest...`` and ``python...`` stand for the host."""
    host = next((r.removeprefix("harnest") for r in requires if r.startswith("harnest")), None)
    python = next((r.removeprefix("python") for r in requires if r.startswith("python")), None)
    others = [r for r in requires if not r.startswith(("harnest", "python"))]
    return Facts(
        requires=tuple(map(need, others)), host_range=host or None, requires_python=python or None
    )


class FakeReleases:
    """A provider that holds what it was given.

    Args:
        releases: ``"name version"`` -> requirements.
        changes: ``"name version"`` -> fields of its candidate, such as ``yanked``.
    """

    def __init__(
        self,
        releases: Mapping[str, Sequence[str]],
        changes: Mapping[str, Mapping[str, object]] | None = None,
    ) -> None:
        self.asked: list[str] = []
        self.read: list[str] = []
        self._candidates = [candidate(t, **(changes or {}).get(t, {})) for t in releases]
        self._facts = {text: facts(requires) for text, requires in releases.items()}

    def candidates(self, slug: Slug) -> list[Candidate]:
        """Return the releases of a name."""
        self.asked.append(slug)
        return [item for item in self._candidates if item.slug == slug]

    def facts(self, candidate: Candidate) -> Facts:
        """Return what a release demands."""
        self.read.append(str(candidate))
        return self._facts[str(candidate)]

    def absent(self, slug: Slug) -> Problem:
        """Say that nothing is known."""
        return Problem(kind="not-found", rule="fake.absent", message=f"{slug} is not known.")
