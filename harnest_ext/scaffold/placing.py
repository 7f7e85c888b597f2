"""Rendered files become a folder: all of it or nothing, and never over something else.

Files are staged beside the target and moved by rename. A new folder appears in one step. An empty
folder that exists already (perhaps the user's current one) keeps its identity: its entries are
moved in one by one, the one that makes it a project last, and taken out again on failure.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from harnest_ext.errors import StoreError
from harnest_ext.scaffold import rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["place"]


def place(files: Mapping[str, bytes], target: Path, *, last: str) -> None:
    """Write ``files`` as the new folder ``target``.

    Args:
        files: Content by relative path.
        target: Folder that doesn't exist yet or is empty; missing parents are made.
        last: Root entry that makes the folder what it is; it arrives after all others.

    Raises:
        StoreError: Something is there already, or the folder could not be written; then nothing
            was changed.
    """
    _refuse_occupied(target)
    try:
        existing = target.is_dir()
        if not existing:
            target.parent.mkdir(parents=True, exist_ok=True)
        with _staged(files, target if existing else target.parent) as stage:
            if existing:
                _move_entries(stage, target, last)
            else:
                stage.rename(target)
        _sync_folder(target)
    except OSError as error:
        raise _failed(target, error) from error


def _refuse_occupied(target: Path) -> None:
    if not os.path.lexists(target):
        return
    if not target.is_dir():
        raise _occupied(target, "something that is not a folder")
    entries = sorted(path.name for path in target.iterdir())
    if entries:
        shown = ", ".join(entries[:3]) + (", ..." if len(entries) > 3 else "")
        raise _occupied(target, f"a folder that holds {shown}")


@contextlib.contextmanager
def _staged(files: Mapping[str, bytes], parent: Path) -> Iterator[Path]:
    stage = Path(tempfile.mkdtemp(prefix=".harnest-init-", dir=parent))
    try:
        content = stage / "content"
        content.mkdir()
        for name, data in files.items():
            path = content / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        yield content
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _move_entries(stage: Path, target: Path, last: str) -> None:
    moved: list[Path] = []
    try:
        for entry in sorted(stage.iterdir(), key=lambda path: (path.name == last, path)):
            destination = target / entry.name
            if os.path.lexists(destination):
                raise FileExistsError(f"{entry.name} appeared meanwhile")
            entry.rename(destination)
            moved.append(destination)
    except OSError:
        for path in reversed(moved):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        raise


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _occupied(target: Path, got: str) -> StoreError:
    return StoreError(
        rules.OCCUPIED.problem(
            "The folder can't be created: something is there already.",
            path=str(target),
            expected="a path that does not exist yet, or an empty folder",
            got=got,
        ),
        unchanged="Nothing was changed.",
    )


def _failed(target: Path, error: OSError) -> StoreError:
    return StoreError(
        rules.WRITE.problem(
            "The folder could not be written.",
            path=str(target),
            expected="a place that can be written to",
            got=error.strerror or str(error),
        ),
        unchanged="Nothing was created.",
    )
