"""Where services listen is what the kernel says of their sockets."""

from __future__ import annotations

import socket
import sys
from typing import TYPE_CHECKING

import pytest

from harnest.execution import limits
from harnest.execution.listeners import listener_in, listeners

if TYPE_CHECKING:
    from pathlib import Path

HEADING = "Num       RefCount Protocol Flags    Type St Inode Path\n"
LISTENS = "0000000000000000: 00000002 00000000 00010000 0001 01 4711"
CONNECTED = "0000000000000000: 00000003 00000000 00000000 0001 03 4712"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has the table")
@pytest.mark.parametrize(
    ("kind", "listens"),
    [(socket.SOCK_STREAM, True), (socket.SOCK_SEQPACKET, True), (socket.SOCK_DGRAM, False)],
)
def test_a_real_listener_is_found_while_it_listens(
    tmp_path: Path, kind: int, *, listens: bool
) -> None:
    """Any kind, by its real path, blanks and newlines included; and no more when it ends."""
    folder = tmp_path.resolve() / "a b"
    folder.mkdir()
    path = str(folder / "of\nmine  here")
    with socket.socket(socket.AF_UNIX, kind) as server:
        server.bind(path)
        if listens:
            assert path not in listeners()
            server.listen()
        assert path in listeners()
    assert path not in listeners()


def test_what_takes_no_connections_is_left_out(tmp_path: Path) -> None:
    """Connected, nameless and abstract sockets lead nowhere, nor does one whose file is gone."""
    folder = tmp_path.resolve()
    table = folder / "unix"
    with socket.socket(socket.AF_UNIX) as there:
        there.bind(str(folder / "there"))
        lines = [
            f"{LISTENS} {folder}/gone",
            f"{CONNECTED} {folder}/there",
            f"{LISTENS} @abstract/there",
            f"{LISTENS} there",
            LISTENS,
        ]
        table.write_text(HEADING + "\n".join(lines) + "\n")
        assert listeners(table) == ()
        table.write_text(HEADING + "\n".join([*lines, f"{LISTENS} {folder}/there"]) + "\n")
        assert listeners(table) == (f"{folder}/there",)


def test_a_system_without_a_table_tells_nothing(tmp_path: Path) -> None:
    """There is nothing to be looked through."""
    assert listeners(tmp_path / "none") == ()


def test_a_table_that_is_too_long_is_an_error(tmp_path: Path) -> None:
    """Half a table would leave listeners out."""
    table = tmp_path / "unix"
    with table.open("wb") as file:
        file.truncate(limits.SOCKET_TABLE_BYTES + 1)
    with pytest.raises(ValueError, match="nobody can say"):
        listeners(table)


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/a", "/a/s"),
        ("/a/s", "/a/s"),
        ("/a/", "/a/s"),
        ("/", "/a/s"),
        ("/a/s/t", None),
        ("/ab", None),
    ],
)
def test_a_path_holds_what_is_below_it(path: str, found: str | None) -> None:
    """Names are compared as a whole."""
    assert listener_in(path, ("/a/s", "/abc")) == found
