"""An extension's version: three numbers and a possible suffix, in SemVer or PEP 440 spelling.

The text that the author wrote is kept; comparisons use its PEP 440 value, for which `packaging` is
imported only when it is asked for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.errors import InvalidExtension
from harnest_ext.manifest import rules

if TYPE_CHECKING:
    from packaging.version import Version

__all__ = ["EXPECTED", "ExtensionVersion", "objection"]

_NUMBER = r"(?:0|[1-9][0-9]*)"
_SEPARATOR = r"[-_.]?"
_PATTERN = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}"
    rf"(?:{_SEPARATOR}(?:alpha|a|beta|b|preview|pre|c|rc)(?:{_SEPARATOR}[0-9]+)?)?"
    rf"(?:{_SEPARATOR}(?:post|rev|r)(?:{_SEPARATOR}[0-9]+)?)?"
    rf"(?:{_SEPARATOR}dev(?:{_SEPARATOR}[0-9]+)?)?"
    r"(?:\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?",
    re.ASCII | re.IGNORECASE,
)
_REASONS = (
    ("[vV]", "it begins with 'v'"),
    ("[0-9]+!", "it has an epoch"),
    (r"[0-9]+(?:\.[0-9]+)?$", "it has fewer than three numbers"),
    (r"(?:[0-9]+\.){0,2}0[0-9]", "a number has a leading zero"),
)
EXPECTED = (
    "three numbers without leading zeros and at most one pre-, post-, dev- or local part, "
    "such as 1.2.0, 1.0.0-rc.1 or 1.0.0rc1"
)


@dataclass(frozen=True, slots=True)
class ExtensionVersion:
    """A version that exists only if it is valid; equal if its PEP 440 values are equal.

    Attributes:
        text: The version as its author wrote it, such as ``1.0.0-rc.1``.

    Raises:
        InvalidExtension: kind ``version-invalid``, when ``text`` is not a valid version.
    """

    text: str

    def __post_init__(self) -> None:
        reason = objection(self.text)
        if reason:
            raise InvalidExtension(
                rules.VERSION_TEXT.problem(
                    f"The version is not usable: {reason}.", expected=EXPECTED, got=self.text
                )
            )

    @property
    def value(self) -> Version:
        """The version as `packaging` compares it."""
        from packaging.version import Version  # noqa: PLC0415 - 15 ms that most commands never need

        return Version(self.text)

    @property
    def public(self) -> str:
        """The version in PEP 440 normal form, local part included: ``1.0.0rc1``."""
        return str(self.value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ExtensionVersion):
            return NotImplemented
        return self.text == other.text or self.value == other.value

    def __hash__(self) -> int:
        return hash(self.value)

    def __lt__(self, other: ExtensionVersion) -> bool:
        return self.value < other.value

    def __le__(self, other: ExtensionVersion) -> bool:
        return self.value <= other.value

    def __str__(self) -> str:
        return self.text


def objection(text: str) -> str:
    """Return why ``text`` is not an extension's version, or ``""`` if it is one."""
    if len(text) > limits.VERSION_CHARACTERS:
        return f"it has {len(text)} characters, more than {limits.VERSION_CHARACTERS}"
    if _PATTERN.fullmatch(text):
        return ""
    reasons = (reason for pattern, reason in _REASONS if re.match(pattern, text))
    return next(reasons, "it is not three numbers with a known suffix")
