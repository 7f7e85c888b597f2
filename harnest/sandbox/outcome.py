"""How a managed execution ends: a result, or an error that hides the provider's own.

A provider's exceptions may hold code, credentials and paths. What leaves here has a fixed text, at
most the exception's type and the provider's documented phase in it, and no way back to the
original: the caller raises it outside of any ``except`` block.
"""

from __future__ import annotations

import asyncio
import re

from harnest.sandbox.errors import (
    SandboxCancelledError,
    SandboxClosedError,
    SandboxExecutionError,
    SandboxInputFilesUnsupportedError,
    SandboxPolicyUnsupportedError,
)
from harnest.sandbox.foreign import AdkOnlyError
from harnest.sandbox.metadata import sandbox_metadata_to_dict
from harnest.sandbox.result import SandboxResult
from harnest.sandbox.scope import ScopeEndedError
from harnest.sandbox.status import SandboxStatus
from harnest.sandbox.worker import WorkEndedError

__all__ = ["EXECUTION", "START", "safe_error", "safe_outcome", "settled"]

START = "start"
"""Phase in which the provider is built."""
EXECUTION = "execution"
"""Phase in which the provider works, as far as it names none of its own."""

_PHASE = re.compile(r"[A-Za-z][A-Za-z0-9 '_./-]{0,79}", re.ASCII)
_TYPE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,79}", re.ASCII)


def settled(result: object) -> SandboxResult:
    """Return what a provider returned, a time-out with its phase.

    Raises:
        TypeError: It is no result.
        ValueError: An output file is not what its content says.
    """
    if not isinstance(result, SandboxResult):
        raise TypeError("the provider returned something else than a SandboxResult")
    for file in result.output_files:
        _ = file.data  # whoever takes it can decode it
    if result.status is not SandboxStatus.TIMED_OUT or "phase" in result.metadata:
        return result
    return SandboxResult(
        stdout=result.stdout,
        stderr=result.stderr,
        output_files=result.output_files,
        metadata={**sandbox_metadata_to_dict(result.metadata), "phase": EXECUTION},
        status=result.status,
        exit_code=result.exit_code,
    )


def safe_outcome(error: BaseException, phase: str) -> SandboxResult | BaseException:
    """Return what the caller of an execution may see of ``error``: a time-out as a result.

    Args:
        error: What was raised on the way.
        phase: Phase it was raised in, used if a time-out names none of its own.
    """
    if isinstance(error, TimeoutError):
        named = _named_phase(error) or phase
        return SandboxResult(status=SandboxStatus.TIMED_OUT, metadata={"phase": named})
    return safe_error(error)


def safe_error(error: BaseException) -> BaseException:
    """Return what a caller may see of ``error``.

    Args:
        error: What was raised on the way.

    Returns:
        A new error with a fixed text; for what ends the caller's own task or process, such as
        KeyboardInterrupt, one of the same type.
    """
    if isinstance(error, Exception):
        return _plain(error) or _failure(error)
    return _ending(error) or _failure(error)


def _ending(error: BaseException) -> BaseException | None:
    if isinstance(error, asyncio.CancelledError):
        # Its text is the caller's, who may recognise its own cancellation by it.
        return asyncio.CancelledError(*error.args)
    if isinstance(error, SystemExit):
        return SystemExit(error.code if isinstance(error.code, int | None) else 1)
    for kind in (KeyboardInterrupt, GeneratorExit):
        if isinstance(error, kind):
            return kind()
    return None


def _plain(error: Exception) -> Exception | None:
    if isinstance(error, ScopeEndedError):
        return ScopeEndedError("this part of the execution is over")
    if isinstance(error, SandboxCancelledError):
        return SandboxCancelledError("the execution was cancelled")
    if isinstance(error, SandboxInputFilesUnsupportedError):
        return SandboxInputFilesUnsupportedError("the sandbox provider takes no input files")
    if isinstance(error, SandboxPolicyUnsupportedError):
        return SandboxPolicyUnsupportedError(
            "the sandbox provider does not enforce the network policy of this sandbox"
        )
    if isinstance(error, AdkOnlyError | SandboxClosedError):
        return type(error)()
    return None


def _failure(error: BaseException) -> SandboxExecutionError:
    kind = error.kind if isinstance(error, WorkEndedError) else type(error).__name__
    shown = kind if _TYPE.fullmatch(kind) else "an exception"
    phase = _named_phase(error)
    where = f' in phase "{phase}"' if phase else ""
    return SandboxExecutionError(
        f"the sandbox provider failed with {shown}{where}; its own message is withheld. "
        "'harnest sandbox doctor' tells what it needs here, its log what it did"
    )


def _named_phase(error: BaseException) -> str:
    try:
        phase = getattr(error, "phase", None)
    except Exception:  # noqa: BLE001 - third-party code: an attribute may be a method in disguise
        return ""
    named = _PHASE.fullmatch(phase) if isinstance(phase, str) else None
    return named.group() if named else ""
