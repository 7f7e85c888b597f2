"""A directory is removed whatever a program did to it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from harnest.execution.local.removal import remove

if TYPE_CHECKING:
    from pathlib import Path


def test_links_go_and_what_they_lead_to_stays(tmp_path: Path) -> None:
    """Links to files and folders, a pipe, hidden names, and folders that nobody may enter."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "kept").write_text("text")
    work = tmp_path / "work"
    (work / "a" / ".b").mkdir(parents=True)
    (work / "a" / "file").symlink_to(other / "kept")
    (work / "folder").symlink_to(other)
    os.mkfifo(work / "a" / ".b" / "pipe")
    (work / "a" / os.fsdecode(b"\xff\n")).touch()
    for folder in (work / "a" / ".b", work / "a", work):
        folder.chmod(0)
    assert remove(work)
    assert not work.exists()
    assert (other / "kept").read_text() == "text"


def test_a_tower_of_folders_is_no_obstacle(tmp_path: Path) -> None:
    """Deeper than a path is long, than calls nest and than there are descriptors."""
    work = tmp_path / "work"
    work.mkdir()
    before = os.open(".", os.O_RDONLY)
    try:
        os.chdir(work)
        for _ in range(2500):
            os.mkdir("deep")  # noqa: PTH102 - the path is too long for any other way
            os.chdir("deep")
        os.mkdir(".moved-0")  # noqa: PTH102 - as above
    finally:
        os.fchdir(before)
        os.close(before)
    assert remove(work)
    assert not work.exists()


def test_what_is_no_directory_goes_as_well(tmp_path: Path) -> None:
    """A link in its place is removed, not what it leads to; what is gone is gone."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert remove(tmp_path / "link")
    assert (tmp_path / "real").is_dir()
    assert not os.path.lexists(tmp_path / "link")
    assert remove(tmp_path / "gone")
