"""One thing that is wrong, told so that a reader can mend it and a program can recognise it."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from harnest_ext.text import printable

__all__ = ["Problem", "Severity"]


class Severity(enum.StrEnum):
    """Whether a problem refuses the operation or is only pointed out."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One finding, with everything that its reader needs.

    ``kind`` and ``rule`` are stable and documented in ``docs/reference``; programs compare them,
    never ``message``. Foreign text in any field is escaped when the problem is shown.

    Attributes:
        kind: Coarse class of the refusal, such as ``manifest-invalid``.
        rule: Rule that was broken, such as ``manifest.unknown-key``.
        message: One sentence: what is wrong with what.
        path: File, folder, entry or argument that it is about; empty if there is none.
        line: Line in ``path``, from 1.
        column: Column in that line, from 1.
        expected: What the rule asks for.
        got: What was found instead.
        remedy: What to do next.
        severity: ``ERROR`` refuses, ``WARNING`` is pointed out.
        details: Further lines, shown below the message, such as the chains of a conflict.
    """

    kind: str
    rule: str
    message: str
    path: str = ""
    line: int | None = None
    column: int | None = None
    expected: str = ""
    got: str = ""
    remedy: str = ""
    severity: Severity = Severity.ERROR
    details: tuple[str, ...] = ()

    def describe(self) -> str:
        """Return the finding as a few lines of plain text, foreign text escaped."""
        lines = [f"{self.where()}{printable(self.message, 600)} [{self.rule}]"]
        lines.extend(f"    {printable(line, 300)}" for line in self.details)
        if self.expected:
            lines.append(f"    expected: {printable(self.expected, 300)}")
        if self.got:
            lines.append(f"    got: {printable(self.got, 300)}")
        if self.remedy:
            lines.append(f"    remedy: {printable(self.remedy, 600)}")
        return "\n".join(lines)

    def where(self) -> str:
        """Return ``"path:line: "``, as much of it as is known."""
        if not self.path:
            return ""
        position = "" if self.line is None else f":{self.line}"
        return f"{printable(self.path, 300)}{position}: "

    def to_dict(self) -> dict[str, object]:
        """Return the JSON shape: every field, escaped, in documented order."""
        return {
            "kind": self.kind,
            "rule": self.rule,
            "severity": self.severity.value,
            "path": printable(self.path, 600),
            "line": self.line,
            "column": self.column,
            "message": printable(self.message, 600),
            "details": [printable(line, 300) for line in self.details],
            "expected": printable(self.expected, 300),
            "got": printable(self.got, 300),
            "remedy": printable(self.remedy, 600),
        }
