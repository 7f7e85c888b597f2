"""Suspending an invocation until an external system delivers a result.

An extension that declares ``context.continuations`` gets two sides. At start,
:class:`ProviderContinuations`: it registers how results are validated, and later completes or
fails what is pending, in this process or after a restart. In an invocation,
:class:`InvocationContinuations`: it records the wait and gives a handle to await.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

__all__ = [
    "ContinuationConflictError",
    "ContinuationError",
    "ContinuationRecord",
    "ContinuationValidationError",
    "ExternalContinuationFailed",
    "ExternalContinuationUnavailableError",
    "InvocationContinuations",
    "PendingContinuation",
    "ProviderContinuations",
    "SuspendedContinuation",
]

Validator: TypeAlias = Callable[[Any], Mapping[str, Any]]
"""Turns a delivered result into a mapping, or raises ValueError or TypeError."""


class ContinuationError(RuntimeError):
    """A continuation could not be recorded, completed or resumed."""


class ContinuationConflictError(ContinuationError):
    """It is finished, suspended under the same name, or was changed by another writer."""


class ContinuationValidationError(ContinuationError, ValueError):
    """A result or an argument is not of the registered form; the value is never in the text."""


class ExternalContinuationUnavailableError(ContinuationError):
    """This invocation can't be suspended, or nothing is pending under that external id."""


class ExternalContinuationFailed(ContinuationError):
    """The external system reported a failure.

    Attributes:
        code: The stable code that the extension recorded.
    """

    def __init__(self, code: str) -> None:
        super().__init__(f"The external work failed: {code}.")
        self.code = code

    def __reduce__(self) -> tuple[type[ExternalContinuationFailed], tuple[str]]:
        return (type(self), (self.code,))


@dataclass(frozen=True, slots=True, kw_only=True)
class ContinuationRecord:
    """What a store keeps of a wait: identifiers alone, no prompt, no result, no credential.

    Attributes:
        continuation_id: Ordering key of the store; pages start after it.
        run_id: The invocation that waits.
        capability: What the extension does meanwhile, such as ``jobs.run``.
        schema_id: The registered form of the result.
        revision: Rises with each write; 1 when it was recorded.
    """

    continuation_id: str
    run_id: str
    capability: str
    schema_id: str
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingContinuation:
    """A wait that is not finished.

    Attributes:
        external_id: The external system's name of the work.
        record: What the store keeps of it.
    """

    external_id: str
    record: ContinuationRecord


class SuspendedContinuation(Protocol):
    """A recorded wait of the running invocation."""

    async def result(self) -> Mapping[str, Any]:
        """Wait for the validated result.

        Raises:
            ExternalContinuationFailed: The external work failed.
            ContinuationError: The runtime closed, or the invocation ended, before it arrived.
        """
        ...


class InvocationContinuations(Protocol):
    """The invocation's side."""

    def preflight(self) -> None:
        """Raise :class:`ExternalContinuationUnavailableError` if no wait can be recorded here."""
        ...

    async def suspend(
        self, external_id: str, *, capability: str, schema_id: str, validate: Validator
    ) -> SuspendedContinuation:
        """Record a wait before the external work is observed.

        Args:
            external_id: The external system's name of the work, 1 to 512 characters.
            capability: What it is, 1 to 128 characters.
            schema_id: A schema that the extension registered at start.
            validate: Turns the delivered result into a mapping, or raises ValueError or TypeError.

        Raises:
            ContinuationValidationError: An argument is not of that form.
            ContinuationConflictError: Another wait has this external id.
            ExternalContinuationUnavailableError: No wait can be recorded here.
        """
        ...


class ProviderContinuations(Protocol):
    """The extension's side, valid from start to stop."""

    def register_schema(self, schema_id: str, validate: Validator) -> None:
        """Name a form of results; the same name may be registered once."""
        ...

    async def complete(self, external_id: str, result: Mapping[str, Any]) -> None:
        """Deliver a result, at most 1 MiB as JSON.

        Raises:
            ContinuationConflictError: It is finished already, or another writer was faster.
            ContinuationValidationError: The registered schema refuses the result.
            ExternalContinuationUnavailableError: Nothing waits under that external id.
        """
        ...

    async def fail(self, external_id: str, error_code: str) -> None:
        """Deliver a failure; the code matches ``[a-z][a-z0-9_.-]{0,63}``."""
        ...

    async def list_pending(
        self, *, after: str | None = None, limit: int = 100
    ) -> tuple[PendingContinuation, ...]:
        """Return at most ``limit`` (1 to 1,000) waits in store order.

        Args:
            after: The ``continuation_id`` that ended the page before.
            limit: Most entries of the page.
        """
        ...
