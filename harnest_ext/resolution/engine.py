"""`resolvelib` set to work on our catalog: the only module that knows the library.

Beside what the library does by itself, a release whose own requirement nothing can satisfy is
remembered and never tried again; without that, every combination of the releases that lead to it
would be tried in turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from resolvelib import AbstractProvider, BaseReporter
from resolvelib.resolvers import Resolution, ResolutionImpossible, ResolutionTooDeep

from harnest_ext import limits
from harnest_ext.resolution.catalog import Catalog, roots_of
from harnest_ext.resolution.eligibility import Eligibility, Reason
from harnest_ext.resolution.straight import fitting, needs_of
from harnest_ext.resolution.trace import DeadEnd, TooHard, Trace, clash_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from resolvelib.resolvers import Criterion
    from resolvelib.structs import RequirementInformation

    from harnest_ext.identity import Slug
    from harnest_ext.resolution.candidate import Candidate
    from harnest_ext.resolution.need import Need

    _Information: TypeAlias = RequirementInformation[Need, Candidate]

__all__ = ["search"]


_OPENED_BY_NAMING = frozenset({Reason.PRERELEASE, Reason.YANKED})


def search(
    catalog: Catalog, eligibility: Eligibility, rounds: int = limits.RESOLUTION_ROUNDS
) -> dict[Slug, Candidate]:
    """Return one release for each name that is needed.

    Args:
        catalog: What there is to choose from, and the request.
        eligibility: Which releases come into question.
        rounds: Most steps, at least 1.

    Raises:
        DeadEnd: There is no solution.
        TooHard: None was found within ``rounds`` steps.
        SourceError: A source failed.
    """
    trace = Trace()
    provider = _Provider(catalog, eligibility, trace)
    run = Resolution(provider, _Recorder(provider, trace))
    roots = roots_of(catalog.request)
    try:
        state = run.resolve(roots, max_rounds=rounds)
    except ResolutionImpossible as impossible:
        causes = [(cause.requirement, cause.parent) for cause in impossible.causes]
        raise DeadEnd(trace, causes) from None
    except ResolutionTooDeep:
        raise TooHard(trace) from None
    return _reached(catalog, roots, state.mapping)


def _reached(
    catalog: Catalog, roots: Iterable[Need], mapping: Mapping[Slug, Candidate]
) -> dict[Slug, Candidate]:
    """What the roots lead to; a search may leave over what a release given up had required.

    The library's own way of finding this is a recursion that a ring left over never ends.
    """
    found: dict[Slug, Candidate] = {}
    todo = [root.slug for root in roots]
    while todo:
        slug = todo.pop()
        if slug not in found:
            found[slug] = mapping[slug]
            todo += [item.slug for item in catalog.facts(found[slug]).requires]
    return found


class _Provider(AbstractProvider["Need", "Candidate", "Slug"]):
    """The library's port, on the catalog."""

    def __init__(self, catalog: Catalog, eligibility: Eligibility, trace: Trace) -> None:
        self._catalog = catalog
        self._eligibility = eligibility
        self._trace = trace

    def identify(self, requirement_or_candidate: Need | Candidate) -> Slug:
        return requirement_or_candidate.slug

    def get_preference(
        self,
        identifier: Slug,
        resolutions: Mapping[Slug, Candidate],
        candidates: Mapping[Slug, Iterator[Candidate]],
        information: Mapping[Slug, Iterator[_Information]],
        backtrack_causes: Sequence[_Information],
    ) -> tuple[bool, bool, str]:
        """What clashed last first, then what is fixed to one version, then by name."""
        del resolutions, candidates
        clashed = any(cause.requirement.slug == identifier for cause in backtrack_causes)
        fixed = any(
            "==" in info.requirement.requirement.specifier for info in information[identifier]
        )
        return (not clashed, not fixed, identifier)

    def find_matches(
        self,
        identifier: Slug,
        requirements: Mapping[Slug, Iterator[Need]],
        incompatibilities: Mapping[Slug, Iterator[Candidate]],
    ) -> Callable[[], Iterator[Candidate]]:
        needs = tuple(requirements[identifier])
        tried = {id(candidate) for candidate in incompatibilities[identifier]}
        return lambda: (c for c in self.fitting(identifier, needs) if id(c) not in tried)

    def fitting(self, slug: Slug, needs: Sequence[Need]) -> Iterator[Candidate]:
        """Yield the releases that these requirements leave, the preferred first."""
        for candidate in fitting(self._catalog, self._eligibility, slug, needs):
            if id(candidate) not in self._trace.hopeless:
                yield candidate

    def may_open(self, slug: Slug, needs: Sequence[Need]) -> bool:
        """Whether a further requirement could let in a release that these leave out."""
        admitted = (
            candidate
            for candidate in self._catalog.ordered(slug)
            if all(need.admits(candidate.version) for need in needs)
        )
        verdicts = (self._eligibility.verdict(candidate, needs) for candidate in admitted)
        return any(v is not None and v.reason in _OPENED_BY_NAMING for v in verdicts)

    def is_satisfied_by(self, requirement: Need, candidate: Candidate) -> bool:
        return requirement.admits(candidate.version)

    def get_dependencies(self, candidate: Candidate) -> list[Need]:
        return needs_of(self._catalog, candidate)


class _Recorder(BaseReporter["Need", "Candidate", "Slug"]):
    """Keeps the trace, and marks hopeless releases."""

    def __init__(self, provider: _Provider, trace: Trace) -> None:
        self._provider = provider
        self._trace = trace
        self._met: set[tuple[Need, int]] = set()

    def adding_requirement(self, requirement: Need, parent: Candidate | None) -> None:
        if (requirement, id(parent)) not in self._met:
            self._met.add((requirement, id(parent)))
            self._trace.stated.setdefault(requirement.slug, []).append((requirement, parent))

    def rejecting_candidate(
        self, criterion: Criterion[Need, Candidate], candidate: Candidate
    ) -> None:
        clash = clash_of((info.requirement, info.parent) for info in criterion.information)
        if next(self._provider.fitting(clash.slug, clash.needs), None) is not None:
            return  # something would do; the library only has tried it before
        self._trace.clashes.append(clash)
        alone = all(parent is candidate for _, parent in clash.causes)
        if alone and not self._provider.may_open(clash.slug, clash.needs):
            self._trace.hopeless[id(candidate)] = clash
