"""The tree digest: its definition, and what an installed copy's says."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnest_ext.package import digest_of_folder, tree_digest

if TYPE_CHECKING:
    from pathlib import Path

FILES = {"a.py": b"one", "lib/b.py": b"", "lib/\u00fc.txt": b"two", "z": b"\0" * 1000}


def by_definition(files: dict[str, bytes]) -> str:
    """Return the digest as the format defines it, computed in the plainest way."""
    state = hashlib.sha256()
    for path in sorted(files, key=lambda p: p.encode()):
        for part in (path.encode(), files[path]):
            state.update(len(part).to_bytes(8, "big") + part)
    return f"sha256:{state.hexdigest()}"


def written(folder: Path, files: dict[str, bytes]) -> Path:
    """Write files below a folder and return it."""
    for path, data in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return folder


@given(st.dictionaries(st.text(min_size=1, max_size=8), st.binary(max_size=40), max_size=8))
def test_the_digest_is_framed_paths_and_contents_in_byte_order(files: dict[str, bytes]) -> None:
    """However the files come and are cut into chunks, the digest is the defined one."""
    files = {path: data for path, data in files.items() if path.isprintable()}
    entries = [(p, [d[:3], d[3:]], len(d)) for p, d in reversed(files.items())]
    assert tree_digest(entries) == by_definition(files)


def test_moving_a_byte_between_files_changes_the_digest() -> None:
    """Frames keep a path and a content from flowing into each other."""
    one = tree_digest([("a", [b"bc"], 2), ("d", [b""], 0)])
    two = tree_digest([("a", [b"b"], 1), ("d", [b"c"], 1)])
    assert one != two != tree_digest([("ab", [b"c"], 1), ("d", [b""], 0)])


@pytest.mark.parametrize("entries", [[("a", [b"x"], 2)], [("a", [b""], 0), ("a", [b""], 0)]])
def test_contents_that_are_not_as_announced_are_refused(
    entries: list[tuple[str, list[bytes], int]],
) -> None:
    """A wrong size and a path that is there twice are errors of the caller."""
    with pytest.raises(ValueError, match="'a'"):
        tree_digest(entries)


def test_a_copy_has_the_digest_of_its_files(tmp_path: Path) -> None:
    """Modes, times and caches of byte code don't count."""
    folder = written(tmp_path / "copy", FILES)
    (folder / "lib" / "__pycache__").mkdir()
    (folder / "lib" / "__pycache__" / "b.pyc").write_bytes(b"cached")
    (folder / "a.py").chmod(0o755)
    os.utime(folder / "a.py", (1, 1))
    found = digest_of_folder(folder)
    assert found.digest == by_definition(FILES)
    assert {f.path: f.size for f in found.files} == {p: len(d) for p, d in FILES.items()}
    assert found.irregular == ()


@pytest.mark.parametrize("change", ["edit", "add", "remove", "rename", "byte code"])
def test_any_other_change_changes_the_digest(tmp_path: Path, change: str) -> None:
    """One byte, one file more, less or elsewhere: the copy is not what was installed."""
    folder = written(tmp_path / "copy", FILES)
    {
        "edit": lambda: (folder / "a.py").write_bytes(b"onE"),
        "add": (folder / "lib" / "new.py").touch,
        "remove": (folder / "z").unlink,
        "rename": lambda: (folder / "z").rename(folder / "y"),
        "byte code": (folder / "a.pyc").touch,
    }[change]()
    found = digest_of_folder(folder)
    assert found.digest.startswith("sha256:")
    assert found.digest != by_definition(FILES)


@pytest.mark.parametrize("odd", ["link", "pipe", "empty folder", "folder link", "no text"])
def test_what_no_installation_writes_makes_a_copy_irregular(tmp_path: Path, odd: str) -> None:
    """Such a copy equals no digest, and the reason is named without following anything."""
    folder = written(tmp_path / "copy", FILES)
    {
        "link": lambda: (folder / "odd").symlink_to("a.py"),
        "pipe": lambda: os.mkfifo(folder / "odd"),
        "empty folder": (folder / "odd").mkdir,
        "folder link": lambda: (folder / "odd").symlink_to("/"),
        "no text": lambda: open(os.fsencode(folder) + b"/odd\xff", "wb").close(),  # noqa: PTH123 - a name of bytes
    }[odd]()
    found = digest_of_folder(folder)
    assert found.digest == ""
    assert [path[:3] for path in found.irregular] == ["odd"]


def test_a_copy_that_is_not_there_is_an_error_of_the_system(tmp_path: Path) -> None:
    """The caller knows what a missing copy means."""
    with pytest.raises(FileNotFoundError):
        digest_of_folder(tmp_path / "nothing")
