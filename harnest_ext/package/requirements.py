"""The requirements of a distribution, parsed within bounds and told apart by who meets them.

Host-owned ones - on ``harnest`` and on other extensions - are met by the manager; the rest is left
to the agent's Python environment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.requirements import Requirement

from harnest_ext import limits
from harnest_ext.errors import InvalidExtension
from harnest_ext.identity import DISTRIBUTION_PREFIX, HOST_DISTRIBUTION, Slug, normalized
from harnest_ext.manifest import ExtensionRequirement
from harnest_ext.manifest.requirement import normal_specifier
from harnest_ext.package.rules import project as rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from harnest_ext.package.findings import Findings
    from harnest_ext.rule import Rule

__all__ = ["Needs", "RequirementSource", "merged", "read_requirements"]

_EXTRA = re.compile(r"\bextra\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What a distribution requires.

    Attributes:
        dependencies: Python distributions, PEP 508, in the order given.
        extensions: Other extensions, one requirement for each.
        host_range: Range of Harnest versions in normal form; None if it names none.
    """

    dependencies: tuple[str, ...] = ()
    extensions: tuple[ExtensionRequirement, ...] = ()
    host_range: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RequirementSource:
    """Where requirements stand, for messages.

    Attributes:
        path: File that they are in.
        field: Name of the field.
        syntax: Rule that a requirement breaks which does not parse.
        line_of: Line of a requirement, given its text.
    """

    path: str
    field: str
    syntax: Rule
    line_of: Callable[[str], int | None]


def read_requirements(
    texts: Sequence[str],
    source: RequirementSource,
    own: Slug | None,
    findings: Findings,
) -> Needs:
    """Return what the requirements ask for; everything wrong with them goes to ``findings``.

    A requirement that holds for an extra only is not looked at further: extras are never asked
    for. A host-owned requirement holds whatever its marker says, so that a lock says the same on
    every machine.

    Args:
        texts: The requirements.
        source: Where they stand.
        own: The extension's own name.
        findings: Where problems go.
    """
    if len(texts) > limits.REQUIREMENTS:
        findings.add(
            rules.REQUIREMENTS.problem(
                f"{source.field} is too long.",
                path=source.path,
                expected=f"at most {limits.REQUIREMENTS} requirements",
                got=f"{len(texts)} requirements",
            )
        )
        return Needs()
    parsed = [_parsed(text, source, findings) for text in texts]
    kept = [r for r in parsed if r is not None and not _is_of_an_extra(r)]
    hosts = [r for r in kept if normalized(r.name) == HOST_DISTRIBUTION]
    extensions = [r for r in kept if normalized(r.name).startswith(DISTRIBUTION_PREFIX)]
    others = [r for r in kept if r not in hosts and r not in extensions]
    try:
        return Needs(
            dependencies=tuple(dict.fromkeys(str(r) for r in others)),
            extensions=merged(_extensions(extensions, source, own, findings)),
            host_range=_joined(hosts) if hosts else None,
        )
    except InvalidExtension as error:  # the ranges are too long once they are joined
        findings.extend(error.problems)
        return Needs()


def merged(requirements: Iterable[ExtensionRequirement]) -> tuple[ExtensionRequirement, ...]:
    """Return one requirement for each extension, its ranges joined; sorted by name."""
    ranges: dict[Slug, set[str]] = {}
    for requirement in requirements:
        clauses = {clause for clause in requirement.specifier.split(",") if clause}
        ranges.setdefault(requirement.slug, set()).update(clauses)
    return tuple(
        ExtensionRequirement(slug=slug, specifier=",".join(ranges[slug])) for slug in sorted(ranges)
    )


def _parsed(text: str, source: RequirementSource, findings: Findings) -> Requirement | None:
    if not _is_bounded(text, source, findings):
        return None
    try:
        requirement = _strict(text)
    except ValueError as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        findings.add(
            source.syntax.problem(
                f"A requirement of {source.field} is not valid: {reason}.",
                path=source.path,
                line=source.line_of(text),
                expected="a PEP 508 requirement, such as httpx>=0.27,<1",
                got=text,
            )
        )
        return None
    if requirement.url is None:
        return requirement
    findings.add(
        rules.DIRECT_URL.problem(
            f"A requirement of {source.field} names a direct URL.",
            path=source.path,
            line=source.line_of(text),
            expected="a name and a range",
            got=f"{requirement.name} @ ...",
        )
    )
    return None


def _strict(text: str) -> Requirement:
    """Return the requirement, or raise a ValueError that says why it is none."""
    depth = deepest = 0
    for ch in text:
        depth += (ch == "(") - (ch == ")")
        deepest = max(deepest, depth)
    if deepest > limits.REQUIREMENT_PARENTHESES:
        raise ValueError(f"more than {limits.REQUIREMENT_PARENTHESES} parentheses are open at once")
    requirement = Requirement(text)
    try:
        normal_specifier(str(requirement.specifier))
    except InvalidExtension as error:
        raise ValueError(error.problems[0].message) from None
    return requirement


def _is_bounded(text: str, source: RequirementSource, findings: Findings) -> bool:
    clauses = text.count(",") + 1
    if len(text) <= limits.REQUIREMENT_CHARACTERS and clauses <= limits.REQUIREMENT_CLAUSES:
        return True
    findings.add(
        rules.REQUIREMENT_SIZE.problem(
            f"A requirement of {source.field} is too long.",
            path=source.path,
            line=source.line_of(text),
            expected=f"at most {limits.REQUIREMENT_CLAUSES} clauses and "
            f"{limits.REQUIREMENT_CHARACTERS} characters",
            got=f"{clauses} clauses and {len(text)} characters",
        )
    )
    return False


def _is_of_an_extra(requirement: Requirement) -> bool:
    return requirement.marker is not None and bool(_EXTRA.search(str(requirement.marker)))


def _joined(requirements: Iterable[Requirement]) -> str:
    return normal_specifier(",".join(str(r.specifier) for r in requirements if str(r.specifier)))


def _extensions(
    requirements: Iterable[Requirement],
    source: RequirementSource,
    own: Slug | None,
    findings: Findings,
) -> Iterator[ExtensionRequirement]:
    for requirement in requirements:
        slug = Slug.from_distribution(requirement.name)
        if slug is None or slug == own:
            what = "the extension itself" if slug else "no valid extension"
            findings.add(
                rules.EXTENSION.problem(
                    f"A requirement of {source.field} names {what}.",
                    path=source.path,
                    line=source.line_of(str(requirement)),
                    got=requirement.name,
                )
            )
            continue
        yield ExtensionRequirement(slug=slug, specifier=str(requirement.specifier))
