"""What permissions forbid, to tools that do not act as root: the same wherever the files are."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.unit.execution.tools.conftest import Bench

STRANGER = 4711
"""Number of a user that owns nothing here."""
NOTE = "[some files or folders could not be read]"
DENIED = "Error (permission-denied): the permissions of {} or of its folder forbid this"


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
def stranger(bench: Bench) -> Iterator[Callable[[], None]]:
    """Return what gives all files to another user and makes this process be that user."""
    if os.geteuid():
        pytest.skip("needs to act as another user")
    with contextlib.ExitStack() as stack:

        def become() -> None:
            for folder in bench.root.parents:
                if folder.stat().st_uid == 0 and len(folder.parts) > 2:
                    folder.chmod(folder.stat().st_mode | 0o011)
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
