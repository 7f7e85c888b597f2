"""What is held against a candidate before it may be imported."""

from __future__ import annotations

import operator
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from harnest_ext.errors import HarnestExtensionError
from harnest_ext.runtime import rules
from harnest_ext.runtime.candidate import Origin

if TYPE_CHECKING:
    from harnest_ext.host import Host
    from harnest_ext.problem import Problem
    from harnest_ext.runtime.candidate import Candidate

__all__ = ["objections"]

_NUMBER: Final = r"[0-9]{1,9}"
_RELEASE = re.compile(rf"{_NUMBER}(?:\.{_NUMBER}){{0,5}}", re.ASCII)
_CLAUSE = re.compile(rf"(==|!=|>=|<=|>|<) *({_RELEASE.pattern})", re.ASCII)
_HOLDS: Final = {
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}


def objections(candidate: Candidate, host: Host) -> list[Problem]:
    """Return why a candidate may not be loaded; empty if nothing speaks against it."""
    return [*_ranges(candidate, host), *_content(candidate)]


def _ranges(candidate: Candidate, host: Host) -> list[Problem]:
    problems = []
    for rule, wanted, running, what in (
        (rules.HOST_RANGE, candidate.host_range, host.harnest_version, "Harnest"),
        (rules.PYTHON_RANGE, candidate.requires_python, host.python_version, "Python"),
    ):
        if wanted and not _within(wanted, running):
            problems.append(
                rule.problem(
                    f"The extension {candidate.slug!r} is not for this {what}.",
                    path=candidate.slug,
                    expected=wanted,
                    got=f"{what} {running}",
                )
            )
    return problems


@lru_cache(maxsize=256)
def _within(wanted: str, running: str) -> bool:
    plain = _plainly_within(wanted, running)
    return _strictly_within(wanted, running) if plain is None else plain


def _plainly_within(wanted: str, running: str) -> bool | None:
    # Nearly all ranges compare plain numbers; the packages that know the rest take a third of the
    # time of a whole activation to import.
    if not _RELEASE.fullmatch(running):
        return None
    for clause in wanted.split(","):
        match = _CLAUSE.fullmatch(clause.strip())
        if match is None:
            return None
        if not _HOLDS[match[1]](_numbers(running), _numbers(match[2])):
            return False
    return True


def _numbers(release: str) -> list[int]:
    numbers = [int(part) for part in release.split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()  # 1.0 is 1.0.0
    return numbers


def _strictly_within(wanted: str, running: str) -> bool:
    from packaging.specifiers import (  # noqa: PLC0415 - only an extension with a range pays for it
        InvalidSpecifier,
        SpecifierSet,
    )

    try:
        return SpecifierSet(wanted).contains(running, prereleases=True)
    except InvalidSpecifier:
        return False


def _content(candidate: Candidate) -> list[Problem]:
    if candidate.origin is not Origin.PROJECT:
        return []
    from harnest_ext.package.digest import digest_of_folder  # noqa: PLC0415 - copies alone need it

    try:
        found = digest_of_folder(candidate.folder)
    except FileNotFoundError:
        return [_missing(candidate)]
    except (OSError, HarnestExtensionError) as error:
        return [unreadable(candidate.slug, type(error).__name__)]
    if found.digest == candidate.digest:
        return []
    return [
        rules.MODIFIED_COPY.problem(
            f"The copy of the extension {candidate.slug!r} was changed after it was installed.",
            path=str(candidate.folder),
            expected=candidate.digest,
            got=found.digest,
        )
    ]


def _missing(candidate: Candidate) -> Problem:
    return rules.MISSING_COPY.problem(
        f"The files of the extension {candidate.slug!r} are not there.",
        path=str(candidate.folder),
    )


def unreadable(slug: str, reason: str) -> Problem:
    """Return the problem of an extension that can't be read; the reason is an exception's type."""
    return rules.UNREADABLE.problem(
        f"The extension {slug!r} can't be read ({reason}).",
        path=slug,
    )
