"""The exit status of ``sandbox run``, and the files that it saves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harnest.sandbox import SandboxFile, SandboxResult, SandboxStatus
from harnest_ext.cli.sandbox.results import exit_status, save_files
from harnest_ext.errors import LoadError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("status", "code", "expected"),
    [
        ("succeeded", 0, 0),
        ("succeeded", None, 0),
        ("failed", 1, 1),
        ("failed", 255, 255),
        ("failed", 137, 137),
        ("failed", -9, 137),
        ("failed", -15, 143),
        ("failed", None, 125),
        ("failed", 0, 125),
        ("timed_out", 137, 124),
        ("timed_out", None, 124),
        ("output_limit_exceeded", None, 123),
        ("cancelled", None, 130),
    ],
)
def test_the_status_is_the_programs_unless_it_did_not_end_by_itself(
    status: str, code: int | None, expected: int
) -> None:
    """Signals are told as shells tell them, and our own numbers stand for what ended it."""
    result = SandboxResult(status=SandboxStatus(status), exit_code=code)
    assert exit_status(result) == expected


def test_a_saved_file_is_as_readable_as_any_other_of_the_user(tmp_path: Path) -> None:
    """Its mode is what the user's mask leaves, nothing else lies beside it, and it is replaced."""
    other = tmp_path / "other"
    other.touch()
    for content in (b"one", b"two"):
        assert save_files((SandboxFile("a/b", content),), tmp_path / "out")
    saved = tmp_path / "out" / "a" / "b"
    assert saved.read_bytes() == b"two"
    assert saved.stat().st_mode == other.stat().st_mode
    assert [path.name for path in saved.parent.iterdir()] == ["b"]


def test_a_name_that_the_system_has_not_is_refused(tmp_path: Path) -> None:
    """A provider may tell any text; it is no defect of the command."""
    with pytest.raises(LoadError, match="no name of this system"):
        save_files((SandboxFile("\ud800", b""),), tmp_path)
    assert list(tmp_path.iterdir()) == []
