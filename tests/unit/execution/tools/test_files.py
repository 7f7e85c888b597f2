"""Reading, writing, editing and removing files: the same text wherever the files are."""

from __future__ import annotations

import base64
import hashlib
import os
import socket
import stat
from typing import TYPE_CHECKING

import pytest

from harnest.execution.tools import limits
from harnest.execution.tools.names import show_name
from tests.unit.execution.tools.conftest import make_bench

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.execution.tools.conftest import Bench

NAMES = {
    "newline": (b"a\nb", '"a\\nb"'),
    "last-newline": (b"end\n", '"end\\n"'),
    "spaces": (b" a  b ", '" a  b "'),
    "dash": (b"-rf", "-rf"),
    "quotes": (b'it\'s "so"', 'it\'s "so"'),
    "quoted": (b'"q"', '"\\"q\\""'),
    "backslash": (b"a\\nb\\", "a\\nb\\"),
    "glob": (b"[a]*?", "[a]*?"),
    "dollar": (b"$HOME `id` ;&|", "$HOME `id` ;&|"),
    "percent": (b"100%s%%d\\101", "100%s%%d\\101"),
    "latin": (b"caf\xe9", '"caf\\xe9"'),
    "unicode": ("naïve ☃".encode(), "naïve ☃"),
    "controls": (bytes(range(1, 32)).replace(b"/", b""), None),
    "high": (bytes(range(0x80, 0x100)), None),
    "dots": (b"...", "..."),
    "tilde": (b"~root", "~root"),
    "equals": (b"a=b", "a=b"),
    "long": (b"n" * 255, "n" * 255),
}


def write(bench: Bench, name: bytes | str, content: bytes) -> Path:
    """Put a file in the work directory."""
    path = bench.root / os.fsdecode(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def content(bench: Bench, name: bytes | str) -> bytes:
    """Return what a file of the work directory holds."""
    return (bench.root / os.fsdecode(name)).read_bytes()


def names(folder: Path) -> list[str]:
    """Return the sorted names in a folder."""
    return sorted(path.name for path in folder.iterdir())


READS = {
    "empty": (b"", "(empty file)"),
    "plain": (b"one\ntwo\n", "     1\tone\n     2\ttwo"),
    "no-last-line-feed": (
        b"one\ntwo",
        "     1\tone\n     2\ttwo\n[no line feed at the end of the file]",
    ),
    "blank-lines": (b"\n\n", "     1\t\n     2\t"),
    "crlf": (b"a\r\nb\r\n", "     1\ta\n     2\tb\n[lines end with CR LF]"),
    "some-crlf": (b"a\r\nb\n", "     1\ta\r\n     2\tb\n[some lines end with CR LF]"),
    "latin": (
        b"caf\xe9\n",
        "     1\tcaf\ufffd\n[1 byte is no UTF-8 and shown as \ufffd]",
    ),
    "unicode": ("☃\n".encode(), "     1\t☃"),
    "huge-line": (
        b"x" * 5000 + b"\n",
        "     1\t" + "x" * 2000 + " [3000 more characters]",
    ),
    "binary": (
        b"ab\0c",
        (
            "Error (unreadable): f is binary: byte 2 of 4 is NUL; use bash with a program that "
            "reads its format"
        ),
    ),
    "too-large": (
        b"x" * (limits.READ_BYTES + 1),
        (
            "Error (unreadable): f has 1048577 bytes, more than the limit of 1048576 bytes for "
            "this; use grep, or bash with head, tail or sed, for a part of it"
        ),
    ),
}


@pytest.mark.parametrize("case", READS)
def test_a_file_is_read_with_numbers_and_notes(case: str, bench: Bench) -> None:
    """Lines come numbered, and what can't be seen of a file is said."""
    data, expected = READS[case]
    write(bench, "f", data)
    assert bench.say("read_file", path="f") == expected


def test_a_part_of_a_file_is_read(bench: Bench) -> None:
    """The arguments offset and limit choose lines, and the answer says how to go on."""
    write(bench, "f", b"".join(b"%d\n" % n for n in range(1, 11)))
    assert bench.say("read_file", path="f", offset=9) == "     9\t9\n    10\t10"
    assert bench.say("read_file", path="f", offset=2, limit=2) == (
        "     2\t2\n     3\t3\n[lines 2 to 3 of 10; go on with offset=4]"
    )
    assert bench.say("read_file", path="f", offset=11) == (
        "Error (invalid-argument): offset 11 is beyond the last line of f, 10"
    )


def test_the_largest_file_is_read_whole(bench: Bench) -> None:
    """A file of exactly the limit arrives in pieces that fit together."""
    line = b"0123456789abcde\n"
    write(bench, "f", line * (limits.READ_BYTES // 16))
    last = limits.READ_BYTES // 16
    assert bench.say("read_file", path="f", offset=last) == f"{last:>6}\t0123456789abcde"


@pytest.mark.parametrize("case", NAMES)
def test_every_name_works_everywhere(case: str, bench: Bench) -> None:
    """A name is listed, and as it is listed it is read, written, edited, found and deleted."""
    name, shown = NAMES[case]
    write(bench, name, b"old\n")
    listed = shown or bench.say("list_directory")[len("file               4  ") :]
    assert bench.say("list_directory") == f"file               4  {listed}"
    assert bench.say("glob", pattern="*", hidden=True) == listed
    assert bench.say("read_file", path=listed) == "     1\told"
    assert bench.say("edit_file", path=listed, old_string="old", new_string="new") == (
        f"Edited {listed}: 1 replacement, at line 1"
    )
    assert bench.say("grep", pattern="new", hidden=True) == f"{listed}\n1:new\n[1 match in 1 file]"
    assert bench.say("write_file", path=listed, content="x") == (
        f"Replaced {listed}: 1 byte, 1 line"
    )
    assert content(bench, name) == b"x"
    assert bench.say("delete", path=listed) == f"Deleted the file {listed} (1 byte)"
    assert names(bench.root) == []


@pytest.mark.parametrize("case", NAMES)
def test_every_name_works_as_a_folder(case: str, bench: Bench) -> None:
    """Folders with odd names are made, entered and removed."""
    name, _ = NAMES[case]
    folder, path = show_name(name), show_name(name + b"/f")
    assert bench.say("write_file", path=path, content="é\n") == f"Created {path}: 3 bytes, 1 line"
    assert content(bench, name + b"/f") == "é\n".encode()
    assert bench.say("read_file", path=path) == "     1\té"
    assert bench.say("delete", path=folder, recursive=True) == (
        f"Deleted the folder {folder} and everything in it"
    )
    assert names(bench.root) == []


def test_writing_makes_folders_and_says_what_was_new(bench: Bench) -> None:
    """A new file is created with its folders; an old one is replaced."""
    assert bench.say("write_file", path="a/b/c.txt", content="1\n2\n") == (
        "Created a/b/c.txt: 4 bytes, 2 lines"
    )
    assert bench.say("write_file", path="a/b/c.txt", content="") == (
        "Replaced a/b/c.txt: 0 bytes, 0 lines"
    )
    assert content(bench, "a/b/c.txt") == b""


def test_content_arrives_byte_for_byte(bench: Bench) -> None:
    """Neither line ends, quotes, escapes nor a missing last line feed are changed on the way."""
    text = "\r\n'\"\\n%s\\101 $HOME `id` \x01\x7f é☃ \t end"
    bench.say("write_file", path="f", content=text)
    assert content(bench, "f") == text.encode()


def test_large_content_arrives_whole(bench: Bench) -> None:
    """Content of many pieces is put in place at once."""
    text = "0123456789abcde\n" * (3 * limits.PIECE_BYTES // 16) + "end"
    assert bench.say("write_file", path="f", content=text).startswith("Created f: 1572867 bytes")
    assert content(bench, "f") == text.encode()
    assert names(bench.root) == ["f"]


def test_too_much_content_is_refused_before_anything_happens(bench: Bench) -> None:
    """The limit stands in the refusal, and nothing is written."""
    answer = bench.say("write_file", path="f", content="x" * (limits.WRITE_BYTES + 1))
    assert answer == (
        "Error (invalid-argument): content has 10485761 bytes, more than the limit of 10485760 "
        "bytes"
    )
    assert names(bench.root) == []


def test_a_replaced_file_keeps_its_permissions(bench: Bench) -> None:
    """Permissions stay; the right to run as another user does not."""
    path = write(bench, "f", b"x")
    path.chmod(0o4751)
    bench.say("write_file", path="f", content="y")
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    bench.say("edit_file", path="f", old_string="y", new_string="z")
    assert stat.S_IMODE(path.stat().st_mode) == 0o751


@pytest.mark.parametrize("mode", [0, 0o44, 0o7])
def test_permissions_stay_where_nobody_but_root_could_write(mode: int, bench: Bench) -> None:
    """Those of the owner may all be missing."""
    if os.geteuid():
        pytest.skip("only root writes there")
    path = write(bench, "f", b"x")
    path.chmod(mode)
    assert bench.say("write_file", path="f", content="y") == "Replaced f: 1 byte, 1 line"
    assert (stat.S_IMODE(path.stat().st_mode), path.read_bytes()) == (mode, b"y")


def test_a_new_file_has_the_permissions_of_any_other(bench: Bench) -> None:
    """The umask decides, as for every program."""
    mask = os.umask(0o027)
    try:
        bench.say("write_file", path="f", content="y")
        bench.say("generate_file", path="g", content="y")
    finally:
        os.umask(mask)
    assert {stat.S_IMODE((bench.root / name).stat().st_mode) for name in "fg"} == {0o640}


def test_what_root_makes_belongs_to_the_owner_of_the_folder(bench: Bench) -> None:
    """Programs that run as the work directory's owner can go on with files, new and replaced."""
    if os.geteuid():
        pytest.skip("only root makes files for others")
    os.chown(bench.root, 4711, 4712)
    bench.say("write_file", path="a/b/f", content="x")
    bench.say("generate_file", path="g", content="x")
    os.chown(bench.root / "g", 4713, 4714)
    bench.say("write_file", path="g", content="y")
    owners = {name: (bench.root / name).stat() for name in ("a", "a/b", "a/b/f", "g")}
    assert {name: (owner.st_uid, owner.st_gid) for name, owner in owners.items()} == {
        "a": (4711, 4712),
        "a/b": (4711, 4712),
        "a/b/f": (4711, 4712),
        "g": (4713, 4714),
    }


@pytest.mark.parametrize("place", ["host", "dash", "bash"])
def test_a_tree_that_is_nested_deeply_is_removed(place: str, tmp_path: Path) -> None:
    """Deeper than calls nest, than paths are long and than there are descriptors."""
    root, folder = tmp_path / "work", tmp_path / "bin"
    root.mkdir()
    folder.mkdir()
    bench = make_bench(place, root, folder)
    here = os.open(root, os.O_RDONLY)
    for _ in range(3_000):
        os.mkdir("d", dir_fd=here)
        os.mkdir("e", dir_fd=here)
        os.close(os.open("f", os.O_CREAT | os.O_WRONLY, dir_fd=here))
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    said = bench.say("delete", path="d", recursive=True)
    assert said == "Deleted the folder d and everything in it"
    assert names(root) == ["e", "f"]


@pytest.mark.parametrize("name", ["\n", "\n\n", ": Directory not empty", "-"])
def test_a_folder_that_holds_one_odd_name_is_not_empty(name: str, bench: Bench) -> None:
    """Whatever the name is that it holds, or its own."""
    write(bench, f"d{name}/{name}", b"")
    shown = show_name(os.fsencode(f"d{name}"))
    refused = f"Error (not-empty): the folder {shown} is not empty"
    assert bench.say("delete", path=f"d{name}") == refused
    (bench.root / f"d{name}" / name).unlink()
    assert bench.say("delete", path=f"d{name}") == f"Deleted the folder {shown}"


def test_a_link_in_a_removed_tree_goes_alone(bench: Bench) -> None:
    """What it leads to stays, and so does everything beside the tree."""
    write(bench, "kept/f", b"x")
    write(bench, "d/e/g", b"x")
    (bench.root / "d" / "l").symlink_to("../kept")
    (bench.root / "d" / "e" / "m").symlink_to(bench.root / "kept" / "f")
    os.mkfifo(bench.root / "d" / "e" / "pipe")
    said = bench.say("delete", path="d", recursive=True)
    assert said == "Deleted the folder d and everything in it"
    assert names(bench.root) == ["kept"]
    assert content(bench, "kept/f") == b"x"


def test_a_path_that_ends_in_a_slash_is_that_of_a_folder(bench: Bench) -> None:
    """As for the kernel: neither a file nor a link is meant by it, or made, or removed."""
    write(bench, "f", b"x")
    write(bench, "d/g", b"x")
    (bench.root / "l").symlink_to("f")
    (bench.root / "m").symlink_to("d")
    folder = "Error (not-a-directory): {}, or what is before it in the path, is no folder"
    for path in ("f/", "f//", "f/.", "l/"):
        shown = folder.format(f"{path[0]}/")
        assert bench.say("read_file", path=path) == shown
        assert bench.say("edit_file", path=path, old_string="x", new_string="y") == shown
        assert bench.say("list_directory", path=path) == shown
        assert bench.say("grep", pattern="x", path=path) == shown
    assert bench.say("delete", path="f/") == folder.format("f/")
    for path in ("l/", "m/"):
        assert bench.say("delete", path=path, recursive=True) == folder.format(path)
    assert bench.say("read_file", path="d/") == "Error (is-a-directory): d/ is a folder"
    assert bench.say("read_file", path="no/") == "Error (not-found): no/ does not exist"
    for path in ("f/", "d/", "new/", "a/b/", '"new/"'):
        shown = path.strip('"')
        for tool in ("write_file", "generate_file"):
            assert bench.say(tool, path=path, content="") == (
                f"Error (is-a-directory): {shown} ends in a slash and so names a folder, not a file"
            )
    assert names(bench.root) == ["d", "f", "l", "m"]
    assert bench.say("glob", pattern="*", path="d/") == "d/g"
    assert bench.say("grep", pattern="x", path="m/") == "m/g\n1:x\n[1 match in 1 file]"
    assert bench.say("delete", path="d/", recursive=True).startswith("Deleted the folder d/")


def test_editing_needs_one_match(bench: Bench) -> None:
    """A text that is not there, or twice, is refused and nothing changes; all can be asked for."""
    write(bench, "f", b"a b a\nc")
    assert bench.say("edit_file", path="f", old_string="x", new_string="y") == (
        "Error (no-unique-match): old_string does not occur in f; read the file again and copy the "
        "text exactly, spaces and line feeds included"
    )
    assert bench.say("edit_file", path="f", old_string="a", new_string="y") == (
        "Error (no-unique-match): old_string occurs 2 times in f; take in more of the lines around "
        "it, or set replace_all"
    )
    assert bench.say("edit_file", path="f", old_string="c", new_string="c") == (
        "Error (no-unique-match): old_string must be a non-empty text other than new_string"
    )
    assert content(bench, "f") == b"a b a\nc"
    assert bench.say("edit_file", path="f", old_string="a", new_string="z", replace_all=True) == (
        "Edited f: 2 replacements, the first at line 1"
    )
    assert content(bench, "f") == b"z b z\nc"


def test_editing_keeps_every_other_byte(bench: Bench) -> None:
    """Bytes that are no UTF-8 and line ends of another system stay as they are."""
    write(bench, "f", b"caf\xe9\r\none\r\ntwo\r\n")
    assert bench.say("edit_file", path="f", old_string="one\ntwo", new_string="1\n2\n3") == (
        "Edited f: 1 replacement, at line 2"
    )
    assert content(bench, "f") == b"caf\xe9\r\n1\r\n2\r\n3\r\n"


def test_a_generated_file_is_new_and_proved(bench: Bench) -> None:
    """Size and digest are told, binary content is possible, and nothing is ever replaced."""
    data = bytes(range(256))
    digest = hashlib.sha256(data).hexdigest()
    text = base64.encodebytes(data).decode()
    assert bench.say("generate_file", path="out/i.bin", content=text, encoding="base64") == (
        f"Created out/i.bin: 256 bytes, sha256 {digest}"
    )
    assert content(bench, "out/i.bin") == data
    assert bench.say("generate_file", path="out/i.bin", content="x") == (
        "Error (exists): out/i.bin exists already"
    )
    assert content(bench, "out/i.bin") == data
    assert names(bench.root / "out") == ["i.bin"]


def test_what_is_not_there_or_of_another_kind_is_said(bench: Bench) -> None:
    """Each reason has its word and names the path as it was given."""
    write(bench, "f", b"x")
    write(bench, "d/g", b"x")
    said = [
        bench.say("read_file", path="no"),
        bench.say("read_file", path="d"),
        bench.say("read_file", path="f/x"),
        bench.say("read_file", path="no/x"),
        bench.say("read_file", path="."),
        bench.say("write_file", path="d", content=""),
        bench.say("write_file", path="f/x/y", content=""),
        bench.say("edit_file", path="no", old_string="a", new_string="b"),
        bench.say("list_directory", path="f"),
        bench.say("list_directory", path="no"),
        bench.say("glob", pattern="*", path="f"),
        bench.say("delete", path="no"),
        bench.say("delete", path="d"),
        bench.say("delete", path="."),
        bench.say("delete", path=str(bench.root)),
        bench.say("delete", path="d/.."),
        bench.say("read_file", path="n" * 256),
    ]
    nothing = "Error (permission-denied): {} is the work directory itself, which stays"
    folder = "Error (not-a-directory): {}, or what is before it in the path, is no folder"
    assert said == [
        "Error (not-found): no does not exist",
        "Error (is-a-directory): d is a folder",
        folder.format("f/x"),
        "Error (not-found): no/x does not exist",
        "Error (is-a-directory): . is a folder",
        "Error (is-a-directory): d is a folder",
        folder.format("f/x/y"),
        "Error (not-found): no does not exist",
        folder.format("f"),
        "Error (not-found): no does not exist",
        folder.format("f"),
        "Error (not-found): no does not exist",
        "Error (not-empty): the folder d is not empty",
        nothing.format("."),
        nothing.format(bench.root),
        nothing.format("."),
        f"Error (failed): a name in {'n' * 80}... is longer than 255 bytes",
    ]


def test_a_link_below_the_work_directory_is_followed(bench: Bench) -> None:
    """Reading and writing through a link reaches its target; deleting removes the link alone."""
    write(bench, "real/f", b"one\n")
    (bench.root / "dir").symlink_to("real")
    (bench.root / "real" / "again").symlink_to("../dir/f")
    assert bench.say("read_file", path="dir/again") == "     1\tone"
    assert bench.say("write_file", path="dir/again", content="two\n") == (
        "Replaced dir/again: 4 bytes, 1 line"
    )
    assert (bench.root / "real" / "again").is_symlink()
    assert content(bench, "real/f") == b"two\n"
    assert bench.say("list_directory", path="dir") == (
        "link                  again\nfile               4  f"
    )
    assert bench.say("delete", path="dir", recursive=True) == (
        "Deleted the link dir; what it led to stays"
    )
    assert content(bench, "real/f") == b"two\n"


def test_what_a_link_leads_to_is_made(bench: Bench) -> None:
    """A file or folder that is not there yet comes to be where the link in its place leads."""
    (bench.root / "file").symlink_to("real")
    (bench.root / "folder").symlink_to("made")
    assert bench.say("write_file", path="file", content="") == "Created file: 0 bytes, 0 lines"
    assert bench.say("write_file", path="folder/a/f", content="") == (
        "Created folder/a/f: 0 bytes, 0 lines"
    )
    assert names(bench.root) == ["file", "folder", "made", "real"]
    assert content(bench, "made/a/f") == b""


def test_a_link_out_of_the_work_directory_is_refused(bench: Bench) -> None:
    """By its real path, in every place of a path, and for every tool; the link can be deleted."""
    outside = bench.root.parent / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret")
    (bench.root / "d").symlink_to(outside)
    (bench.root / "f").symlink_to(outside / "secret")
    (bench.root / "n").symlink_to("../outside/new")
    refused = "Error (permission-denied): {} leads out of the work directory through a link"
    assert bench.say("read_file", path="f") == refused.format("f")
    assert bench.say("read_file", path="d/secret") == refused.format("d/secret")
    assert bench.say("write_file", path="f", content="x") == refused.format("f")
    assert bench.say("write_file", path="d/x", content="x") == refused.format("d/x")
    assert bench.say("write_file", path="n", content="x") == refused.format("n")
    assert bench.say("edit_file", path="f", old_string="s", new_string="x") == refused.format("f")
    assert bench.say("delete", path="d/secret") == refused.format("d/secret")
    assert bench.say("list_directory", path="d") == refused.format("d")
    assert bench.say("glob", pattern="*", path="d") == refused.format("d")
    assert bench.say("grep", pattern="secret", path="d") == refused.format("d")
    assert bench.say("grep", pattern="secret", path="f") == refused.format("f")
    assert bench.say("grep", pattern="secret") == "(no matches)"
    assert bench.say("glob", pattern="**") == "d\nf\nn"
    assert bench.say("delete", path="d") == "Deleted the link d; what it led to stays"
    assert names(outside) == ["secret"]
    assert (outside / "secret").read_text() == "secret"


def test_links_in_a_circle_end(bench: Bench) -> None:
    """A path that never ends is refused."""
    (bench.root / "a").symlink_to("b")
    (bench.root / "b").symlink_to("a")
    circle = "Error (failed): the links in the path {} lead in a circle, or change"
    assert bench.say("read_file", path="a") == circle.format("a")
    assert bench.say("write_file", path="a/x", content="") == circle.format("a/x")
    assert bench.say("delete", path="a") == "Deleted the link a; what it led to stays"


def test_pipes_sockets_and_devices_hold_nobody_up(bench: Bench) -> None:
    """Special files are refused at once, and can be listed and deleted."""
    os.mkfifo(bench.root / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        os.chdir(bench.root)
        server.bind("socket")
    special = "Error (permission-denied): {} is a pipe, socket or device: only regular files are "
    special += "touched"
    for name in ("pipe", "socket"):
        assert bench.say("read_file", path=name) == special.format(name)
        assert bench.say("write_file", path=name, content="") == special.format(name)
    assert bench.say("grep", pattern="x") == "(no matches)"
    assert bench.say("list_directory") == (
        "special               pipe\nspecial               socket"
    )
    assert bench.say("delete", path="pipe") == "Deleted the pipe, socket or device pipe"


def test_what_is_outside_by_its_text_is_refused(bench: Bench) -> None:
    """Neither a parent nor an absolute path leads out; what can be no path is said."""
    for path in ("../x", "/etc/passwd", "a/../../x"):
        answer = bench.answer("read_file", path=path)
        assert answer.kind == "permission-denied"
    for path in ("", "a\0b", '"\\q"', "\ud800"):
        assert bench.answer("read_file", path=path).kind == "invalid-argument"
    assert bench.say("read_file", path=f"{bench.root}/no") == (
        f"Error (not-found): {bench.root}/no does not exist"
    )
