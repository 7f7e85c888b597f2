"""Patterns of ``glob``: which paths match, and what a walk has to look at for them.

``*`` and ``?`` and ``[...]`` match within one name, ``**`` as a whole name matches any number of
folders, none included, and ``{a,b}`` stands for either. As in a shell, none of them matches a dot
at the beginning of a name unless hidden names are asked for.
"""

from __future__ import annotations

import fnmatch
import os
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

from harnest.execution.tools import limits

__all__ = ["GlobPattern"]

_MAGIC = re.compile(r"[*?\[]")
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


@dataclass(frozen=True, kw_only=True)
class GlobPattern:
    """One pattern, checked.

    Attributes:
        text: As it was written.
        hidden: Whether wildcards also match a leading dot.
        alternatives: The names of each pattern that the braces stand for.
        folders_only: Whether only folders match: it ended in a slash.
    """

    text: str
    hidden: bool = False
    folders_only: bool = False
    alternatives: tuple[tuple[str, ...], ...] = field(default=(), repr=False)

    @classmethod
    def parse(cls, text: str, *, hidden: bool = False) -> Self:
        """Return the pattern.

        Args:
            text: The pattern, relative to the folder that is searched.
            hidden: Whether wildcards also match a leading dot.

        Raises:
            ValueError: It is empty, too long, absolute, holds a NUL or ``..``, or its braces stand
                for too many patterns.
        """
        if not text or "\0" in text or len(text) > limits.PATTERN_CHARACTERS:
            most = limits.PATTERN_CHARACTERS
            raise ValueError(f"pattern must be a text of 1 to {most} characters without NUL")
        written = [_names(item) for item in _expanded(text)]
        if any(text.startswith("/") or ".." in names for names in written):
            raise ValueError("pattern must be relative and without ..; give the folder as path")
        if not all(written):
            raise ValueError("pattern must hold a name or a wildcard")
        slash = text.endswith("/")
        return cls(text=text, hidden=hidden, folders_only=slash, alternatives=tuple(written))

    def matches(self, path: bytes, *, folder: bool) -> bool:
        """Say whether a path matches.

        Args:
            path: Relative to the folder that is searched.
            folder: Whether it is a folder.
        """
        if self.folders_only and not folder:
            return False
        names = os.fsdecode(path).split("/")
        return any(self._reaches(matchers, names) for matchers in self._matchers)

    @property
    def depth(self) -> int:
        """Most levels that a matching path can have, as far as walks go."""
        if self.bounded:
            return limits.DEPTH
        return max(len(names) for names in self.alternatives)

    @property
    def bounded(self) -> bool:
        """Whether a path can match that is deeper than walks go."""
        return any("**" in names or len(names) > limits.DEPTH for names in self.alternatives)

    @property
    def looks_at_hidden(self) -> bool:
        """Whether a name that begins with a dot can match, or lead to a match."""
        return self.hidden or any(
            name.startswith(".") for names in self.alternatives for name in names
        )

    @property
    def last_names(self) -> tuple[bytes, ...]:
        """Patterns one of which the last name of each match matches; empty if any name can."""
        last = [names[-1] for names in self.alternatives]
        wider = dict.fromkeys(os.fsencode(_widened(name)) for name in last)
        # A walk for everything is right as well, and no command is longer than it may be.
        if "**" in last or sum(map(len, wider)) > limits.NAME_BYTES * 4:
            return ()
        return tuple(wider)

    @cached_property
    def _matchers(self) -> tuple[tuple[re.Pattern[str] | None, ...], ...]:
        return tuple(
            tuple(None if name == "**" else self._matcher(name) for name in names)
            for names in self.alternatives
        )

    def _matcher(self, name: str) -> re.Pattern[str]:
        dotted = self.hidden or name.startswith(".")
        return re.compile(("" if dotted else r"(?!\.)") + fnmatch.translate(name))

    def _reaches(self, matchers: tuple[re.Pattern[str] | None, ...], names: list[str]) -> bool:
        positions = _closed({0}, matchers)
        for name in names:
            following = set()
            for position in positions:
                if position == len(matchers):
                    continue
                matcher = matchers[position]
                if matcher is None and (self.hidden or not name.startswith(".")):
                    following.add(position)
                elif matcher is not None and matcher.match(name):
                    following.add(position + 1)
            positions = _closed(following, matchers)
        return len(matchers) in positions


def _closed(positions: set[int], matchers: tuple[object, ...]) -> set[int]:
    """Add the positions behind each ``**``, which may stand for no folder at all."""
    found = set(positions)
    for position in positions:
        behind = position
        while behind < len(matchers) and matchers[behind] is None:
            behind += 1
            found.add(behind)
    return found


def _names(pattern: str) -> tuple[str, ...]:
    return tuple(name for name in pattern.split("/") if name not in {"", "."})


def _expanded(text: str) -> list[str]:
    """Return the patterns that the braces of one stand for, innermost braces first."""
    todo, done = [text], []
    while todo:
        item = todo.pop()
        match = _BRACES.search(item)
        if match is None:
            done.append(item)
        else:
            before, after = item[: match.start()], item[match.end() :]
            todo += [before + choice + after for choice in match[1].split(",")]
        if len(todo) + len(done) > limits.BRACES:
            raise ValueError(f"the braces of pattern stand for more than {limits.BRACES} patterns")
    return done


def _widened(name: str) -> str:
    r"""Return a pattern of ``find -name`` that matches whatever this one does, and maybe more."""
    return "".join(
        "*" if _MAGIC.match(part) else re.sub(r"([\\\[\]*?])", r"\\\1", part)
        for part in re.split(r"(\[[^/]*\]|[*?\[])", name)
        if part
    )
