"""``harnest extensions tree``: which extension requires which."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from harnest_ext.cli.extensions.opening import open_manager
from harnest_ext.cli.options import common, examples
from harnest_ext.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harnest_ext.cli.output import Output
    from harnest_ext.manager.tree import Node

__all__ = ["command"]


@click.command("tree", epilog=examples("harnest extensions tree"))
@common
def command(
    *,
    project: Path | None,
    output: Output,
) -> None:
    """Show which extension requires which, from what was asked for downward."""
    nodes = open_manager(project, output).tree()
    text = "\n".join(line for node in nodes for line in _lines(node, 0))
    data = {"extensions": [_shape(node) for node in nodes]}
    output.result(data, text or "No extensions are installed.")


def _lines(node: Node, depth: int) -> Iterator[str]:
    asked = f" (requires {node.requirement})" if node.requirement else ""
    note = "" if node.satisfied else ", which does not fit" if node.version else ", not installed"
    again = " (in a ring)" if node.repeated else ""
    yield f"{'  ' * depth}{printable(node.name)} {node.version}".rstrip() + asked + note + again
    for child in node.requires:
        yield from _lines(child, depth + 1)


def _shape(node: Node) -> dict[str, object]:
    return {
        "name": printable(node.name),
        "version": node.version or None,
        "requirement": node.requirement or None,
        "satisfied": node.satisfied,
        "repeated": node.repeated,
        "requires": [_shape(child) for child in node.requires],
    }
