"""The documented JSON shapes of what the manager answers; `docs/reference` describes each key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.text import printable

if TYPE_CHECKING:
    from harnest_ext.manager.details import ExtensionDetails, Listing
    from harnest_ext.manager.report import Change, ChangeReport
    from harnest_ext.problem import Problem
    from harnest_ext.store.lock import LockedSource

__all__ = [
    "change_shape",
    "details_shape",
    "listing_shape",
    "problem_shapes",
    "report_shape",
    "source_shape",
]


def report_shape(report: ChangeReport) -> dict[str, object]:
    """Return the shape of every command that changes a project."""
    return {
        "project": str(report.root),
        "changed": report.changed,
        "dry_run": report.dry_run,
        "recovered": report.recovered,
        "extensions": [change_shape(change) for change in report.changes],
        "notes": list(report.notes),
        "warnings": problem_shapes(report.warnings),
    }


def change_shape(change: Change) -> dict[str, object]:
    """Return the shape of one changed extension."""
    return {
        "name": change.name,
        "action": change.action.value,
        "version": change.version,
        "previous_version": change.previous or None,
        "source": source_shape(change.source),
        "path": change.path or None,
        "capabilities": list(change.capabilities),
        "added_capabilities": list(change.added_capabilities),
        "requested": change.requested,
    }


def listing_shape(listing: Listing) -> dict[str, object]:
    """Return the shape of ``list``."""
    return {
        "project": str(listing.root),
        "extensions": [details_shape(item) for item in listing.extensions],
        "interrupted": listing.interrupted,
        "problems": problem_shapes(listing.problems),
    }


def details_shape(item: ExtensionDetails) -> dict[str, object]:
    """Return the shape of one installed extension."""
    return {
        "name": printable(item.name),
        "version": item.version or None,
        "state": item.state.value,
        "incompatible": item.incompatible or None,
        "path": printable(item.path, 600) or None,
        "source": source_shape(item.source),
        "digest": item.digest or None,
        "requirement": item.requirement or None,
        "requested": item.requested,
        "pinned": item.pinned,
        "capabilities": list(item.capabilities),
        "requires": list(item.requires),
        "required_by": list(item.required_by),
        "dependencies": list(item.dependencies),
        "harnest": item.host_range or None,
        "python": item.requires_python or None,
        "shadows": item.shadows or None,
        "previous_version": item.previous or None,
        "changed_files": [printable(line, 600) for line in item.changes],
    }


def source_shape(source: LockedSource | None) -> dict[str, str | None] | None:
    """Return the shape of a source."""
    if source is None:
        return None
    return {
        "kind": source.kind.value,
        "location": printable(source.location, 600),
        "file": source.file or None,
    }


def problem_shapes(problems: tuple[Problem, ...]) -> list[dict[str, object]]:
    """Return the shapes of problems that did not refuse the command."""
    return [dict(problem.to_dict()) for problem in problems]
