"""Header fields as METADATA and WHEEL hold them, read in the one way that all tools agree on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harnest_ext.package.findings import Findings
    from harnest_ext.rule import Rule

__all__ = ["Field", "Fields", "parse_headers"]

_LINE = re.compile(r"([A-Za-z][A-Za-z0-9-]*):[ \t]*(.*)", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u2028\u2029]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One header field: its name in lower case, value, line, and whether it was continued."""

    name: str
    value: str
    line: int
    folded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """The fields of one file, and how to report what is wrong with them.

    Attributes:
        path: How the file is named in problems.
        rule: Rule that is broken by a wrong field.
        fields: All fields in order.
        findings: Where problems go.
    """

    path: str
    rule: Rule
    fields: Sequence[Field]
    findings: Findings

    def all(self, name: str) -> Iterator[Field]:
        """Yield every field of a name; one that is continued over lines is reported instead."""
        for field in self.fields:
            if field.name != name.lower():
                continue
            if field.folded:
                self.report(f"{name} is continued over several lines.", field, "one line")
            else:
                yield field

    def one(self, name: str, *, required: bool = True) -> Field | None:
        """Return the only field of a name; its absence, if required, and repeats are reported."""
        same = [field for field in self.fields if field.name == name.lower()]
        if len(same) > 1:
            self.report(f"{name} is there {len(same)} times.", same[1], f"one {name}")
            return None
        if not same and required:
            self.report(f"{name} is missing.", None, name)
        return next(self.all(name), None)

    def report(self, message: str, field: Field | None, expected: str = "") -> None:
        """Report a problem with a field, or with the file."""
        self.findings.add(
            self.rule.problem(
                message,
                path=self.path,
                line=field.line if field else None,
                expected=expected,
                got=field.value if field else "",
            )
        )


def parse_headers(data: bytes, path: str, rule: Rule, findings: Findings) -> Fields | None:
    """Return the header fields of a file; what is no header is reported.

    Args:
        data: Content of the file, headers first, then perhaps an empty line and a body.
        path: How the file is named in problems.
        rule: Rule that malformed content breaks.
        findings: Where problems go.

    Returns:
        The fields, or None if the file could not be read to the end of its headers.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        findings.add(rule.problem("The file is not UTF-8.", path=path, line=line, expected="UTF-8"))
        return None
    if "\x00" in text:
        line = text.count("\n", 0, text.index("\x00")) + 1
        findings.add(rule.problem("The file holds a NUL byte.", path=path, line=line))
        return None
    fields: list[Field] = []
    for number, header in enumerate(_header_lines(text), 1):
        reason = _take(fields, header, number)
        if reason:
            findings.add(rule.problem(f"A header {reason}.", path=path, line=number, got=header))
            return None
    return Fields(path=path, rule=rule, fields=fields, findings=findings)


def _header_lines(text: str) -> Iterator[str]:
    for raw in text.split("\n"):
        line = raw.removesuffix("\r")
        if not line:
            return
        yield line


def _take(fields: list[Field], line: str, number: int) -> str:
    """Add one line to the fields, or return why it is not part of a header."""
    if _CONTROL.search(line):
        return "holds a control character"
    if line[0] in " \t":
        if not fields:
            return "begins with white space"
        last = fields[-1]
        value = f"{last.value}\n{line.strip()}" if len(last.value) < 1024 else last.value
        fields[-1] = Field(name=last.name, value=value, line=last.line, folded=True)
        return ""
    match = _LINE.fullmatch(line)
    if match is None:
        return "is not 'Name: value'"
    fields.append(Field(name=match[1].lower(), value=match[2].strip(" \t"), line=number))
    return ""
