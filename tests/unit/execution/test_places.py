"""Paths are decided by what they lead to."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from harnest.execution import limits
from harnest.execution.places import Places

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def places(tmp_path: Path) -> Places:
    """A work directory that programs see as /inside, with folders and links in it."""
    base = tmp_path / "base"
    (base / "d" / "e").mkdir(parents=True)
    (base / "d" / "f").write_text("text")
    for name, target in {
        "in": "d",
        "out": "/etc",
        "up": "..",
        "absolute": "/inside/d",
        "host": str(base / "d"),
        "loop": "loop",
        "dangling": "d/nothing",
        "chain": "in/e",
        "d/back": "../d/f",
        "d/out": "../../x",
    }.items():
        (base / name).symlink_to(target)
    return Places(host=str(base.resolve()), inside="/inside")


@pytest.mark.parametrize(
    ("path", "real"),
    [
        ("d/f", "d/f"),
        ("./d//f", "d/f"),
        ("new/deep/file", "new/deep/file"),
        ("in/f", "d/f"),
        ("chain/x", "d/e/x"),
        ("in/../new", "new"),
        ("in", "in"),
        ("d/back", "d/back"),
        ("dangling", "dangling"),
        (".", ""),
        ("d/..", ""),
        ("/inside", ""),
        ("/inside/d/f", "d/f"),
        (" -n\n", " -n\n"),
        (os.fsdecode(b"\xff"), os.fsdecode(b"\xff")),
    ],
)
def test_paths_inside_are_absolute_paths(places: Places, path: str, real: str) -> None:
    """Seen from the host and from inside; links but a last one are followed."""
    host = f"{places.host}/{real}" if real else places.host
    inside = f"/inside/{real}" if real else "/inside"
    assert places.resolve(path, inside=False) == host
    assert places.resolve(path, inside=True) == inside


@pytest.mark.parametrize(
    "path",
    [
        "..",
        "../x",
        "d/../..",
        "out",
        "out/passwd",
        "up",
        "up/x",
        "d/out",
        "/etc/passwd",
        "/insider",
    ],
)
def test_paths_outside_are_refused(places: Places, path: str) -> None:
    """By themselves, by a link, by a link's link."""
    # The directory is told by the name that programs know, and the host's is nobody's business.
    for inside in (False, True):
        with pytest.raises(PermissionError, match="work directory '/inside'"):
            places.resolve(path, inside=inside)


def test_an_absolute_link_means_what_its_reader_sees(places: Places) -> None:
    """Tools on the host follow the host's name of the directory, tools inside the other one."""
    assert places.resolve("absolute/f", inside=True) == "/inside/d/f"
    assert places.resolve("host/f", inside=False) == f"{places.host}/d/f"
    with pytest.raises(PermissionError):
        places.resolve("absolute/f", inside=False)
    with pytest.raises(PermissionError):
        places.resolve("host/f", inside=True)


def test_the_hosts_name_is_understood_from_inside(places: Places) -> None:
    """A path that a caller built from the directory means the same file."""
    assert places.resolve(f"{places.host}/d/f", inside=True) == "/inside/d/f"


def test_a_circle_of_links_ends(places: Places) -> None:
    """It leads nowhere."""
    with pytest.raises(PermissionError, match=str(limits.PATH_LINKS)):
        places.resolve("loop/x", inside=False)


@pytest.mark.parametrize("path", ["", "a\0", None, 3, b"a", "\ud800", "x" * 5000])
def test_what_is_no_path_is_refused(places: Places, path: object) -> None:
    """As a ValueError, whatever its type."""
    with pytest.raises(ValueError, match="path"):
        places.resolve(path, inside=False)
