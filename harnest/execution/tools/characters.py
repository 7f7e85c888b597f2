"""A set of characters in a pattern: one character, a range, a class, or all but those."""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["CLASSES", "Characters", "is_word", "variants"]


def is_word(character: str) -> bool:
    """Say whether a character is part of a word; an empty text is not."""
    return character.isalnum() or character == "_"


def variants(character: str) -> frozenset[str]:
    """Return a character in both cases; an ASCII letter has no variant outside of ASCII."""
    cases = {character, character.lower(), character.upper()}
    plain = character.isascii()
    return frozenset(item for item in cases if len(item) == 1 and item.isascii() == plain)


@dataclass(frozen=True, slots=True, kw_only=True)
class Characters:
    """Some characters.

    Attributes:
        ranges: Pairs of the first and the last character of each range.
        classes: Classes by their letters: ``d`` digits, ``w`` words, ``s`` space; the capital
            letter stands for all others.
        inverted: Whether it is all characters but those.
        ignore_case: Whether a character counts in either case.
    """

    ranges: tuple[tuple[str, str], ...] = ()
    classes: str = ""
    inverted: bool = False
    ignore_case: bool = False

    @classmethod
    def single(cls, character: str) -> Characters:
        """Return the set of one character."""
        return cls(ranges=((character, character),))

    @property
    def only(self) -> str:
        """The character that it consists of, in one case; empty if it is not one alone."""
        if self.inverted or self.classes or len(self.ranges) != 1:
            return ""
        first, last = self.ranges[0]
        return first if first == last else ""

    def either_case(self) -> Characters:
        """Return the set that takes either case of its characters."""
        return replace(self, ignore_case=True)

    def __contains__(self, character: object) -> bool:
        if not isinstance(character, str) or not character:
            return False
        options = variants(character) if self.ignore_case else (character,)
        return any(self._holds(option) for option in options) != self.inverted

    def _holds(self, character: str) -> bool:
        return any(first <= character <= last for first, last in self.ranges) or any(
            _in_class(character, letter) for letter in self.classes
        )


CLASSES = {letter: Characters(classes=letter) for letter in "dDwWsS"}
"""The classes that a backslash and a letter stand for."""


def _in_class(character: str, letter: str) -> bool:
    kind = letter.lower()
    found = (
        (kind == "d" and character.isdecimal())
        or (kind == "w" and is_word(character))
        or (kind == "s" and character.isspace())
    )
    return found == letter.islower()
