"""What commands say to people about what is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.cli.output import Table
from harnest_ext.text import printable

if TYPE_CHECKING:
    from harnest_ext.manager.details import ExtensionDetails
    from harnest_ext.store.lock import LockedSource

__all__ = ["origin", "state_text", "versions_text"]


def origin(source: LockedSource | None) -> str:
    """Return where an extension comes from, in few words."""
    if source is None:
        return ""
    return printable(f"{source.kind.value} {source.location}".strip(), 200)


def state_text(item: ExtensionDetails) -> str:
    """Return an extension's state in the words of the documentation."""
    parts = [item.state.value]
    if item.incompatible:
        parts.append(f"incompatible: {item.incompatible}")
    if item.pinned:
        parts.append("pinned")
    if item.shadows:
        parts.append(f"shadows the environment's {item.shadows}")
    return ", ".join(parts)


def versions_text(items: tuple[ExtensionDetails, ...]) -> Table:
    """Return the table of ``list``."""
    return Table(
        columns=("NAME", "VERSION", "STATE", "SOURCE"),
        rows=tuple(
            (item.name, item.version or "-", state_text(item), origin(item.source) or "-")
            for item in items
        ),
        empty="No extensions are installed. Install one: harnest extensions install NAME",
    )
