"""An extension's name, and the other names that follow from it one to one."""

from __future__ import annotations

import keyword
import re
from dataclasses import replace
from typing import Self

from harnest_ext import limits, rules
from harnest_ext.errors import InvalidExtension

__all__ = ["DISTRIBUTION_PREFIX", "HOST_DISTRIBUTION", "PACKAGE_PREFIX", "Slug", "normalized"]

HOST_DISTRIBUTION = "harnest"
DISTRIBUTION_PREFIX = "harnest-extension-"
PACKAGE_PREFIX = "harnest_extension_"

_PATTERN = re.compile(r"[a-z](?:_?[a-z0-9])*", re.ASCII)
_DEVICES = {"con", "prn", "aux", "nul"} | {f"{d}{n}" for d in ("com", "lpt") for n in range(10)}
_NAMESPACE = {"extension_mutation"}
"""What `harnest.extensions` has under a name that an extension could have."""
_RESERVED = _DEVICES | _NAMESPACE | {"extensions", "harnest", "none", "true", "false"}


class Slug(str):
    """An extension's name: it exists only if it is valid.

    It is the folder below ``extensions/``, the import name ``harnest.extensions.<slug>`` and, with
    ``-`` for ``_``, the end of the distribution's name. The pattern lets no two slugs share one.

    Raises:
        InvalidExtension: kind ``name-invalid``, when the text is not a valid name.
    """

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        """Return ``text`` as a slug, or refuse it."""
        reason = _objection(text)
        if reason:
            raise InvalidExtension(
                rules.NAME.problem(
                    f"The extension name is not usable: {reason}.",
                    got=text,
                    expected=f"a-z, 0-9 and single underscores, starting with a letter, "
                    f"at most {limits.SLUG_CHARACTERS} characters, no reserved word",
                )
            )
        return super().__new__(cls, text)

    @classmethod
    def typed(cls, text: str) -> Slug:
        """Return the slug that a user typed, as a name or as that of its project.

        Raises:
            InvalidExtension: As for ``Slug(text)``; what was typed is the problem's path.
        """
        try:
            return cls.from_distribution(text) or cls(text)
        except InvalidExtension as error:
            named = [replace(problem, path=text or "NAME") for problem in error.problems]
            raise InvalidExtension(named) from None

    @property
    def distribution(self) -> str:
        """Name of the project on an index: ``harnest-extension-<slug with - for _>``."""
        return DISTRIBUTION_PREFIX + self.replace("_", "-")

    @property
    def package(self) -> str:
        """Import package inside its wheel: ``harnest_extension_<slug>``."""
        return PACKAGE_PREFIX + self

    @property
    def module(self) -> str:
        """Name under which the runtime loads it: ``harnest.extensions.<slug>``."""
        return f"harnest.extensions.{self}"

    @classmethod
    def from_distribution(cls, name: str) -> Slug | None:
        """Return the slug of a project name in any PEP 503 spelling, or None if it has none."""
        plain = normalized(name)
        if not plain.startswith(DISTRIBUTION_PREFIX):
            return None
        text = plain.removeprefix(DISTRIBUTION_PREFIX).replace("-", "_")
        return None if _objection(text) else cls(text)


def normalized(name: str) -> str:
    """Return a project name in its PEP 503 normal form."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _objection(text: str) -> str:
    if not isinstance(text, str) or not text:
        return "it is empty"
    if len(text) > limits.SLUG_CHARACTERS:
        return f"it has {len(text)} characters, more than {limits.SLUG_CHARACTERS}"
    if not _PATTERN.fullmatch(text):
        return "it does not match [a-z](_?[a-z0-9])*"
    if keyword.iskeyword(text):
        return "it is a Python keyword"
    if text in _RESERVED:
        return "it is reserved"
    return ""
