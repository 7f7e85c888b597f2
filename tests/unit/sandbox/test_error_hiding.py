"""A provider's secrets reach no error, log record, audit record or text of the contract."""

from __future__ import annotations

import asyncio
import gc
import io
import logging
import pickle
import traceback
from typing import TYPE_CHECKING, Any

import pytest

from harnest.sandbox import (
    Sandbox,
    SandboxCancelledError,
    SandboxExecutionError,
    SandboxFile,
    SandboxInputFilesUnsupportedError,
    SandboxPolicyUnsupportedError,
    SandboxRequest,
    SandboxResult,
    SandboxStatus,
)
from harnest.sandbox.runtime import ManagedSandbox
from tests.fakes.provider import ScriptedProvider, declare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SECRET = "hunter2-planted"


class PhasedError(RuntimeError):
    """A provider's error with a documented phase."""

    def __init__(self, message: str, phase: object) -> None:
        super().__init__(message)
        self.phase = phase


class SecretError(SandboxExecutionError):
    """An extension's own error, as the contract asks for."""


def chained(error: BaseException) -> Callable[[SandboxRequest], SandboxResult]:
    """Return a script that raises ``error`` with secrets in its cause, context and notes."""

    def script(_: SandboxRequest) -> SandboxResult:
        error.add_note(SECRET)
        try:
            return {}[SECRET]
        except KeyError as inner:
            raise error from inner

    return script


ERRORS = [
    (RuntimeError(SECRET), SandboxExecutionError),
    (OSError(5, SECRET, SECRET), SandboxExecutionError),
    (ValueError(SECRET), SandboxExecutionError),
    (AttributeError(SECRET), SandboxExecutionError),
    (ExceptionGroup(SECRET, [ValueError(SECRET)]), SandboxExecutionError),
    (SecretError(SECRET), SandboxExecutionError),
    (SandboxExecutionError(SECRET, status=SandboxStatus.CANCELLED), SandboxExecutionError),
    (PhasedError(SECRET, "image pull"), SandboxExecutionError),
    (PhasedError(SECRET, f"\n{SECRET}"), SandboxExecutionError),
    (SandboxInputFilesUnsupportedError(SECRET), SandboxInputFilesUnsupportedError),
    (SandboxPolicyUnsupportedError(SECRET), SandboxPolicyUnsupportedError),
    (SandboxCancelledError(SECRET), SandboxCancelledError),
]


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Everything that is logged at any level, with all attributes of the records."""
    stream = io.StringIO()

    class Everything(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            stream.write(f"{record.getMessage()} {vars(record)}\n")

    handler, root = Everything(0), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(0)
    yield stream
    root.removeHandler(handler)
    root.setLevel(level)


def secrets_in(error: BaseException) -> list[str]:
    """Return where the secret can be read from an error that a caller caught."""
    reachable = {
        "text": str(error),
        "repr": repr(error),
        "vars": repr(vars(error)),
        "pickle": repr(pickle.dumps(error)),
        "traceback": "".join(traceback.format_exception(error)),
        "notes": repr(getattr(error, "__notes__", [])),
    }
    return [name for name, text in reachable.items() if SECRET in text]


def run(sandbox: ManagedSandbox, how: str) -> BaseException:
    """Execute in one of the three ways and return what is raised."""
    request = sandbox.request(
        f"print({SECRET!r})",
        input_files=[SandboxFile(SECRET, SECRET.encode())],
    )
    ways = {
        "execute": lambda: sandbox.execute(request),
        "execute_streaming": lambda: sandbox.execute_streaming(request, lambda *_: None),
        "aexecute": lambda: asyncio.run(sandbox.aexecute(request)),
    }
    with pytest.raises(BaseException) as caught:  # noqa: PT011 - the tests look at what it is
        ways[how]()
    return caught.value


@pytest.mark.parametrize("how", ["execute", "execute_streaming", "aexecute"])
@pytest.mark.parametrize(("error", "expected"), ERRORS, ids=lambda value: type(value).__name__)
def test_a_providers_error_is_not_reachable(
    error: Exception, expected: type[Exception], how: str, log: io.StringIO
) -> None:
    """Neither text, cause, context, notes, pickle, traceback nor log hold the original."""
    sandbox = ManagedSandbox(declare(ScriptedProvider(chained(error)), metadata={"k": SECRET}))
    raised = run(sandbox, how)
    assert type(raised) is expected
    assert raised is not error
    assert raised.__cause__ is None
    assert raised.__context__ is None
    assert secrets_in(raised) == []
    gc.collect()
    assert SECRET not in log.getvalue()
    assert "sandbox.execute" in log.getvalue()


def test_an_execution_error_says_type_and_phase_and_what_to_do() -> None:
    """A user learns what failed where; a phase that is no plain words is left out."""
    plain = run(ManagedSandbox(declare(ScriptedProvider(chained(OSError(SECRET))))), "execute")
    assert "OSError" in str(plain)
    assert "doctor" in str(plain)
    assert plain.status is SandboxStatus.FAILED  # type: ignore[attr-defined]
    for phase, shown in [
        ("image pull", True),
        ("service 'db' readiness", True),
        ("a\nb", False),
        ("x" * 200, False),
        (3, False),
    ]:
        error = PhasedError(SECRET, phase)
        text = str(run(ManagedSandbox(declare(ScriptedProvider(chained(error)))), "execute"))
        assert (f'in phase "{phase}"' in text) is shown
        assert "PhasedError" in text


def test_a_factorys_error_is_hidden_too() -> None:
    """Building the provider is third-party code as well."""

    def factory() -> Any:
        raise ConnectionError(SECRET)

    sandbox = ManagedSandbox(Sandbox.provider(factory))
    raised = run(sandbox, "execute")
    assert type(raised) is SandboxExecutionError
    assert "ConnectionError" in str(raised)
    assert secrets_in(raised) == []


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_passes_without_the_error_that_it_interrupted(
    kind: type[BaseException],
) -> None:
    """KeyboardInterrupt stays itself, cut off from a provider's error being handled."""

    def script(_: SandboxRequest) -> SandboxResult:
        try:
            return {}[SECRET]
        except KeyError:
            raise kind from None

    raised = run(ManagedSandbox(declare(ScriptedProvider(script))), "execute")
    assert type(raised) is kind
    assert raised.__context__ is None


def test_a_time_out_carries_nothing_of_its_error() -> None:
    """The result of a raised TimeoutError has no text of it."""
    sandbox = ManagedSandbox(declare(ScriptedProvider(chained(TimeoutError(SECRET)))))
    result = sandbox.execute(sandbox.request("x"))
    assert SECRET not in f"{result.stdout}{result.stderr}{dict(result.metadata)}"


def test_what_a_provider_keeps_reports_and_removes_hides_its_errors() -> None:
    """The optional questions are third-party code too."""

    class Failing(ScriptedProvider):
        def inventory(self) -> tuple[()]:
            raise OSError(SECRET)

        def prune(self) -> None:
            raise OSError(SECRET)

        def diagnose(self) -> tuple[()]:
            raise TimeoutError(SECRET)

    sandbox = ManagedSandbox(declare(Failing()))
    for ask in (sandbox.inventory, sandbox.prune, sandbox.diagnose):
        with pytest.raises(SandboxExecutionError) as caught:
            ask()
        assert secrets_in(caught.value) == []
        assert caught.value.__context__ is None
