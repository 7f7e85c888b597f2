"""What can be said without running anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.conformance.checks import Group, expect, refuse
from harnest_ext.problem import Severity

if TYPE_CHECKING:
    from harnest_ext.conformance.extension_bench import ExtensionBench

__all__ = ["GROUP"]

GROUP: Group[ExtensionBench] = Group("static")


@GROUP.check("rules")
def rules(bench: ExtensionBench) -> None:
    """The package breaks no rule of `harnest extensions check`."""
    refusing = [item for item in bench.report.problems if item.severity is Severity.ERROR]
    problems = [f"{problem.where()}{problem.rule}" for problem in refusing]
    expect("broken rules", problems, [])


@GROUP.check("host-range")
def host_range(bench: ExtensionBench) -> None:
    """The package says which versions of Harnest it is for."""
    package = bench.report.package
    refuse("it names no range of harnest", if_true=package is None or not package.host_range)
