"""What commands that change a project say to people about what was done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.cli.extensions.texts import origin
from harnest_ext.manager.report import Action

if TYPE_CHECKING:
    from harnest_ext.cli.output import Output
    from harnest_ext.manager.report import Change, ChangeReport

__all__ = ["report_text", "tell"]

_UNCHANGED = {
    "install": "already installed",
    "upgrade": "is up to date",
    "sync": "equals the lock",
    "pin": "is pinned already",
    "unpin": "is not pinned",
}


def tell(report: ChangeReport, output: Output) -> None:
    """Say on stderr what the user should know beside the answer."""
    if report.recovered:
        output.note("Put right first what an interrupted command had left.")
    for problem in report.warnings:
        output.warn(problem.describe())
    for note in report.notes:
        output.note(note)


def report_text(report: ChangeReport, command: str) -> str:
    """Return a few lines for each extension that ``command`` looked at."""
    lines = [line for change in report.changes for line in _change_lines(change, command)]
    if report.dry_run and report.changed:
        lines.append("Dry run: nothing was written.")
    return "\n".join(lines) or "No extensions are installed: there is nothing to do."


def _change_lines(change: Change, command: str) -> list[str]:
    if change.action is Action.UNCHANGED:
        return [f"{change.name} {change.version}: {_UNCHANGED.get(command, 'unchanged')}"]
    if change.action is Action.REMOVED:
        return [f"removed {change.name} {change.version}".rstrip()]
    was = f" (was {change.previous})" if change.previous not in {"", change.version} else ""
    why = "" if change.requested else ", as a requirement"
    lines = [f"{change.action.value} {change.name} {change.version}{was}{why}"]
    if change.action in {Action.PINNED, Action.UNPINNED}:
        return lines
    lines.append(f"  from: {origin(change.source)}")
    if change.path:
        lines.append(f"  in: {change.path}")
    lines.append(f"  capabilities: {', '.join(change.capabilities) or 'none'}")
    if change.added_capabilities:
        lines.append(f"  of these new: {', '.join(change.added_capabilities)}")
    return lines
