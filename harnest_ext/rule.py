"""One documented rule: what it forbids, why, and the problem that reports a breach of it.

Code refers to rules as objects, never by text, so that a problem's kind and the reference of rules
can't drift apart: ``docs/reference/rules.md`` is generated from the same objects.
"""

from __future__ import annotations

from dataclasses import dataclass

from harnest_ext.problem import Problem, Severity

__all__ = ["Rule"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule that a package is held against.

    Attributes:
        id: Stable name, ``area.what``, such as ``manifest.unknown-key``.
        kind: Coarse class of the refusal, shared by related rules.
        why: One sentence: what would go wrong without the rule.
        example: Something that breaks it.
        fix: What to do about a breach; the default remedy of its problems.
        severity: ``WARNING`` for a rule that only points out.
    """

    id: str
    kind: str
    why: str
    example: str
    fix: str
    severity: Severity = Severity.ERROR

    def problem(  # noqa: PLR0913 - the fields of a Problem, each by name
        self,
        message: str,
        *,
        path: str = "",
        line: int | None = None,
        column: int | None = None,
        expected: str = "",
        got: str = "",
        remedy: str = "",
    ) -> Problem:
        """Return the problem that reports one breach of this rule.

        Args:
            message: One sentence: what is wrong with what.
            path: File, entry or argument that it is about.
            line: Line in ``path``, from 1.
            column: Column in that line, from 1.
            expected: What the rule asks for.
            got: What was found; escaped and cut when it is shown.
            remedy: What to do next; the rule's ``fix`` if empty.
        """
        return Problem(
            kind=self.kind,
            rule=self.id,
            message=message,
            path=path,
            line=line,
            column=column,
            expected=expected,
            got=got,
            remedy=remedy or self.fix,
            severity=self.severity,
        )
