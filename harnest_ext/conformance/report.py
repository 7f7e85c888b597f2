"""What came of a suite: one outcome per check, as a table, as JSON, as JUnit's XML."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from harnest_ext.text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnest_ext.conformance.checks import Check

__all__ = ["CheckOutcome", "CheckResult", "SuiteReport", "junit"]

_DETAIL = 1000


class CheckOutcome(enum.StrEnum):
    """What came of one check."""

    PASSED = "passed"
    FAILED = "failed"
    UNSUPPORTED = "unsupported"
    """The subject declares that it doesn't offer what the check needs: neither good nor bad."""
    NOT_APPLICABLE = "not applicable"
    """What the subject offers makes the promise void."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """One check and what came of it.

    Attributes:
        check: The check's name.
        promise: What it is about.
        outcome: What came of it.
        detail: How the promise was broken, or why it was not tried; escaped.
        seconds: How long it took.
    """

    check: str
    promise: str
    outcome: CheckOutcome
    detail: str = ""
    seconds: float = 0.0

    @classmethod
    def of(
        cls, check: Check[Any], outcome: CheckOutcome, detail: str = "", seconds: float = 0.0
    ) -> CheckResult:
        """Return the result of a check."""
        return cls(
            check=check.name,
            promise=check.promise,
            outcome=outcome,
            detail=printable(detail, _DETAIL),
            seconds=seconds,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteReport:
    """What came of a suite.

    Attributes:
        suite: ``provider``, ``workspace`` or ``extension``.
        subject: Name of what was tested.
        results: One for each check, in the suite's order.
    """

    suite: str
    subject: str
    results: tuple[CheckResult, ...]

    @property
    def ok(self) -> bool:
        """Whether no check failed."""
        return not self.failures

    @property
    def failures(self) -> tuple[CheckResult, ...]:
        """The checks that failed."""
        return tuple(item for item in self.results if item.outcome is CheckOutcome.FAILED)

    def count(self, outcome: CheckOutcome) -> int:
        """Return how many checks came out so."""
        return sum(item.outcome is outcome for item in self.results)

    def summary(self) -> str:
        """Return the counts in one line."""
        counts = ", ".join(f"{self.count(outcome)} {outcome}" for outcome in CheckOutcome)
        return f"{self.suite} suite on {printable(self.subject)}: {counts}"

    def to_dict(self) -> dict[str, object]:
        """Return the JSON shape."""
        return {
            "suite": self.suite,
            "subject": printable(self.subject),
            "ok": self.ok,
            "counts": {outcome.value: self.count(outcome) for outcome in CheckOutcome},
            "checks": [
                {
                    "name": item.check,
                    "promise": item.promise,
                    "outcome": item.outcome.value,
                    "detail": item.detail,
                    "seconds": round(item.seconds, 3),
                }
                for item in self.results
            ],
        }


_SKIPPED = (CheckOutcome.UNSUPPORTED, CheckOutcome.NOT_APPLICABLE)


def junit(reports: Sequence[SuiteReport]) -> str:
    """Return reports as one JUnit XML document; what was not tried is skipped, with the reason."""
    root = ET.Element("testsuites")
    for report in reports:
        root.append(_suite(report))
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(report: SuiteReport) -> ET.Element:
    suite = ET.Element(
        "testsuite",
        name=f"harnest.{report.suite}",
        tests=str(len(report.results)),
        failures=str(len(report.failures)),
        errors="0",
        skipped=str(sum(map(report.count, _SKIPPED))),
        time=f"{sum(item.seconds for item in report.results):.3f}",
    )
    for item in report.results:
        case = ET.SubElement(
            suite,
            "testcase",
            classname=printable(report.subject),
            name=item.check,
            time=f"{item.seconds:.3f}",
        )
        if item.outcome is CheckOutcome.FAILED:
            ET.SubElement(case, "failure", message=item.detail).text = item.promise
        elif item.outcome in _SKIPPED:
            ET.SubElement(case, "skipped", message=f"{item.outcome}: {item.detail}")
    return suite
