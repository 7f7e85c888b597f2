"""A requirement of one extension on another: a name with an optional PEP 440 range.

`packaging` is imported only when there is a range to look at, so that a lock of bare names costs
nothing to read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.errors import InvalidExtension
from harnest_ext.identity import Slug
from harnest_ext.manifest import rules

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

    from harnest_ext.problem import Problem

__all__ = ["ExtensionRequirement", "normal_specifier"]

_TEXT = re.compile(r"[ \t]*([A-Za-z0-9_.-]+)[ \t]*([^A-Za-z0-9_.\- \t].*)?", re.ASCII | re.DOTALL)
_OPERATOR = re.compile(r"===|==|~=|!=|>=|<=|>|<")
_ORDER = ("===", "==", "~=", ">", ">=", "<", "<=", "!=")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtensionRequirement:
    """A name and the versions of it that will do.

    Attributes:
        slug: Name of the extension that is required.
        specifier: PEP 440 range in normal form (see :func:`normal_specifier`); empty for any.

    Raises:
        InvalidExtension: rule ``manifest.requirement`` or ``manifest.requirement-size``.
    """

    slug: Slug
    specifier: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "slug", Slug(self.slug))
        object.__setattr__(self, "specifier", normal_specifier(self.specifier))

    @classmethod
    def parse(cls, text: str) -> ExtensionRequirement:
        """Return the requirement that ``text`` states, such as ``rag`` or ``rag>=0.1,<1``.

        Raises:
            InvalidExtension: when the name or the range is not valid.
        """
        if len(text) > limits.REQUIREMENT_CHARACTERS:
            raise InvalidExtension(
                rules.REQUIREMENT_SIZE.problem(
                    f"A requirement has {len(text)} characters.",
                    expected=f"at most {limits.REQUIREMENT_CHARACTERS} characters",
                    got=text,
                )
            )
        match = _TEXT.fullmatch(text)
        if match is None:
            raise InvalidExtension(
                rules.REQUIREMENT.problem(
                    "A requirement does not begin with the name of an extension.",
                    expected="a name and an optional range, such as rag>=0.1,<1",
                    got=text,
                )
            )
        return cls(slug=Slug(match[1]), specifier=(match[2] or "").strip())

    def contains(self, version: str, *, prereleases: bool = False) -> bool:
        """Return whether ``version`` satisfies the range.

        Args:
            version: A PEP 440 version.
            prereleases: Whether a pre-release may satisfy it. A range that itself names a
                pre-release admits pre-releases in any case.
        """
        return _specifiers(self.specifier).contains(
            version, prereleases=prereleases or self.names_prerelease
        )

    @property
    def names_prerelease(self) -> bool:
        """Whether the range itself names a pre-release, and so admits pre-releases."""
        return bool(self.specifier) and bool(_specifiers(self.specifier).prereleases)

    def __str__(self) -> str:
        return f"{self.slug}{self.specifier}"


def normal_specifier(text: str) -> str:
    """Return a PEP 440 range in its normal form: exact and lower bounds first, no spaces.

    Args:
        text: Clauses separated by commas, such as ``"<1, >= 0.1"``; may be empty.

    Returns:
        Each clause once, ordered by operator and text: ``">=0.1,<1"``.

    Raises:
        InvalidExtension: rule ``manifest.requirement`` or ``manifest.requirement-size``.
    """
    if not text.strip():
        return ""
    clauses = [clause.strip() for clause in text.split(",")]
    longest = max(map(len, clauses))
    if len(clauses) > limits.REQUIREMENT_CLAUSES or longest > limits.CLAUSE_CHARACTERS:
        raise InvalidExtension(
            rules.REQUIREMENT_SIZE.problem(
                f"A range has {len(clauses)} clauses, the longest of {longest} characters.",
                expected=f"at most {limits.REQUIREMENT_CLAUSES} clauses of "
                f"{limits.CLAUSE_CHARACTERS} characters",
            )
        )
    from packaging.specifiers import InvalidSpecifier, Specifier  # noqa: PLC0415 - see above

    try:
        parts = {str(Specifier(clause)) for clause in clauses if clause}
    except InvalidSpecifier:
        raise InvalidExtension(_not_a_range(text)) from None
    return ",".join(sorted(parts, key=_position))


@lru_cache(maxsize=512)
def _specifiers(text: str) -> SpecifierSet:
    from packaging.specifiers import SpecifierSet  # noqa: PLC0415 - see module docstring

    return SpecifierSet(text)


def _position(clause: str) -> tuple[int, str]:
    match = _OPERATOR.match(clause)
    return (_ORDER.index(match[0]) if match else len(_ORDER), clause)


def _not_a_range(text: str) -> Problem:
    remedy = ""
    caret = re.fullmatch(r"\^ *(\d{1,6})((?:\.\d{1,6}){0,3})", text.strip(), re.ASCII)
    if caret:
        remedy = f"Write '>={caret[1]}{caret[2]},<{int(caret[1]) + 1}' instead."
    return rules.REQUIREMENT.problem(
        "A version range is not valid PEP 440.",
        expected="clauses such as >=0.1,<1 separated by commas",
        got=text,
        remedy=remedy,
    )
