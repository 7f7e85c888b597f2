"""One change of a project at every point where it can be stopped or fail."""

from __future__ import annotations

import errno
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from harnest_ext import limits
from harnest_ext.errors import InvalidExtension, StoreError
from harnest_ext.identity import Slug
from harnest_ext.package.digest import tree_digest
from harnest_ext.store import LockedExtension, LockedSource, LockFile, Project, layout
from harnest_ext.store.lockfile import read_lock, render_lock
from harnest_ext.store.reader import current_path, installed_view
from harnest_ext.store.staging import CopiedFile
from harnest_ext.store.view import CopyState
from harnest_ext.store.writing import open_for_writing
from tests.fakes.filesystem import (
    Crash,
    CrashingFileSystem,
    FailingFileSystem,
    RecordingFileSystem,
)
from tests.support.commands import snapshot
from tests.support.packages import make_agent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from harnest_ext.store.filesystem import FileSystem
    from harnest_ext.store.writing import Writer

Files = dict[str, bytes]

OLD_WEATHER: Files = {"extension.yaml": b"one", "lib/a.py": b"a = 1\n", "lib/b/c.py": b"c"}
NEW_WEATHER: Files = {"extension.yaml": b"two", "lib/a.py": b"a = 2\n" * 9, "lib/d.py": b""}
RAIN: Files = {"extension.yaml": b"rain"}
SNOW: Files = {"extension.yaml": b"snow", "skills/deep/er/x.md": b"# x\n"}


def _digest(files: Files) -> str:
    return tree_digest((path, [data], len(data)) for path, data in files.items())


def _chunks(files: Files) -> Iterable[CopiedFile]:
    return [CopiedFile(path, len(files[path]), [files[path]]) for path in sorted(files)]


def _lock(**copies: Files) -> LockFile:
    return LockFile(
        entries={
            Slug(name): LockedExtension(
                name=Slug(name),
                version="1.0.0",
                source=LockedSource(kind="folder", location=f"../{name}"),
                digest=_digest(files),
            )
            for name, files in copies.items()
        }
    )


OLD = {"weather": OLD_WEATHER, "rain": RAIN}
NEW = {"weather": NEW_WEATHER, "snow": SNOW}


def _held(project: Project, disk: FileSystem | None = None) -> AbstractContextManager[Writer]:
    return open_for_writing(project, disk=disk or RecordingFileSystem())


def _begin(agent: Path, disk: FileSystem | None = None) -> Project:
    """Bring the project to its old state."""
    project = Project.at(agent)
    with _held(project, disk) as writer, writer.change("install") as change:
        for name, files in OLD.items():
            change.move_in(Slug(name), _chunks(files), _digest(files))
        change.swap(layout.LOCK_NAME, render_lock(_lock(**OLD)))
        change.commit()
    return project


def _change(project: Project, disk: FileSystem | None = None) -> None:
    """Bring the project from its old state to its new one."""
    with _held(project, disk) as writer, writer.change("upgrade") as change:
        change.move_out(Slug("weather"), b"{}")
        change.move_out(Slug("rain"), b"{}")
        change.move_in(Slug("weather"), _chunks(NEW_WEATHER), _digest(NEW_WEATHER))
        change.move_in(Slug("snow"), _chunks(SNOW), _digest(SNOW))
        change.swap(layout.LOCK_NAME, render_lock(_lock(**NEW)))
        change.swap(layout.PYPROJECT_NAME, b"# new\n")
        change.commit()


def _attempt(project: Project, disk: FileSystem) -> str:
    try:
        _change(project, disk)
    except StoreError as error:
        return str(error)
    return ""


def _visible(agent: Path) -> dict[str, object]:
    """All of the project but the store's local state."""
    return {p: e for p, e in snapshot(agent).items() if not p.startswith(layout.STATE_PATH)}


def _states(tmp_path: Path) -> tuple[dict[str, object], dict[str, object]]:
    """The project before and after the change, made without any fault."""
    project = _fresh(tmp_path, 10_000)
    old = _visible(project.root)
    _change(project)
    return old, _visible(project.root)


def _fresh(tmp_path: Path, number: int) -> Project:
    """Return another project in the old state."""
    first = tmp_path / "first" / "demo"
    if not first.exists():
        _begin(make_agent(first.parent))
    return Project.at(shutil.copytree(first, tmp_path / f"p{number}"))


def _read_as_reader(project: Project) -> dict[str, Files]:
    """What a reader sees, which must be one of the two sets and nothing between."""
    view = installed_view(project)
    assert not view.problems
    assert read_lock(current_path(project.root, layout.LOCK_NAME)) == view.lock
    seen = {}
    for name, item in view.extensions.items():
        assert item.state is CopyState.OK
        assert item.path is not None
        seen[name] = {
            path.relative_to(item.path).as_posix(): path.read_bytes()
            for path in item.path.rglob("*")
            if path.is_file()
        }
    return seen


def _operations(tmp_path: Path) -> list[str]:
    recorder = RecordingFileSystem()
    _change(_fresh(tmp_path, 9999), recorder)
    return recorder.done


@pytest.mark.parametrize("torn", [False, True])
def test_a_crash_at_any_operation_leaves_the_old_or_the_new_state(
    tmp_path: Path, *, torn: bool
) -> None:
    """Readers see one whole set right after a crash, and the next writer leaves that set alone."""
    old, new = _states(tmp_path)
    operations = _operations(tmp_path)
    assert len(operations) > 60
    outcomes = set()
    for at, operation in enumerate(operations):
        if torn and operation != "write":
            continue
        project = _fresh(tmp_path, at)
        with pytest.raises(Crash):
            _change(project, CrashingFileSystem(at=at, torn=torn))
        seen = _read_as_reader(project)
        assert seen in (OLD, NEW), f"a mix after a crash at {at}: {operation}"
        with _held(project):
            pass
        settled = _visible(project.root)
        assert settled == (old if seen == OLD else new), f"after a crash at {at}: {operation}"
        assert not (project.root / layout.STAGING_PATH).exists()
        assert not (project.root / layout.JOURNAL_PATH).exists()
        outcomes.add(settled == new)
    assert outcomes == ({False} if torn else {False, True})


def test_a_crash_in_the_recovery_is_recovered_too(tmp_path: Path) -> None:
    """However often the recovery itself is killed, the last one ends in the new state."""
    _, new = _states(tmp_path)
    operations = _operations(tmp_path)
    decided = operations.index("rename journal.json.new journal.json") + 1
    tried = 0
    for at in range(decided, len(operations), 9):
        for second in range(0, 60, 2):
            project = _fresh(tmp_path, 100_000 + at * 100 + second)
            with pytest.raises(Crash):
                _change(project, CrashingFileSystem(at=at))
            try:
                with open_for_writing(project, disk=CrashingFileSystem(at=second)):
                    pass
            except Crash:
                tried += 1
            else:
                break
            assert _read_as_reader(project) == NEW
            with _held(project):
                pass
            assert _visible(project.root) == new
    assert tried > 25


@pytest.mark.parametrize("lasting", [False, True])
def test_a_fault_at_any_operation_changes_nothing_and_names_the_reason(
    tmp_path: Path, *, lasting: bool
) -> None:
    """A fault is told by name; the project is as before, or the next writer makes it new."""
    old, new = _states(tmp_path)
    operations = _operations(tmp_path)
    decided = operations.index("rename journal.json.new journal.json")
    for at, error in _faults(operations):
        project = _fresh(tmp_path, at * 1000 + error)
        refused = _attempt(project, FailingFileSystem(at=at, error=error, lasting=lasting))
        # Without a refusal everything was in place and only leftovers could not be removed.
        assert os.strerror(error) in refused or at > decided
        done = not refused
        unfinished = (project.root / layout.JOURNAL_PATH).exists()
        assert _read_as_reader(project) == (NEW if done or unfinished else OLD)
        with _held(project):
            pass
        assert _visible(project.root) == (new if done or unfinished else old)
        assert not unfinished or lasting


def _faults(operations: list[str]) -> Iterator[tuple[int, int]]:
    """Every fault at each operation that writes content, and one of them at each other."""
    faults = (errno.ENOSPC, errno.EIO, errno.EROFS, errno.EACCES)
    for at, operation in enumerate(operations):
        writes = operation.startswith(("create", "write"))
        yield from ((at, error) for error in (faults if writes else (faults[at % 4],)))


def test_a_refused_first_change_leaves_no_trace(agent: Path) -> None:
    """A project that never had an extension is byte for byte as before, folders included."""
    before = snapshot(agent)
    project = Project.at(agent)
    with (
        pytest.raises(InvalidExtension) as caught,
        open_for_writing(project) as writer,
        writer.change("install") as change,
    ):
        change.move_in(Slug("rain"), _chunks(RAIN), _digest(SNOW))
    assert caught.value.rule == "store.source-changed"
    assert snapshot(agent) == before


def test_everything_is_on_stable_storage_before_the_decision(tmp_path: Path) -> None:
    """When the journal appears, every staged file and folder has been synced."""

    class Watcher(RecordingFileSystem):
        pending: set[int] | None = None

        def rename(self, name: str, new_name: str, *, folder: int, new_folder: int) -> None:
            if new_name == "journal.json":
                type(self).pending = set(self.unsynced)
            super().rename(name, new_name, folder=folder, new_folder=new_folder)

    project = _fresh(tmp_path, 1)
    _change(project, Watcher())
    assert Watcher.pending == set()


def test_the_decision_is_on_stable_storage_before_the_command_ends(tmp_path: Path) -> None:
    """Every rename is synced before the journal is dropped, and the drop itself as well."""

    class Watcher(RecordingFileSystem):
        pending: set[int] | None = None

        def unlink(self, name: str, *, folder: int) -> None:
            if name == "journal.json":
                type(self).pending = set(self.unsynced)
            super().unlink(name, folder=folder)

    project = _fresh(tmp_path, 1)
    _change(project, Watcher())
    assert Watcher.pending is not None
    staged = {path.stat().st_ino for path in (project.extensions, project.root, project.state)}
    assert not Watcher.pending & staged


def test_a_copy_is_never_put_in_the_place_of_something_else(agent: Path, tmp_path: Path) -> None:
    """A link where the copy belongs is refused, and what it points at stays as it is."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mine.txt").write_text("mine")
    (agent / "extensions").mkdir()
    (agent / "extensions" / "rain").symlink_to(outside)
    before = snapshot(agent)
    with (
        pytest.raises(StoreError) as caught,
        open_for_writing(Project.at(agent)) as writer,
        writer.change("install") as change,
    ):
        change.move_in(Slug("rain"), _chunks(RAIN), _digest(RAIN))
    assert caught.value.rule == "store.destination"
    assert snapshot(agent) == before
    assert (outside / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize("place", ["extensions", "extensions/.harnest"])
def test_a_linked_state_folder_is_refused(agent: Path, tmp_path: Path, place: str) -> None:
    """Nothing is written through a link in place of one of the store's folders."""
    outside = tmp_path / "outside"
    outside.mkdir()
    target = agent / place
    target.parent.mkdir(exist_ok=True)
    target.symlink_to(outside)
    with pytest.raises(StoreError) as caught, open_for_writing(Project.at(agent)):
        pass
    assert caught.value.kind == "conflict"
    assert list(outside.iterdir()) == []


def test_a_copy_of_many_files_is_written_in_batches(tmp_path: Path) -> None:
    """More files than are kept open at a time arrive whole, synced, and with few of them open."""
    project = Project.at(make_agent(tmp_path, "agent"))
    many = {f"lib/d{n % 7}/f{n:04}.py": b"#" * n for n in range(3 * limits.UNSYNCED_FILES + 1)}
    disk = RecordingFileSystem()
    with _held(project, disk) as writer, writer.change("install") as change:
        change.move_in(Slug("many"), _chunks(many), _digest(many))
        change.commit()
    copy = project.extensions / "many"
    assert {str(p.relative_to(copy)): p.read_bytes() for p in copy.rglob("*.py")} == many
    assert not disk.unsynced & {path.stat().st_ino for path in copy.rglob("*")}
