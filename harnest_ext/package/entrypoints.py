"""``entry_points.txt`` read strictly: one group, one entry, one spelling of each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harnest_ext.package.declared import ENTRY_GROUP, entry_value
from harnest_ext.package.rules import project as project_rules
from harnest_ext.package.rules import wheel as rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnest_ext.identity import Slug
    from harnest_ext.package.findings import Findings
    from harnest_ext.rule import Rule

__all__ = ["check_entry_points_file"]

_GROUP = re.compile(r"\[([A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*)\]", re.ASCII)
_NAME = re.compile(r"[\w.-]+")
_SHOWN = 8
"""Entries that are looked at one by one; more of them add nothing to the refusal."""
_BOM = b"\xef\xbb\xbf"


def check_entry_points_file(data: bytes, path: str, slug: Slug, findings: Findings) -> None:
    """Report everything in ``entry_points.txt`` but the one entry that an extension has.

    Args:
        data: Content of the file.
        path: How the file is named in problems.
        slug: The extension's name.
        findings: Where problems go.
    """
    reader = _Reader(path, findings)
    text = reader.decoded(data)
    if text is None:
        return
    entries: dict[str, list[tuple[int, str, str]]] = {}
    group = ""
    for number, line in _lines(text):
        match = _GROUP.fullmatch(line)
        name, equals, value = line.partition("=")
        if match and match[1] in entries:
            reader.report(rules.ENTRY_SYNTAX, number, "A group is there twice.", got=line)
        elif match:
            entries[match[1]] = []
        elif not equals or not group or line[0] in " \t":
            reader.report(rules.ENTRY_SYNTAX, number, "A line is no entry of a group.", got=line)
        else:
            entries[group].append((number, name.rstrip(" \t"), value.strip(" \t")))
        group = match[1] if match else group
    reader.own(entries.pop(ENTRY_GROUP, []), slug)
    for other, found in entries.items():
        line_number = found[0][0] if found else None
        what = f"The group {other!r} is not accepted."
        reader.report(project_rules.ENTRY_OTHER, line_number, what, got=other)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that say something, with their numbers."""
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.removesuffix("\r").rstrip(" \t")
        if line and line[0] not in "#;":
            yield number, line


class _Reader:
    """Reports what is wrong with one file."""

    def __init__(self, path: str, findings: Findings) -> None:
        self._path = path
        self._findings = findings

    def decoded(self, data: bytes) -> str | None:
        """Return the text of the file, if it is plain UTF-8."""
        if data.startswith(_BOM):
            self.report(rules.ENTRY_SYNTAX, 1, "The file begins with a byte order mark.")
            return None
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            self.report(rules.ENTRY_SYNTAX, line, "The file is not UTF-8.")
            return None
        odd = re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", text.replace("\r\n", "\n"))
        if odd:
            line = text.count("\n", 0, odd.start()) + 1
            self.report(rules.ENTRY_SYNTAX, line, "The file holds a control character.")
            return None
        return text

    def own(self, entries: list[tuple[int, str, str]], slug: Slug) -> None:
        """Report the entries of our group unless they are the one that there must be."""
        expected = f"{slug} = {entry_value(slug)}"
        if len(entries) != 1:
            line = entries[1][0] if entries else None
            what = f"The group {ENTRY_GROUP!r} has {len(entries)} entries."
            self.report(project_rules.ENTRY_MISSING, line, what, expected=expected)
        for line, name, value in entries[:_SHOWN]:
            if not _NAME.fullmatch(name):
                what = "The entry's name is no name."
                self.report(rules.ENTRY_SYNTAX, line, what, expected=slug, got=name)
            elif name != slug:
                what = "The entry is not named after the extension."
                self.report(project_rules.ENTRY_NAME, line, what, expected=slug, got=name)
            if value != entry_value(slug):
                what = "The entry does not name the extension object."
                self.report(
                    project_rules.ENTRY_VALUE, line, what, expected=entry_value(slug), got=value
                )

    def report(
        self, rule: Rule, line: int | None, message: str, *, expected: str = "", got: str = ""
    ) -> None:
        """Report a problem at a line."""
        self._findings.add(
            rule.problem(message, path=self._path, line=line, expected=expected, got=got)
        )
