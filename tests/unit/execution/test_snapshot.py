"""What a call made is a difference."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from harnest.execution import limits
from harnest.execution.snapshot import Snapshot

if TYPE_CHECKING:
    from pathlib import Path


def test_new_and_changed_files_are_told(tmp_path: Path) -> None:
    """Those that are as they were, or gone, are not; nor are links and pipes."""
    for name in ("kept", "gone", "changed", "replaced"):
        (tmp_path / name).write_text("1")
    before = Snapshot.of(tmp_path)
    (tmp_path / "gone").unlink()
    (tmp_path / "changed").write_text("22")
    (tmp_path / "other").write_text("1")
    (tmp_path / "other").rename(tmp_path / "replaced")
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / os.fsdecode(b"\xff\n")).touch()
    (tmp_path / "link").symlink_to("/etc")
    os.mkfifo(tmp_path / "pipe")
    made = Snapshot.of(tmp_path).made_since(before)
    assert made == ("changed", f"d/{os.fsdecode(bytes([0xFF, 10]))}", "replaced")


def test_a_change_that_was_given_the_former_time_is_told(tmp_path: Path) -> None:
    """Same size and time, another content; new rights or another name are no change of content."""
    for name in ("rewritten", "rights", "linked", "kept"):
        (tmp_path / name).write_text("1")
    before = Snapshot.of(tmp_path)
    facts = (tmp_path / "rewritten").stat()
    while (tmp_path / "rewritten").stat().st_ctime_ns == facts.st_ctime_ns:
        (tmp_path / "rewritten").write_text("2")
        os.utime(tmp_path / "rewritten", ns=(facts.st_atime_ns, facts.st_mtime_ns))
    (tmp_path / "rights").chmod(0o600)
    (tmp_path / "new").hardlink_to(tmp_path / "linked")
    assert Snapshot.of(tmp_path).made_since(before) == ("new", "rewritten")


def test_a_file_is_not_changed_by_what_becomes_of_another_name_of_it(tmp_path: Path) -> None:
    """The name that was given is new; the one that stayed is not."""
    (tmp_path / "stays").touch()
    (tmp_path / "goes").hardlink_to(tmp_path / "stays")
    before = Snapshot.of(tmp_path)
    (tmp_path / "goes").rename(tmp_path / "comes")
    assert Snapshot.of(tmp_path).made_since(before) == ("comes",)


def test_no_link_is_followed(tmp_path: Path) -> None:
    """A folder that became a link shows nothing of where it leads."""
    (tmp_path / "else").mkdir()
    (tmp_path / "else" / "secret").touch()
    work = tmp_path / "work"
    work.mkdir()
    before = Snapshot.of(work)
    (work / "d").symlink_to(tmp_path / "else")
    assert Snapshot.of(work).made_since(before) == ()


def test_beyond_the_bound_nothing_is_claimed(tmp_path: Path) -> None:
    """A file that was not looked at before is not called new when others made room for it."""
    for name in "abcd":
        (tmp_path / name).touch()
    before = Snapshot.of(tmp_path, 3)
    (tmp_path / "a").unlink()
    (tmp_path / "b").write_text("changed")
    assert Snapshot.of(tmp_path, 3).made_since(before) == ("b",)


def test_what_is_deeper_than_the_bound_costs_nothing(tmp_path: Path) -> None:
    """A tower of folders ends the look at it, not the call."""
    folder = tmp_path
    for _ in range(limits.SNAPSHOT_DEPTH + 10):
        folder /= "d"
    folder.mkdir(parents=True)
    (folder / "f").touch()
    (tmp_path / "g").touch()
    before = Snapshot(stamps={}, last=None)
    assert Snapshot.of(tmp_path).made_since(before) == ("g",)


def test_a_folder_that_is_gone_is_empty(tmp_path: Path) -> None:
    """A program may remove everything, its work directory too."""
    assert Snapshot.of(tmp_path / "gone").stamps == {}
