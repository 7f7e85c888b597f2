"""What a call came to."""

from __future__ import annotations

from typing import Any

import pytest

from harnest.execution import ExecutionResult
from harnest.execution.text import decoded


def test_a_result_is_a_checked_value() -> None:
    """Names are sorted, bytes follow the text, and success is the exit code's."""
    result = ExecutionResult(stdout="é", exit_code=0, files_created=("b", "a"))
    assert (result.files_created, result.stdout_bytes) == (("a", "b"), "é".encode())
    assert result.succeeded
    assert not ExecutionResult(exit_code=1).succeeded
    assert not ExecutionResult(timed_out=True).succeeded


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"stdout": b"x"}, TypeError),
        ({"stderr": None}, TypeError),
        ({"timed_out": 1}, TypeError),
        ({"exit_code": True}, TypeError),
        ({"exit_code": -1}, ValueError),
        ({"execution_time_ms": 0}, ValueError),
        ({"files_created": "abc"}, TypeError),
        ({"denials": (1,)}, TypeError),
    ],
)
def test_wrong_values_are_refused(options: dict[str, Any], kind: type[Exception]) -> None:
    """A result that says something impossible can't be made."""
    with pytest.raises(kind):
        ExecutionResult(**options)


@pytest.mark.parametrize(
    ("data", "cut", "text"),
    [
        (b"\xc3\xa9", False, "é"),
        (b"\xc3", False, "�"),
        (b"a\xc3", True, "a"),
        (b"\xff\xffa", True, "��a"),
    ],
)
def test_text_shows_what_is_wrong_and_not_what_was_cut(data: bytes, cut: bool, text: str) -> None:
    """A character that our own bound cut is no error of the program's."""
    assert decoded(data, cut=cut) == text
