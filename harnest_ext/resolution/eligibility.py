"""Which releases come into question at all, and why the others are passed over."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnest_ext.errors import InvalidExtension
from harnest_ext.resolution.ranges import holds, version_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnest_ext.problem import Problem
    from harnest_ext.resolution.candidate import Candidate
    from harnest_ext.resolution.catalog import Catalog
    from harnest_ext.resolution.need import Need

__all__ = ["Eligibility", "PassedOver", "Reason"]


class Reason(enum.Enum):
    """Why a release is passed over."""

    BROKEN = "broken"
    COOLDOWN = "cooldown"
    HARNEST = "harnest"
    OBJECTION = "objection"
    PRERELEASE = "prerelease"
    PYTHON = "python"
    YANKED = "yanked"


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedOver:
    """One release that was passed over.

    Attributes:
        candidate: The release.
        reason: Why.
        text: The same as the end of a sentence, such as ``needs Harnest >=2, this is 1.0.0``.
        problems: What its source or its check said; empty for the other reasons.
    """

    candidate: Candidate
    reason: Reason
    text: str
    problems: tuple[Problem, ...] = ()


class Eligibility:
    """Judge of releases for one request; remembers its verdicts.

    Args:
        catalog: Where the facts about releases come from.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._request = catalog.request
        self._given = {id(item.candidate) for item in catalog.request.given}
        self._demands: dict[int, PassedOver | None] = {}

    def verdict(self, candidate: Candidate, needs: Sequence[Need]) -> PassedOver | None:
        """Return why a release is passed over under these requirements; None if it isn't.

        What the project has and what the user handed over is judged by host and Python alone.

        Raises:
            SourceError: What it demands could not be learned.
        """
        if not candidate.installed and id(candidate) not in self._given:
            listed = self._by_listing(candidate, needs)
            if listed is not None:
                return listed
        key = id(candidate)
        if key not in self._demands:
            self._demands[key] = self._by_demands(candidate)
        return self._demands[key]

    def _by_listing(self, candidate: Candidate, needs: Sequence[Need]) -> PassedOver | None:
        found = (
            self._objected(candidate)
            or self._yanked(candidate, needs)
            or self._prerelease(candidate, needs)
            or self._too_young(candidate)
        )
        return found or self._hosted(candidate, candidate.host_range, candidate.requires_python)

    def _objected(self, candidate: Candidate) -> PassedOver | None:
        problem = candidate.objection
        if problem is None:
            return None
        return PassedOver(
            candidate=candidate,
            reason=Reason.OBJECTION,
            text=problem.message,
            problems=(problem,),
        )

    @staticmethod
    def _yanked(candidate: Candidate, needs: Sequence[Need]) -> PassedOver | None:
        if candidate.yanked is None or any(need.pins(candidate.version) for need in needs):
            return None
        why = f": {candidate.yanked}" if candidate.yanked else ""
        return PassedOver(candidate=candidate, reason=Reason.YANKED, text=f"was withdrawn{why}")

    def _prerelease(self, candidate: Candidate, needs: Sequence[Need]) -> PassedOver | None:
        if self._request.prereleases or not version_key(candidate.version).is_prerelease:
            return None
        if any(need.requirement.names_prerelease for need in needs):
            return None
        return PassedOver(
            candidate=candidate, reason=Reason.PRERELEASE, text="is a pre-release; --pre takes it"
        )

    def _too_young(self, candidate: Candidate) -> PassedOver | None:
        bound = self._request.newest_upload
        if bound is None or candidate.origin.kind != "index":
            return None
        if candidate.uploaded is not None and candidate.uploaded <= bound:
            return None
        told = candidate.uploaded
        text = f"was uploaded on {told:%Y-%m-%d}" if told else "has no known upload time"
        return PassedOver(
            candidate=candidate, reason=Reason.COOLDOWN, text=f"{text}, too young for --cooldown"
        )

    def _by_demands(self, candidate: Candidate) -> PassedOver | None:
        try:
            facts = self._catalog.facts(candidate)
        except InvalidExtension as error:
            return PassedOver(
                candidate=candidate,
                reason=Reason.BROKEN,
                text=f"is no valid package: {error.problems[0].message}",
                problems=error.problems,
            )
        return self._hosted(candidate, facts.host_range, facts.requires_python)

    def _hosted(
        self, candidate: Candidate, host: str | None, python: str | None
    ) -> PassedOver | None:
        ours = self._request.host
        if host is not None and not holds(host, ours.harnest_version):
            return PassedOver(
                candidate=candidate,
                reason=Reason.HARNEST,
                text=f"needs Harnest {host}, this is {ours.harnest_version}",
            )
        if python is not None and not holds(python, ours.python_version):
            return PassedOver(
                candidate=candidate,
                reason=Reason.PYTHON,
                text=f"needs Python {python}, this is {ours.python_version}",
            )
        return None
