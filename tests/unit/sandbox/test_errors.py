"""Errors of the contract are the builtins that a reader expects, and travel between processes."""

from __future__ import annotations

import pickle

import pytest

from harnest.sandbox import (
    SandboxCancelledError,
    SandboxExecutionError,
    SandboxInputFilesUnsupportedError,
    SandboxPolicyUnsupportedError,
    SandboxStatus,
)
from harnest.sandbox.errors import SandboxClosedError
from harnest.sandbox.foreign import AdkOnlyError
from harnest.sandbox.scope import QueueTimeoutError, ScopeEndedError


@pytest.mark.parametrize(
    ("error", "base"),
    [
        (SandboxCancelledError("x"), RuntimeError),
        (SandboxExecutionError("x"), RuntimeError),
        (SandboxInputFilesUnsupportedError("x"), ValueError),
        (SandboxPolicyUnsupportedError("x"), ValueError),
        (SandboxClosedError(), SandboxExecutionError),
        (ScopeEndedError("x"), SandboxCancelledError),
        (QueueTimeoutError("x"), TimeoutError),
        (AdkOnlyError(), TypeError),
    ],
    ids=lambda value: getattr(value, "__name__", type(value).__name__),
)
def test_an_error_is_caught_as_its_builtin_and_can_be_pickled(
    error: Exception, base: type[Exception]
) -> None:
    """Type, text and status survive a process boundary."""
    assert isinstance(error, base)
    copied = pickle.loads(pickle.dumps(error))
    assert type(copied) is type(error)
    assert str(copied) == str(error)
    assert getattr(copied, "status", None) is getattr(error, "status", None)


def test_a_cancellation_and_a_failure_tell_their_status() -> None:
    """One is always cancelled; the other is failed unless it says otherwise, as member or text."""
    assert SandboxCancelledError.status is SandboxStatus.CANCELLED
    assert SandboxExecutionError("x").status is SandboxStatus.FAILED
    assert SandboxExecutionError("x", status=SandboxStatus.TIMED_OUT).status == "timed_out"
    assert SandboxExecutionError("x", status="cancelled").status is SandboxStatus.CANCELLED  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="SandboxStatus"):
        SandboxExecutionError("x", status="over")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        SandboxExecutionError("x", SandboxStatus.FAILED)  # type: ignore[misc]
