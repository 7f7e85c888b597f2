"""``harnest extensions doctor``: find what is wrong, and mend what is safe."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from harnest_ext.cli.extensions.lookup import LookupOptions, lookup_options
from harnest_ext.cli.extensions.opening import open_manager
from harnest_ext.cli.extensions.waiting import wait_option
from harnest_ext.cli.options import common, examples
from harnest_ext.problem import Severity

if TYPE_CHECKING:
    from pathlib import Path

    from harnest_ext.cli.output import Output
    from harnest_ext.manager.findings import Finding

__all__ = ["command"]


@click.command(
    "doctor", epilog=examples("harnest extensions doctor", "harnest extensions doctor --fix")
)
@click.option("--fix", is_flag=True, help="Mend what is safe to mend.")
@lookup_options
@wait_option
@common
def command(
    *,
    fix: bool,
    lookup: LookupOptions,
    wait: float,
    project: Path | None,
    output: Output,
) -> int:
    """Find what is wrong with the project, its copies and its environment.

    Says how to repair each thing; --fix repairs what is safe. What it replaces is kept for a
    rollback. Exits with 1 while an error is left.
    """
    found = open_manager(project, output, wait=wait, lookup=lookup.lookup).doctor(fix=fix)
    left = [item for item in found if not item.fixed and item.problem.severity is Severity.ERROR]
    data = {"ok": not left, "findings": [_shape(item) for item in found]}
    output.result(data, "\n".join(map(_text, found)) or "Nothing is wrong.")
    return 1 if left else 0


def _text(item: Finding) -> str:
    if item.fixed:
        return f"fixed: {item.problem.where()}{item.problem.message}"
    refused = f"\n    not fixed: {item.refusal}" if item.refusal else ""
    return f"{item.problem.severity.value}: {item.problem.describe()}{refused}"


def _shape(item: Finding) -> dict[str, object]:
    return {
        **item.problem.to_dict(),
        "fixable": item.fixable,
        "fixed": item.fixed,
        "refusal": item.refusal or None,
    }
