"""What a check of a package found, as text, as JSON and as a SARIF log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest import __version__
from harnest_ext.cli.failure import error_shape
from harnest_ext.limits import MESSAGE_BYTES
from harnest_ext.problem import Severity
from harnest_ext.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnest_ext.package import CheckReport
    from harnest_ext.problem import Problem

__all__ = ["report_shape", "report_text", "sarif_log"]


def report_text(report: CheckReport) -> str:
    """Return the findings and a line that sums them up, in at most ``MESSAGE_BYTES``."""
    errors = sum(problem.severity is Severity.ERROR for problem in report.problems)
    warnings = len(report.problems) - errors
    subject = printable(report.location.name or str(report.location))
    if report.package:
        subject = f"{report.package.slug} {report.package.version}"
    verdict = "refused" if errors else "good"
    tail = f"{subject}: {verdict} ({_count(errors, 'error')}, {_count(warnings, 'warning')})"
    room = MESSAGE_BYTES - len(tail.encode()) - 60
    lines: list[str] = []
    for number, problem in enumerate(report.problems):
        text = _labelled(problem)
        room -= len(text.encode("utf-8", "replace")) + 1
        if room < 0 and lines:
            rest = len(report.problems) - number
            lines.append(f"... and {rest} more; --json gives all of them")
            break
        lines.append(text)
    return "\n".join((*lines, tail))


def _labelled(problem: Problem) -> str:
    label = "warning: " if problem.severity is Severity.WARNING else "error: "
    return label + problem.describe()


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def report_shape(report: CheckReport) -> dict[str, object]:
    """Return the documented JSON shape: verdict, facts, all problems, and ``error`` if refused."""
    from harnest_ext.package.findings import failure_of  # noqa: PLC0415 - loaded by the check

    failure = failure_of(report.problems)
    shape: dict[str, object] = {
        "path": printable(str(report.location), 600),
        "ok": report.ok,
        "extension": _facts(report),
        "problems": [problem.to_dict() for problem in report.problems],
    }
    if failure:
        shape |= error_shape(failure, failure.exit_code)
    return shape


def _facts(report: CheckReport) -> dict[str, object] | None:
    package = report.package
    if package is None:
        return None
    return {
        "name": package.slug,
        "version": package.version,
        "summary": printable(package.manifest.summary, 600),
        "digest": package.digest,
        "files": len(package.files),
        "bytes": sum(file.size for file in package.files),
        "capabilities": list(package.capabilities),
        "requires": [str(requirement) for requirement in package.extension_requirements],
        "dependencies": list(package.dependencies),
        "requires_python": package.requires_python,
        "host_range": package.host_range,
    }


def sarif_log(report: CheckReport) -> dict[str, object]:
    """Return the findings as a SARIF 2.1.0 log with one run."""
    from harnest_ext.package.rulebook import RULES  # noqa: PLC0415 - only SARIF explains rules

    used = sorted({problem.rule for problem in report.problems})
    known = [RULES[rule] for rule in used if rule in RULES]
    driver = {
        "name": "harnest extensions check",
        "version": __version__,
        "rules": [
            {
                "id": rule.id,
                "shortDescription": {"text": rule.why},
                "help": {"text": f"{rule.fix} Breaks it: {rule.example}"},
                "defaultConfiguration": {"level": rule.severity.value},
                "properties": {"kind": rule.kind},
            }
            for rule in known
        ],
    }
    results = list(_results(report))
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"version": "2.1.0", "runs": [run]}


def _results(report: CheckReport) -> Iterator[dict[str, object]]:
    from urllib.parse import quote  # noqa: PLC0415 - only SARIF writes locations as URIs

    for problem in report.problems:
        shape = problem.to_dict()
        # As seen from where the command ran, which for a code host is the repository's root.
        inside = report.location.is_dir() and problem.path != report.location.name
        path = report.location / problem.path if inside else report.location
        place: dict[str, object] = {
            "artifactLocation": {"uri": quote(path.as_posix(), errors="surrogatepass")}
        }
        if problem.line:
            column = {"startColumn": problem.column} if problem.column else {}
            place["region"] = {"startLine": problem.line, **column}
        words = [shape["message"]]
        words += [f"{key.capitalize()}: {shape[key]}." for key in ("expected", "got") if shape[key]]
        words += [shape["remedy"]] if shape["remedy"] else []
        yield {
            "ruleId": problem.rule,
            "level": problem.severity.value,
            "message": {"text": " ".join(map(str, words))},
            "locations": [{"physicalLocation": place}],
        }
