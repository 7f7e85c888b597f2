"""Why there is no solution, in few lines: the chains from the roots to the clash.

The same request gives the same text: whatever is shown is in the order in which the resolver,
which is deterministic, met it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.resolution import rules
from harnest_ext.resolution.need import Root
from harnest_ext.resolution.trace import clash_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnest_ext.resolution.candidate import Candidate
    from harnest_ext.resolution.catalog import Catalog
    from harnest_ext.resolution.eligibility import Eligibility, PassedOver
    from harnest_ext.resolution.trace import Cause, Clash, DeadEnd, Trace
    from harnest_ext.rule import Rule

__all__ = ["Explanation", "explain"]

_KNOWN_SHOWN = 8
"""Most versions that are listed for a name."""


class Explanation:
    """What a refusal is made of.

    Attributes:
        clash: The requirements that nothing satisfies.
        rule: The rule that says why.
        message: One sentence.
        details: Chains and what is known of the name, within the bound of lines.
        passed: The releases that would satisfy the ranges but are passed over.
    """

    def __init__(
        self, trace: Trace, clash: Clash, catalog: Catalog, eligibility: Eligibility
    ) -> None:
        self.clash = clash
        self._trace = trace
        self._listed = tuple(catalog.ordered(clash.slug))
        self._add_missing = catalog.request.add_missing
        self.passed = self._passed_over(eligibility)
        self.rule = self._rule()
        self.message = self._message()
        self.details = self._details()

    def _passed_over(self, eligibility: Eligibility) -> tuple[PassedOver, ...]:
        fitting = [
            candidate
            for candidate in self._listed
            if all(need.admits(candidate.version) for need in self.clash.needs)
        ]
        verdicts = (eligibility.verdict(candidate, self.clash.needs) for candidate in fitting)
        return tuple(verdict for verdict in verdicts if verdict is not None)

    def _rule(self) -> Rule:
        if not self._listed:
            return rules.UNKNOWN if self._add_missing else rules.NO_DEPS
        if self.passed:
            return rules.BY_REASON[self.passed[0].reason]
        if len(self.clash.causes) == 1 and self.clash.causes[0][1] is None:
            return rules.NO_RELEASE
        return rules.CONFLICT

    def _message(self) -> str:
        slug = self.clash.slug
        if self.rule is rules.UNKNOWN:
            return f"{_who(self.clash.causes[0])}, and no extension of that name is known."
        if self.rule is rules.NO_DEPS:
            return f"{_who(self.clash.causes[0])}, which is not installed, and --no-deps is set."
        if self.passed:
            return f"No release of {slug} can be used: {slug} {_why(self.passed[0])}."
        if len(self.clash.causes) == 1:
            return f"{_who(self.clash.causes[0])}, and there is no such release."
        parties = list(dict.fromkeys(_party(cause) for cause in self.clash.causes))
        return f"{_listing(parties)} can't agree on one release of {slug}."

    def _details(self) -> tuple[str, ...]:
        room = limits.EXPLANATION_LINES - 4  # the message, what is known and where, the remedy
        chains = list(dict.fromkeys(self._chain(cause) for cause in self.clash.causes))
        if len(chains) > room:
            chains = [*chains[: room - 1], f"... and {len(chains) - room + 1} more"]
        return (*chains, self._known(), *self._elsewhere())

    def _chain(self, cause: Cause) -> str:
        links = [_link(item) for item in self._trace.chain(cause)]
        most = limits.EXPLANATION_LINKS
        if len(links) > most:
            cut = len(links) - most + 1
            links = [*links[: most // 2], f"{cut} more", *links[-(most - 1 - most // 2) :]]
        return " -> ".join(links)

    def _elsewhere(self) -> tuple[str, ...]:
        """Which place has the name alone, when another one may have what was asked for."""
        origin = self._listed[0].origin if self._listed else None
        if self.rule is not rules.NO_RELEASE or origin is None or origin.kind != "registry":
            return ()
        slug = self.clash.slug
        return (f"these are in {origin}; --index-only {slug} asks the package index instead",)

    def _known(self) -> str:
        if not self._listed:
            return f"{self.clash.slug}: no release is known"
        if len(self.passed) > 1:
            shown = [f"{item.candidate.version} {item.text}" for item in self.passed[:3]]
            return f"{self.clash.slug}: {'; '.join(shown)}"
        versions = list(dict.fromkeys(candidate.version for candidate in self._listed))
        more = f" and {len(versions) - _KNOWN_SHOWN} more" if len(versions) > _KNOWN_SHOWN else ""
        return f"{self.clash.slug}: known are {', '.join(versions[:_KNOWN_SHOWN])}{more}"


def explain(dead_end: DeadEnd, catalog: Catalog, eligibility: Eligibility) -> Explanation:
    """Return the explanation of a dead end.

    Args:
        dead_end: What the search ended with.
        catalog: The catalog that was searched.
        eligibility: The judge that was asked.
    """
    trace = dead_end.trace
    final = _final_clashes(dead_end.causes, catalog, eligibility, trace)
    clash = _leaf((final or trace.clashes)[0], trace, catalog)
    return Explanation(trace, clash, catalog, eligibility)


def _final_clashes(
    causes: Sequence[Cause], catalog: Catalog, eligibility: Eligibility, trace: Trace
) -> list[Clash]:
    """The last dead end's clashes for which really nothing is left."""
    grouped: dict[str, list[Cause]] = {}
    for cause in causes:
        grouped.setdefault(cause[0].slug, []).append(cause)
    clashes = [clash_of(group) for group in grouped.values()]
    return [clash for clash in clashes if not _open(clash, catalog, eligibility, trace)]


def _open(clash: Clash, catalog: Catalog, eligibility: Eligibility, trace: Trace) -> bool:
    return any(
        all(need.admits(candidate.version) for need in clash.needs)
        and id(candidate) not in trace.hopeless
        and eligibility.verdict(candidate, clash.needs) is None
        for candidate in catalog.ordered(clash.slug)
    )


def _leaf(clash: Clash, trace: Trace, catalog: Catalog) -> Clash:
    """Follow a clash down to where it comes from: what the release that would do lacks itself."""
    seen: set[int] = set()
    while True:
        deeper = next((c for c in _hopeless(clash, trace, catalog) if id(c) not in seen), None)
        if deeper is None:
            return clash
        seen.add(id(deeper))
        clash = trace.hopeless[id(deeper)]


def _hopeless(clash: Clash, trace: Trace, catalog: Catalog) -> list[Candidate]:
    return [
        candidate
        for candidate in catalog.ordered(clash.slug)
        if id(candidate) in trace.hopeless
        and all(need.admits(candidate.version) for need in clash.needs)
    ]


def _link(cause: Cause) -> str:
    need, parent = cause
    if parent is not None:
        return f"{parent} needs {need.requirement}"
    return f"{(need.root or Root.ASKED).value} {need.requirement}"


def _who(cause: Cause) -> str:
    text = _link(cause)
    return text[:1].upper() + text[1:] if cause[1] is None else text


def _party(cause: Cause) -> str:
    need, parent = cause
    return str(parent) if parent is not None else _link((need, None))


def _why(passed: PassedOver) -> str:
    return f"{passed.candidate.version} {passed.text}".rstrip(".")


def _listing(parties: list[str]) -> str:
    shown = parties[:4]
    if len(parties) > len(shown):
        shown.append(f"{len(parties) - len(shown)} more")
    text = f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else shown[0]
    return text[:1].upper() + text[1:] if text.startswith("you") else text
