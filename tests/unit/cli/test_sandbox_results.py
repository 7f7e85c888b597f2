"""The exit status of ``sandbox run``."""

from __future__ import annotations

import pytest

from harnest.sandbox import SandboxResult, SandboxStatus
from harnest_ext.cli.sandbox.results import exit_status


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
