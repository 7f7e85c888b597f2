"""What a newer template would make otherwise, file by file; nothing is written."""

from __future__ import annotations

import difflib
import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnest_ext.scaffold.record import TemplateRecord, digest
from harnest_ext.scaffold.rendering import render
from harnest_ext.scaffold.template import Template

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["FileChange", "FileState", "TemplateUpdate", "compare"]


class FileState(enum.StrEnum):
    """How a file of the template stands to the author's."""

    NEW = "new"
    """The template has it since; the author has nothing of that name."""
    CHANGED = "changed"
    """The template changed it; the author did not: the new content can be taken as it is."""
    BOTH = "changed by both"
    """The template and the author changed it, or the author has removed it."""
    GONE = "no longer in the template"
    """The template has it no more; the author's file stays of use or not as they decide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """One file that the newer template makes otherwise.

    Attributes:
        path: Its relative path.
        state: How it stands.
        diff: From the author's file to the template's, as a unified diff.
    """

    path: str
    state: FileState
    diff: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateUpdate:
    """What has changed since a folder was made.

    Attributes:
        template: Name of the template.
        before: Its version then.
        now: Its version now.
        changes: Files that it makes otherwise now, sorted by path.
    """

    template: str
    before: str
    now: str
    changes: tuple[FileChange, ...]


def compare(folder: Path, *, root: Path | None = None) -> TemplateUpdate:
    """Render a folder's template anew and compare.

    Args:
        folder: A folder that ``harnest extensions init`` made.
        root: Folder of templates; None for the one that ships.

    Raises:
        ExtensionNotFound: The folder has no record, or its template is no more.
        InvalidExtension: The record is broken.
        UsageError: The template now asks for a value that the folder doesn't have.
    """
    record = TemplateRecord.read(folder)
    template = Template.load(record.template, root=root)
    known = {name: item for name, item in record.values.items() if name in template.variables}
    files = render(template, template.values(known))
    changed = [path for path in files if digest(files[path]) != record.digests.get(path)]
    gone = [path for path in record.digests if path not in files]
    changes = [_changed(folder, path, files[path], record) for path in changed]
    changes += [FileChange(path=path, state=FileState.GONE, diff="") for path in gone]
    return TemplateUpdate(
        template=record.template,
        before=record.version,
        now=template.version,
        changes=tuple(sorted(changes, key=lambda change: change.path)),
    )


def _changed(folder: Path, path: str, content: bytes, record: TemplateRecord) -> FileChange:
    before = record.digests.get(path)
    mine = _read(folder / path)
    if mine is None and before is None:
        state = FileState.NEW
    elif mine is not None and digest(mine) == before:
        state = FileState.CHANGED
    else:
        state = FileState.BOTH
    return FileChange(path=path, state=state, diff=_diff(path, mine or b"", content))


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _diff(path: str, mine: bytes, theirs: bytes) -> str:
    before, after = (
        text.decode("utf-8", "replace").splitlines(keepends=True) for text in (mine, theirs)
    )
    return "".join(difflib.unified_diff(before, after, f"yours/{path}", f"template/{path}"))
