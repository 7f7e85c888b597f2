"""The releases of each name in the order of preference, asked of the provider once.

Preference is: what the user handed over; what is installed, unless an upgrade is asked; then the
newest version, and of one version the highest build.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.resolution.need import Need, Root
from harnest_ext.resolution.ranges import version_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnest_ext.identity import Slug
    from harnest_ext.resolution.candidate import Candidate, Facts
    from harnest_ext.resolution.provider import CandidateProvider
    from harnest_ext.resolution.request import Installed, ResolutionRequest

__all__ = ["Catalog", "roots_of"]


class Catalog:
    """What there is to choose from for one request.

    Args:
        request: What is asked.
        provider: Who knows releases; asked at most once for each name and each release, and
            not at all for a name of which the installed copy will do.
        share: An earlier catalog of the same provider, whose answers are used again.
    """

    def __init__(
        self,
        request: ResolutionRequest,
        provider: CandidateProvider,
        share: Catalog | None = None,
    ) -> None:
        self.request = request
        self.provider = provider
        self._listed: dict[Slug, tuple[Candidate, ...]] = share._listed if share else {}  # noqa: SLF001 - of the same class
        self._facts: dict[int, Facts] = share._facts.copy() if share else {}  # noqa: SLF001 - likewise
        self._given = {item.candidate.slug: item.candidate for item in request.given}
        self._installed = {item.candidate.slug: item for item in request.installed}
        self._wanted = {item.slug for item in request.wanted}
        self._facts |= {id(item.candidate): item.facts for item in request.given}
        self._facts |= {id(item.candidate): item.facts for item in request.installed}

    def listed(self, slug: Slug) -> tuple[Candidate, ...]:
        """Return every release of the source that the name is taken from, newest first."""
        if slug not in self._listed:
            found = self.provider.candidates(slug)
            key = lambda item: (version_key(item.version), item.build, item.filename)  # noqa: E731
            self._listed[slug] = tuple(sorted(found, key=key, reverse=True))
        return self._listed[slug]

    def ordered(self, slug: Slug) -> Iterator[Candidate]:
        """Yield the releases that may be chosen, the most preferred first."""
        installed = self._installed.get(slug)
        if slug in self._given:
            yield self._given[slug]
        elif installed is not None:
            yield from self._beside(installed)
        elif self.request.add_missing or slug in self._wanted:
            yield from self.listed(slug)

    def _beside(self, installed: Installed) -> Iterator[Candidate]:
        present = installed.candidate
        asked = present.slug in self._wanted or present.slug in self.request.upgrade
        if installed.pinned or not (installed.replaceable or asked):
            yield present
        elif present.slug not in self.request.upgrade:
            yield present
            yield from self.listed(present.slug)
        else:
            have = version_key(present.version)
            others = self.listed(present.slug)
            yield from (item for item in others if version_key(item.version) >= have)
            yield present
            yield from (item for item in others if version_key(item.version) < have)

    def facts(self, candidate: Candidate) -> Facts:
        """Return what a release demands.

        Raises:
            InvalidExtension: The release is no valid package.
            SourceError: The source failed.
        """
        known = self._facts.get(id(candidate))
        if known is None:
            known = self._facts[id(candidate)] = self.provider.facts(candidate)
        return known


def roots_of(request: ResolutionRequest) -> tuple[Need, ...]:
    """Return what must hold whatever is chosen: typed, handed over, recorded, pinned, present."""
    from harnest_ext.manifest.requirement import ExtensionRequirement  # noqa: PLC0415 - see need

    def exactly(candidate: Candidate) -> ExtensionRequirement:
        return ExtensionRequirement(slug=candidate.slug, specifier=f"=={candidate.version}")

    asked = {item.slug for item in request.wanted} | {i.candidate.slug for i in request.given}
    pinned = [item.candidate for item in request.installed if item.pinned]
    needs = [Need(requirement=exactly(item), root=Root.PINNED) for item in pinned]
    needs += [Need(requirement=item, root=Root.ASKED) for item in request.wanted]
    needs += [Need(requirement=exactly(i.candidate), root=Root.GIVEN) for i in request.given]
    for item in sorted(request.installed, key=lambda item: item.candidate.slug):
        slug = item.candidate.slug
        if item.pinned or slug in asked:
            continue
        if item.requirement is not None:
            needs.append(Need(requirement=item.requirement, root=Root.RECORDED))
        else:
            plain = ExtensionRequirement(slug=slug)
            needs.append(Need(requirement=plain, root=Root.PRESENT))
    return tuple(needs)
