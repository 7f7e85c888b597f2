"""The parts of bringing files back that need no gateway."""

from __future__ import annotations

import io
import os
import tarfile
from typing import TYPE_CHECKING

import pytest
from harnest_extension_openshell.lib import limits
from harnest_extension_openshell.lib.sync.archive import Incoming, packed, pieces
from harnest_extension_openshell.lib.sync.listing import parsed, pruned
from harnest_extension_openshell.lib.sync.local import LocalTree
from harnest_extension_openshell.lib.sync.merge import (
    Content,
    Deed,
    after_change,
    after_deletion,
)
from hypothesis import given
from hypothesis import strategies as st

from harnest.execution import BackendError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OLD, NEW, OTHER = Content(digest="old"), Content(digest="new"), Content(digest="other")
ODD = "-a b\n'\"\\*" + os.fsdecode(b"\xff")


@pytest.mark.parametrize(
    ("remote", "base", "local", "deed"),
    [
        (NEW, OLD, OLD, Deed.WRITE),
        (NEW, OLD, NEW, Deed.NOTHING),
        (NEW, OLD, OTHER, Deed.SAVE_BESIDE),
        (NEW, OLD, None, Deed.SAVE_BESIDE),
        (NEW, None, None, Deed.WRITE),
        (NEW, None, OTHER, Deed.SAVE_BESIDE),
        (NEW, OLD, "symbolic link", Deed.SAVE_BESIDE),
        (OLD, OLD, OTHER, Deed.SAVE_BESIDE),
    ],
)
def test_a_changed_file_never_overwrites_what_changed_meanwhile(
    remote: Content, base: Content | None, local: Content | str | None, deed: Deed
) -> None:
    """Only what still is as both sides held it is replaced."""
    assert after_change(remote, base, local) is deed


@pytest.mark.parametrize(
    ("local", "deed"),
    [(OLD, Deed.DELETE), (NEW, Deed.KEEP), ("folder", Deed.KEEP), (None, Deed.NOTHING)],
)
def test_a_deletion_counts_only_for_a_file_as_both_sides_held_it(
    local: Content | str | None, deed: Deed
) -> None:
    """A file that was changed on the host stays, whatever happened to it in the sandbox."""
    assert after_deletion(OLD, local) is deed


@given(st.lists(st.binary(max_size=200)), st.integers(1, 64))
def test_pieces_hold_the_same_bytes_and_none_is_too_large(chunks: list[bytes], size: int) -> None:
    """However a stream comes, it goes on in pieces of one size."""
    made = list(pieces(chunks, size))
    assert b"".join(made) == b"".join(chunks)
    assert all(len(piece) == size for piece in made[:-1])
    assert all(0 < len(piece) <= size for piece in made)


def test_a_large_file_is_packed_in_bounded_pieces(tmp_path: Path) -> None:
    """No piece is larger than 512 KiB, and nothing holds more than a piece and a read at once."""
    with (tmp_path / "large").open("wb") as file:
        file.truncate(5 * limits.MIB + 3)
    tree = LocalTree(tmp_path)
    chunks = packed(tree, tree.entries(), lambda *_: None)
    sizes = [len(chunk) for chunk in chunks]
    assert max(sizes) <= limits.READ_BYTES
    tree_pieces = pieces(packed(tree, tree.entries(), lambda *_: None))
    assert max(len(piece) for piece in tree_pieces) == limits.PIECE_BYTES == 512 * 1024


def test_a_packed_project_is_a_tar_that_holds_every_name_and_byte(tmp_path: Path) -> None:
    """Names with newlines, quotes, dashes and bytes that are no UTF-8 come out as they went in."""
    (tmp_path / "folder" / "empty").mkdir(parents=True)
    (tmp_path / "folder" / ODD).write_bytes(bytes(range(256)))
    (tmp_path / ("x" * 200)).write_bytes(b"long name")
    (tmp_path / "run").write_bytes(b"#!/bin/sh\n")
    (tmp_path / "run").chmod(0o4755)
    tree = LocalTree(tmp_path)
    sent: dict[str, Content] = {}
    data = b"".join(packed(tree, tree.entries(), sent.__setitem__))
    with tarfile.open(fileobj=io.BytesIO(data), errors="surrogateescape") as archive:
        modes = {member.name.removeprefix("./"): member.mode for member in archive}
        assert archive.extractfile("./folder/" + ODD).read() == bytes(range(256))
    assert sorted(modes) == sorted(["folder", "folder/empty", "folder/" + ODD, "x" * 200, "run"])
    assert modes["run"] == 0o755
    back = {name: content for name, content, _ in Incoming(_cut(data), limits.MIB).files()}
    assert back == sent


def _cut(data: bytes) -> Iterator[bytes]:
    for at in range(0, len(data), 333):
        yield data[at : at + 333]


def test_a_tar_that_is_cut_off_is_no_tar(tmp_path: Path) -> None:
    """Half an archive is an error, not half the files."""
    (tmp_path / "file").write_bytes(b"x" * 5000)
    tree = LocalTree(tmp_path)
    data = b"".join(packed(tree, tree.entries(), lambda *_: None))
    with pytest.raises((tarfile.TarError, OSError)):
        list(Incoming(_cut(data[:2000]), limits.MIB).files())


def test_a_tar_that_is_larger_than_what_is_taken_is_refused_before_it_fills_the_disk(
    tmp_path: Path,
) -> None:
    """A file that grows after it was listed costs no more than the bound, however much comes."""
    with (tmp_path / "large").open("wb") as file:
        file.truncate(5 * limits.MIB)
    tree = LocalTree(tmp_path)
    stream = packed(tree, tree.entries(), lambda *_: None)
    with pytest.raises(BackendError, match="more bytes"):
        list(Incoming(stream, 5 * limits.MIB - 1).files())
    assert sum(map(len, stream)) > 4 * limits.MIB  # it was not even read


def test_a_file_that_goes_while_the_project_is_packed_is_left_out(tmp_path: Path) -> None:
    """Temporary files of other programs come and go; the rest is packed."""
    for name in ("a", "b"):
        (tmp_path / name).write_text(name)
    tree = LocalTree(tmp_path)
    entries = list(tree.entries())
    (tmp_path / "a").unlink()
    sent: dict[str, Content] = {}
    data = b"".join(packed(tree, entries, sent.__setitem__))
    assert [name for name, _, _ in Incoming(_cut(data), limits.MIB).files()] == ["b"] == [*sent]


def test_links_and_special_files_are_told_and_not_followed(tmp_path: Path) -> None:
    """A link, also one to a folder, is an entry of its own kind; nothing behind it is seen."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret")
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to("/etc/passwd")
    (root / "folder").symlink_to(outside)
    os.mkfifo(root / "pipe")
    kinds = {entry.path: entry.kind for entry in LocalTree(root).entries()}
    assert kinds == {"link": "symbolic link", "folder": "symbolic link", "pipe": "named pipe"}
    with pytest.raises(OSError, match=r"\[Errno \d+\]"), LocalTree(root).opened("link"):
        pass
    with pytest.raises(OSError, match=r"\[Errno \d+\]"), LocalTree(root).opened("folder/secret"):
        pass


def test_nothing_is_written_or_deleted_through_a_link(tmp_path: Path) -> None:
    """A folder that became a link leads nowhere: what comes is saved beside it."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("theirs")
    root = tmp_path / "root"
    root.mkdir()
    (root / "folder").symlink_to(outside)
    tree = LocalTree(root)
    source = io.BytesIO(b"ours")
    with pytest.raises(OSError, match=r"\[Errno \d+\]"):
        tree.write("folder/file", source, executable=False)
    with pytest.raises(OSError, match=r"\[Errno \d+\]"):
        tree.delete("folder/file")
    with pytest.raises(OSError, match=r"\[Errno \d+\]"):
        tree.write("../outside/file", source, executable=False)
    saved = tree.write_beside("folder/file", source, Content(digest="d"))
    assert saved == "folder.sandbox/file.sandbox"
    assert (root / saved).read_bytes() == b"ours"
    assert (outside / "file").read_text() == "theirs"


def test_a_link_in_the_place_of_a_file_is_replaced_not_followed(tmp_path: Path) -> None:
    """Writing puts a new file in the link's place; its target keeps its content."""
    target = tmp_path / "target"
    target.write_text("theirs")
    root = tmp_path / "root"
    root.mkdir()
    (root / "file").symlink_to(target)
    LocalTree(root).write("file", io.BytesIO(b"ours"), executable=True)
    assert target.read_text() == "theirs"
    assert not (root / "file").is_symlink()
    assert (root / "file").stat().st_mode & 0o777 == 0o755
    assert [item.name for item in root.iterdir()] == ["file"]


def test_a_name_beside_is_never_somebody_elses(tmp_path: Path) -> None:
    """A file of the host that is called so already stays; the same content is saved once."""
    (tmp_path / "a.sandbox").write_text("the user's own")
    tree = LocalTree(tmp_path)
    (tmp_path / "probe").write_bytes(b"one")
    content = tree.content("probe")
    assert isinstance(content, Content)
    assert tree.write_beside("a", io.BytesIO(b"one"), content) == "a.sandbox.2"
    assert tree.write_beside("a", io.BytesIO(b"one"), content) == "a.sandbox.2"
    assert (tmp_path / "a.sandbox").read_text() == "the user's own"
    with pytest.raises(OSError, match="too long"):
        tree.write_beside("x" * 250, io.BytesIO(b"one"), content)


def test_a_listing_is_cut_at_nul_alone() -> None:
    """A name may hold newlines and spaces and look like another entry."""
    odd = b"a\nf 644 1 1.0 1.0 7 b c \xff"
    data = b"f 755 12 1.5 1.5 42 " + odd + b"\0d 755 0 1.0 1.0 43 d\0l 777 9 1.0 1.0 44 d/l\0"
    entries = parsed(data)
    assert list(entries) == [os.fsdecode(odd), "d", "d/l"]
    assert [entry.kind for entry in entries.values()] == ["file", "folder", "symbolic link"]
    assert entries[os.fsdecode(odd)].executable
    assert entries[os.fsdecode(odd)].size == 12


@pytest.mark.parametrize(
    "data",
    [
        b"f 644 1 1.0 1.0 7 a",
        b"nonsense\0",
        b"f 644 1 1.0 1.0 7 ../up\0",
        b"f 644 1 1.0 1.0 7 a//b\0",
        b"f 644 1 1.0 1.0 7 /abs\0",
        b"f 644 1 1.0 1.0 7 " + b"x" * 5000 + b"\0",
        b"f 644 1 1.0 1.0 7 a\0" * (limits.TREE_ENTRIES + 1),
    ],
)
def test_a_listing_that_is_none_is_refused(data: bytes) -> None:
    """Cut off, forged, leading out or endless: nothing of it is believed."""
    with pytest.raises(ValueError, match=r"listing|entries"):
        parsed(data)


def test_excluded_names_are_literal() -> None:
    """A name with the characters of a pattern matches itself alone."""
    assert pruned(["a*", "[b]"]) == ["-name", r"a\*", "-o", "-name", r"\[b]"]


def test_a_project_in_bounds_is_all_that_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too many levels are refused before anything is sent; excluded names are not looked at."""
    deep = tmp_path
    for _ in range(limits.TREE_DEPTH + 2):
        deep /= "d"
    deep.mkdir(parents=True)
    with pytest.raises(ValueError, match="levels"):
        list(LocalTree(tmp_path).entries())
    assert list(LocalTree(tmp_path, ["d"]).entries()) == []
