"""Continuations kept in the project's state: both sides of :mod:`harnest.continuation`."""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeVar

from harnest.continuation import (
    ContinuationError,
    ContinuationValidationError,
    ExternalContinuationFailed,
    ExternalContinuationUnavailableError,
)
from harnest_ext import limits
from harnest_ext.runtime import records
from harnest_ext.runtime.safely import type_name
from harnest_ext.runtime.state import STATE_FILE

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping

    from harnest.continuation import PendingContinuation
    from harnest_ext.runtime.state import StateStore

    Validator = Callable[[Any], Mapping[str, Any]]

__all__ = ["ContinuationDesk", "InvocationSide"]

_T = TypeVar("_T")
_CODE = re.compile(r"[a-z][a-z0-9_.-]{0,63}", re.ASCII)
_SCHEMA = re.compile(r"[A-Za-z][A-Za-z0-9_.:/-]{0,127}", re.ASCII)
_PAGE: Final = 1000
"""Most waits that are listed at once."""
_LOOK_SECONDS: Final = 1.0
"""How often a wait looks whether another process has finished it."""


class ContinuationDesk:
    """One extension's side: from its start until the runtime closes.

    Args:
        store: The project's state.
        owner: The extension.
    """

    def __init__(self, store: StateStore, owner: str) -> None:
        self._store = store
        self._owner = owner
        self._schemas: dict[str, Validator] = {}
        self._waiting: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()

    def register_schema(self, schema_id: str, validate: Validator) -> None:
        """Name a form of results; see :class:`harnest.continuation.ProviderContinuations`."""
        if not isinstance(schema_id, str) or not _SCHEMA.fullmatch(schema_id):
            raise ContinuationValidationError(f"schema_id must match {_SCHEMA.pattern}")
        if not callable(validate):
            raise ContinuationValidationError("validate must be callable")
        if schema_id in self._schemas:
            raise ContinuationValidationError(f"The schema {schema_id!r} is registered already.")
        self._schemas[schema_id] = validate

    async def complete(self, external_id: str, result: Mapping[str, Any]) -> None:
        """Deliver a result; see :class:`harnest.continuation.ProviderContinuations`."""
        records.check_external_id(external_id)
        row = await self._change(lambda db: records.find(db, self._owner, external_id))
        if row is None:
            raise records.nothing_waits(external_id)
        payload = _encoded(_validated(self._validator(row.schema_id), result))
        await self._finish(external_id, records.COMPLETED, payload)

    async def fail(self, external_id: str, error_code: str) -> None:
        """Deliver a failure; see :class:`harnest.continuation.ProviderContinuations`."""
        records.check_external_id(external_id)
        if not isinstance(error_code, str) or not _CODE.fullmatch(error_code):
            raise ContinuationValidationError(f"error_code must match {_CODE.pattern}")
        await self._finish(external_id, records.FAILED, error_code)

    async def list_pending(
        self, *, after: str | None = None, limit: int = 100
    ) -> tuple[PendingContinuation, ...]:
        """Return waits in order; see :class:`harnest.continuation.ProviderContinuations`."""
        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= _PAGE:
            raise ContinuationValidationError(f"limit must be 1 to {_PAGE}")
        start = records.position(after)
        return await self._change(lambda db: records.pending(db, self._owner, start, limit))

    async def record(self, wait: records.Wait) -> None:
        """Record a wait of an invocation, or take up the one that its replay left."""
        self._validator(wait.schema_id)
        await self._change(lambda db: records.suspend(db, self._owner, wait))

    async def outcome(self, external_id: str, active: Callable[[], bool]) -> records.Row:
        """Wait until a wait is finished, here or in another process.

        Raises:
            ContinuationError: The invocation ended or the runtime closed first.
        """
        finished = asyncio.Event()
        waiting = (asyncio.get_running_loop(), finished)
        self._waiting.add(waiting)
        try:
            while True:
                row = await self._change(lambda db: records.find(db, self._owner, external_id))
                if row is None or not active():
                    raise ContinuationError("The wait ended with its invocation.")
                if row.state != records.PENDING:
                    return row
                await _either(finished, _LOOK_SECONDS)
        finally:
            self._waiting.discard(waiting)

    async def _finish(self, external_id: str, state: str, payload: str) -> None:
        await self._change(lambda db: records.finish(db, self._owner, external_id, state, payload))
        for loop, finished in list(self._waiting):
            # The extension and those who wait may live in different loops; one that was closed
            # has nobody to wake.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(finished.set)

    async def _change(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        failed = ""
        try:
            return await self._store.change(work)
        except ContinuationError:
            raise
        except Exception as error:  # noqa: BLE001 - SQLite's errors hold paths and values
            failed = type_name(error)
        reason = "the runtime is closed" if self._store.closed else failed
        raise ContinuationError(f"The project's state in {STATE_FILE} can't be used: {reason}.")

    def _validator(self, schema_id: str) -> Validator:
        validate = self._schemas.get(schema_id)
        if validate is None:
            raise ContinuationValidationError(
                f"The schema {schema_id!r} is not registered: the extension's start must do it."
            )
        return validate


class InvocationSide:
    """The invocation's side of one extension's continuations.

    Args:
        desk: The extension's side.
        run_id: The invocation.
        holder: Whose invocation it is: a replay of the same holder takes a wait up again.
        active: Whether the invocation still runs.
    """

    __slots__ = ("_active", "_desk", "_holder", "_run_id")

    def __init__(
        self, desk: ContinuationDesk, *, run_id: str, holder: str, active: Callable[[], bool]
    ) -> None:
        self._desk = desk
        self._run_id = run_id
        self._holder = holder
        self._active = active

    def preflight(self) -> None:
        """Refuse where no wait can be recorded."""
        if not self._active():
            raise ExternalContinuationUnavailableError("The invocation has ended.")
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            pass
        else:
            return
        raise ExternalContinuationUnavailableError("A wait needs a running event loop.")

    async def suspend(
        self, external_id: str, *, capability: str, schema_id: str, validate: Validator
    ) -> Suspended:
        """Record a wait; see :class:`harnest.continuation.InvocationContinuations`."""
        self.preflight()
        wait = records.Wait(
            external_id=external_id,
            run_id=self._run_id,
            holder=self._holder,
            capability=capability,
            schema_id=schema_id,
        )
        if not callable(validate):
            raise ContinuationValidationError("validate must be callable")
        await self._desk.record(wait)
        return Suspended(self._desk, external_id, validate, self._active)


class Suspended:
    """A recorded wait of the running invocation."""

    __slots__ = ("_active", "_desk", "_external_id", "_validate")

    def __init__(
        self,
        desk: ContinuationDesk,
        external_id: str,
        validate: Validator,
        active: Callable[[], bool],
    ) -> None:
        self._desk = desk
        self._external_id = external_id
        self._validate = validate
        self._active = active

    async def result(self) -> Mapping[str, Any]:
        """Wait for the validated result; see :class:`harnest.continuation`."""
        row = await self._desk.outcome(self._external_id, self._active)
        if row.state == records.FAILED:
            raise ExternalContinuationFailed(row.payload or "failed")
        return _validated(self._validate, json.loads(row.payload or "{}"))


def _validated(validate: Validator, result: object) -> Mapping[str, Any]:
    failed = ""
    try:
        return validate(result)
    except Exception as error:  # noqa: BLE001 - the author's validator; its text may hold the result
        failed = type_name(error)
    raise ContinuationValidationError(f"The result is not of the registered form: {failed}.")


def _encoded(result: Mapping[str, Any]) -> str:
    failed = ""
    try:
        payload = json.dumps(dict(result), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        failed = type_name(error)
    if failed:
        raise ContinuationValidationError(f"The result is not JSON: {failed}.")
    if len(payload.encode()) > limits.CONTINUATION_BYTES:
        raise ContinuationValidationError(
            f"The result has more than {limits.CONTINUATION_BYTES} bytes as JSON."
        )
    return payload


async def _either(event: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return
    event.clear()
