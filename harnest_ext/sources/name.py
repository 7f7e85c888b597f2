"""An extension asked for by name: slug, project name or requirement, in any PEP 503 spelling."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.errors import HarnestExtensionError, InvalidExtension
from harnest_ext.identity import DISTRIBUTION_PREFIX, HOST_DISTRIBUTION, Slug, normalized
from harnest_ext.manifest.requirement import ExtensionRequirement
from harnest_ext.sources import rules
from harnest_ext.sources.slips import corrected

if TYPE_CHECKING:
    from harnest_ext.rule import Rule

__all__ = ["NamedSource", "parse_name"]

_NAME = re.compile(r"[ \t]*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)[ \t]*(.*)", re.DOTALL)
_RANGE = re.compile(r"\(?[ \t]*(?:===|==|~=|!=|>=|<=|>|<)")


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedSource:
    """An extension to be looked up.

    Attributes:
        requirement: Its name and the versions of it that will do.
        typed: The argument as it was typed, for messages.
    """

    requirement: ExtensionRequirement
    typed: str

    @property
    def slug(self) -> Slug:
        """Name of the extension."""
        return self.requirement.slug

    @property
    def bare(self) -> bool:
        """Whether the short name was typed, not the name of the project."""
        return not normalized(self.typed.strip()).startswith(DISTRIBUTION_PREFIX)


def parse_name(argument: str) -> NamedSource:
    """Return the extension and the range that ``argument`` names.

    Args:
        argument: ``docker``, ``harnest-extension-docker``, ``docker>=0.5,<1`` or alike.

    Raises:
        InvalidExtension: kinds ``name-invalid``, ``version-invalid``, ``not-an-extension``; the
            remedy holds what was probably meant, when that can be told.
    """
    if len(argument) > limits.REQUIREMENT_CHARACTERS:
        raise _refused(
            rules.LENGTH,
            f"The argument has {len(argument)} characters, more than "
            f"{limits.REQUIREMENT_CHARACTERS}.",
            argument,
        )
    if not argument.isascii() or not argument.replace("\t", " ").isprintable():
        raise _refused(rules.NAME_TEXT, _foreign_character(argument), argument)
    match = _NAME.fullmatch(argument)
    if match is None:
        meant = corrected(argument)
        remedy = f"Name the extension before the range: 'NAME{meant}'." if meant else ""
        raise _refused(rules.NAME_TEXT, "This does not begin with a name.", argument, remedy=remedy)
    name, rest = match[1], match[2].strip()
    if match[2][:1] in {".", "-", "_"}:
        raise _refused(rules.NAME_TEXT, f"A name does not end in {match[2][0]!r}.", argument)
    slug = _slug(name, argument)
    _refuse_decoration(slug, rest, argument)
    return NamedSource(requirement=_requirement(slug, rest, argument), typed=argument)


def _slug(name: str, argument: str) -> Slug:
    plain = normalized(name)
    if plain == HOST_DISTRIBUTION:
        raise _refused(
            rules.NOT_AN_EXTENSION,
            "This is Harnest itself, not an extension.",
            argument,
            remedy="Upgrade Harnest with the tool that installed it.",
        )
    if plain == DISTRIBUTION_PREFIX.rstrip("-"):
        raise _refused(rules.NAME_TEXT, "The name ends where the extension's begins.", argument)
    text = plain.removeprefix(DISTRIBUTION_PREFIX).replace("-", "_")
    try:
        return Slug(text)
    except InvalidExtension as error:
        reason = error.problems[0].message.partition(": ")[2] or "it is not a valid name."
        raise _refused(
            rules.NAME_TEXT, f"No extension can have this name: {reason}", argument
        ) from None


def _refuse_decoration(slug: Slug, rest: str, argument: str) -> None:
    if rest.startswith("["):
        extras, _, after = rest.partition("]")
        del extras
        plain = f"{slug}{after.strip()}"
        raise _refused(
            rules.EXTRAS, "Extensions have no extras.", argument, remedy=f"Write '{plain}'."
        )
    if ";" in rest:
        plain = f"{slug}{rest.partition(';')[0].strip()}"
        raise _refused(
            rules.MARKER, "A condition has no place here.", argument, remedy=f"Write '{plain}'."
        )


def _requirement(slug: Slug, rest: str, argument: str) -> ExtensionRequirement:
    specifier = rest[1:-1] if rest.startswith("(") and rest.endswith(")") else rest
    try:
        if not specifier or _RANGE.match(rest):
            return ExtensionRequirement(slug=slug, specifier=specifier)
    except HarnestExtensionError:
        pass  # what follows says the same, and what was probably meant
    meant = corrected(rest)
    if meant is None:
        raise _refused(rules.RANGE, "What follows the name is not a range.", argument)
    raise _refused(
        rules.RANGE,
        "What follows the name is not a PEP 440 range.",
        argument,
        remedy=f"Write '{slug}{meant}'.",
    )


def _foreign_character(argument: str) -> str:
    odd = next(ch for ch in argument if not (ch.isascii() and ch.isprintable()))
    return f"The name holds the character U+{ord(odd):04X}, which no name has."


def _refused(rule: Rule, message: str, argument: str, *, remedy: str = "") -> InvalidExtension:
    return InvalidExtension(rule.problem(message, path=argument, remedy=remedy))
