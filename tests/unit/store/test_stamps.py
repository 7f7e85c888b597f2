"""File stamps: what they notice, and that nothing depends on them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from harnest_ext.store.stamps import read_stamps, render_stamps, stamps_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of three files."""
    folder = tmp_path / "copy"
    (folder / "lib").mkdir(parents=True)
    (folder / "a.txt").write_text("a")
    (folder / "lib" / "b.txt").write_text("b")
    (folder / "lib" / "c.txt").write_text("c")
    return folder


def _rewrite(copy: Path) -> None:
    (copy / "a.txt").write_text("A longer text")


def _replace(copy: Path) -> None:
    (copy / "lib" / "new").write_text("b")
    (copy / "lib" / "new").replace(copy / "lib" / "b.txt")


CHANGES: dict[str, tuple[Callable[[Path], object], tuple[str, ...]]] = {
    "changed": (_rewrite, ("a.txt (changed)",)),
    "replaced by the same content": (_replace, ()),
    "added": (lambda copy: (copy / "x").write_text(""), ("x (added)",)),
    "removed": (lambda copy: (copy / "a.txt").unlink(), ("a.txt (removed)",)),
    "empty folder": (lambda copy: (copy / "d").mkdir(), ("d/ (added)",)),
    "link": (lambda copy: (copy / "l").symlink_to("a.txt"), ("l (added)",)),
    "touched": (lambda copy: os.utime(copy / "a.txt", ns=(1, 1)), ()),
}


@pytest.mark.parametrize("what", CHANGES)
def test_every_change_is_noticed_and_named(copy: Path, what: str) -> None:
    """A stamp that does not fit is noticed; the files are named when their content differs."""
    change, named = CHANGES[what]
    stamps = stamps_of(copy, "digest")
    assert stamps.fit(copy)
    change(copy)
    assert not stamps.fit(copy)
    assert stamps.changes(copy) == named


def test_cache_folders_are_not_looked_at(copy: Path) -> None:
    """What Python writes beside the code changes nothing."""
    stamps = stamps_of(copy, "digest")
    (copy / "lib" / "__pycache__").mkdir()
    (copy / "lib" / "__pycache__" / "b.pyc").write_bytes(b"\x00")
    assert stamps.fit(copy)
    assert stamps.changes(copy) == ()


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"version": 9}', b'{"version": 1}', b"\xff"])
def test_stamps_that_nobody_can_read_are_none(tmp_path: Path, data: bytes) -> None:
    """They are a cache: the digest decides instead, and no command fails."""
    (tmp_path / "stamps.json").write_bytes(data)
    assert read_stamps(tmp_path, "stamps.json") == {}


def test_stamps_survive_writing_and_reading(tmp_path: Path, copy: Path) -> None:
    """What is read fits what was taken."""
    (tmp_path / "stamps.json").write_bytes(render_stamps({"weather": stamps_of(copy, "d")}))
    assert read_stamps(tmp_path, "stamps.json")["weather"].fit(copy)
