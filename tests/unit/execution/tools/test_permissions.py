"""What permissions forbid, to tools that do not act as root: the same wherever the files are."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.unit.execution.tools.conftest import Bench

STRANGER = 4711
"""Number of a user that owns nothing here."""
NOTE = "[some files or folders could not be read]"
DENIED = "Error (permission-denied): the permissions of {} or of its folder forbid this"
USES: tuple[tuple[str, dict[str, str]], ...] = (
    ("write_file", {"path": "new", "content": "x"}),
    ("generate_file", {"path": "new", "content": "x"}),
    ("read_file", {"path": "new"}),
    ("list_directory", {}),
    ("glob", {"pattern": "*"}),
    ("grep", {"pattern": "[x]"}),
    ("delete", {"path": "new"}),
    ("delete", {"path": "new"}),
)
"""Each tool, some of them in vain."""


@contextlib.contextmanager
def acting_as(user: int) -> Iterator[None]:
    """Let this process, and what it starts, be another user for a while."""
    groups = os.getgroups()
    os.setgroups([])
    os.setresgid(user, user, 0)
    os.setresuid(user, user, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)
        os.setresgid(0, 0, 0)
        os.setgroups(groups)


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Return a folder to which everybody has a way; pytest keeps closing the way to its own."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder).resolve()


@pytest.fixture
def stranger(bench: Bench) -> Iterator[Callable[[], None]]:
    """Return what gives all files to another user and makes this process be that user."""
    if os.geteuid():
        pytest.skip("needs to act as another user")
    with contextlib.ExitStack() as stack:

        def become() -> None:
            for tool, arguments in USES:  # Python may lie where others don't come: all is imported
                bench.say(tool, **arguments)
            for path in (bench.root, *bench.root.rglob("*")):
                os.chown(path, STRANGER, STRANGER, follow_symlinks=False)
            stack.enter_context(acting_as(STRANGER))

        yield become


def test_folders_that_can_not_be_looked_into_are_told(
    bench: Bench, stranger: Callable[[], None]
) -> None:
    """A walk goes on beside them, whether their names can't be listed or not be looked up."""
    for name in ("closed", "listed", "passed", "open"):
        (bench.root / name).mkdir()
        (bench.root / name / "f").write_text("x\n")
    (bench.root / "empty").mkdir()
    stranger()
    for name, mode in {"closed": 0, "listed": 0o444, "passed": 0o111, "empty": 0o444}.items():
        (bench.root / name).chmod(mode)
    assert bench.say("glob", pattern="**/f") == f"open/f\n{NOTE}"
    assert bench.say("grep", pattern="x") == f"open/f\n1:x\n[1 match in 1 file]\n{NOTE}"
    for name in ("closed", "listed", "passed", "empty"):
        assert bench.say("list_directory", path=name) == DENIED.format(name)
        assert bench.say("glob", pattern="*", path=name) == DENIED.format(name)
    assert bench.say("read_file", path="passed/f") == "     1\tx"


def test_a_file_that_can_not_be_read_is_told_where_it_is_wanted(
    bench: Bench, stranger: Callable[[], None]
) -> None:
    """Not if the search would have left it out."""
    (bench.root / "d").mkdir()
    for name in ("d/f", "g"):
        (bench.root / name).write_text("x\n")
    stranger()
    (bench.root / "g").chmod(0)
    found = "d/f\n1:x\n[1 match in 1 file]"
    for pattern in ("x", "[x]"):
        assert bench.say("grep", pattern=pattern, include="d/**") == found
        assert bench.say("grep", pattern=pattern) == f"{found}\n{NOTE}"
        assert bench.say("grep", pattern=pattern, include="g") == f"(no matches)\n{NOTE}"


@pytest.mark.parametrize("name", ["f", "other"])
def test_names_that_can_not_be_looked_up_are_told_whichever_are_wanted(
    bench: Bench, stranger: Callable[[], None], name: str
) -> None:
    """What is behind them is not known, whether it would be found or not."""
    (bench.root / "listed").mkdir()
    (bench.root / "listed" / "f").write_text("x\n")
    stranger()
    (bench.root / "listed").chmod(0o444)
    assert bench.say("glob", pattern=f"**/{name}") == f"(no matches)\n{NOTE}"
    assert bench.say("grep", pattern="x", include=name) == f"(no matches)\n{NOTE}"
    assert bench.say("grep", pattern=".", include=name) == f"(no matches)\n{NOTE}"


def test_what_is_forbidden_is_told(bench: Bench, stranger: Callable[[], None]) -> None:
    """A file that can't be read, and a folder in which nothing can be made or removed."""
    (bench.root / "d").mkdir()
    for name in ("d/f", "g"):
        (bench.root / name).write_text("x\n")
    stranger()
    (bench.root / "g").chmod(0o200)
    (bench.root / "d" / "f").chmod(0o400)
    assert bench.say("read_file", path="g") == DENIED.format("g")
    assert bench.say("write_file", path="d/f", content="") == DENIED.format("d/f")
    (bench.root / "d").chmod(0o500)
    assert bench.say("write_file", path="d/h", content="") == DENIED.format("d/h")
    assert bench.say("write_file", path="d/e/h", content="") == DENIED.format("d/e/h")
    assert bench.say("generate_file", path="d/h", content="") == DENIED.format("d/h")
    assert bench.say("delete", path="d/f") == DENIED.format("d/f")
    assert bench.say("delete", path="d", recursive=True) == DENIED.format("d")


def test_what_can_be_removed_is_removed(bench: Bench, stranger: Callable[[], None]) -> None:
    """An empty folder goes though it can't be read; what is beside one that stays goes too."""
    for name in ("a/closed", "a/listed", "b/closed", "b/listed", "b/other"):
        (bench.root / name).mkdir(parents=True)
    for name in ("b/closed/f", "b/listed/f", "b/other/f", "b/a", "b/z"):
        (bench.root / name).touch()
    stranger()
    for name in "ab":
        (bench.root / name / "closed").chmod(0)
        (bench.root / name / "listed").chmod(0o444)
    assert bench.say("delete", path="a", recursive=True) == (
        "Deleted the folder a and everything in it"
    )
    full = "Error (not-empty): the folder b/closed is not empty"
    assert bench.say("delete", path="b/closed") == full
    assert bench.say("delete", path="b", recursive=True) == DENIED.format("b")
    assert sorted(path.name for path in (bench.root / "b").iterdir()) == ["closed", "listed"]
