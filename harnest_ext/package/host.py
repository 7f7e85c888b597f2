"""Ranges that a package states, held against the running Harnest and Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from harnest_ext import limits
from harnest_ext.package.rules import project as rules

if TYPE_CHECKING:
    from harnest_ext.host import Host
    from harnest_ext.package.findings import Findings

__all__ = ["check_host", "check_specifier"]


def check_specifier(text: str) -> str:
    """Return why ``text`` is not a range of versions, or ``""`` if it is one."""
    clauses = text.split(",")
    if len(clauses) > limits.REQUIREMENT_CLAUSES:
        return f"it has more than {limits.REQUIREMENT_CLAUSES} clauses."
    if max(map(len, clauses)) > limits.CLAUSE_CHARACTERS:
        return f"a clause has more than {limits.CLAUSE_CHARACTERS} characters."
    try:
        SpecifierSet(text)
    except InvalidSpecifier:
        return "it is not PEP 440."
    return ""


def check_host(
    host: Host,
    path: str,
    findings: Findings,
    *,
    requires_python: str | None,
    host_range: str | None,
) -> None:
    """Report ranges that exclude the host, and the absence of a range of Harnest.

    Args:
        host: The running Harnest and Python.
        path: File that states the ranges.
        findings: Where problems go.
        requires_python: Valid range of Python versions; None for any.
        host_range: Valid range of Harnest versions; None if none is stated.
    """
    python = host.python_version.rstrip("+")
    if requires_python is not None and not _admits(requires_python, python):
        findings.add(
            rules.PYTHON.problem(
                "The package does not work with this Python.",
                path=path,
                expected=f"Python {requires_python}",
                got=f"Python {host.python_version}",
            )
        )
    if host_range is None:
        what = "The package names no range of Harnest versions."
        findings.add(rules.HOST_UNKNOWN.problem(what, path=path, expected="harnest>=1,<2"))
    elif not _admits(host_range, host.harnest_version):
        findings.add(
            rules.HARNEST.problem(
                "The package does not work with this Harnest.",
                path=path,
                expected=f"harnest {host_range}",
                got=f"harnest {host.harnest_version}",
            )
        )


def _admits(text: str, version: str) -> bool:
    return SpecifierSet(text).contains(version, prereleases=True)
