"""Rows of continuations: each function is one step of a transaction."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from harnest.continuation import (
    ContinuationConflictError,
    ContinuationRecord,
    ContinuationValidationError,
    ExternalContinuationUnavailableError,
    PendingContinuation,
)
from harnest_ext import limits

if TYPE_CHECKING:
    import sqlite3

__all__ = [
    "COMPLETED",
    "FAILED",
    "PENDING",
    "Row",
    "Wait",
    "check_external_id",
    "find",
    "finish",
    "nothing_waits",
    "pending",
    "position",
    "suspend",
]

PENDING: Final = "pending"
COMPLETED: Final = "completed"
FAILED: Final = "failed"
_ID_DIGITS: Final = 18
_DAY_SECONDS: Final = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """A wait that is to be recorded; the texts are checked in construction.

    Raises:
        ContinuationValidationError: One of them is blank or too long.
    """

    external_id: str
    run_id: str
    holder: str
    capability: str
    schema_id: str

    def __post_init__(self) -> None:
        """Refuse texts that can't be keys."""
        check_external_id(self.external_id)
        _check_text("capability", self.capability, 128)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One stored wait."""

    holder: str
    capability: str
    schema_id: str
    state: str
    payload: str | None
    revision: int


def check_external_id(external_id: object) -> None:
    """Refuse what is no external id."""
    _check_text("external_id", external_id, 512)


def nothing_waits(external_id: str) -> ExternalContinuationUnavailableError:
    """Return the error for an external id that nobody waits under."""
    return ExternalContinuationUnavailableError(f"Nothing waits under {external_id[:80]!r}.")


def position(after: str | None) -> int:
    """Return the row after which a page starts."""
    if after is None:
        return 0
    if not isinstance(after, str) or not after.isascii() or not after.isdigit():
        raise ContinuationValidationError("after must be a continuation_id of an earlier page")
    return int(after)


def find(db: sqlite3.Connection, owner: str, external_id: str) -> Row | None:
    """Return an owner's wait, or None."""
    row = db.execute(
        "SELECT holder, capability, schema_id, state, payload, revision FROM continuation "
        "WHERE owner = ? AND external_id = ?",
        (owner, external_id),
    ).fetchone()
    if row is None:
        return None
    fields = ("holder", "capability", "schema_id", "state", "payload", "revision")
    return Row(**dict(zip(fields, row, strict=True)))


def suspend(db: sqlite3.Connection, owner: str, wait: Wait) -> None:
    """Record a wait; a replay by the same holder takes its earlier one up.

    Raises:
        ContinuationConflictError: Somebody else waits, or waited, under that external id.
    """
    db.execute(
        "DELETE FROM continuation WHERE owner = ? AND finished < ?",
        (owner, time.time() - limits.CONTINUATION_DAYS * _DAY_SECONDS),
    )
    found = find(db, owner, wait.external_id)
    if found is None:
        db.execute(
            "INSERT INTO continuation (owner, external_id, run_id, holder, capability, schema_id, "
            "state, revision) VALUES (?, ?, ?, ?, ?, ?, ?, 1)",
            (
                owner,
                wait.external_id,
                wait.run_id,
                wait.holder,
                wait.capability,
                wait.schema_id,
                PENDING,
            ),
        )
        return
    same = (wait.holder, wait.capability, wait.schema_id)
    if (found.holder, found.capability, found.schema_id) != same:
        raise ContinuationConflictError(
            f"Another invocation waits under {wait.external_id[:80]!r}."
        )
    db.execute(
        "UPDATE continuation SET run_id = ?, revision = revision + 1 "
        "WHERE owner = ? AND external_id = ?",
        (wait.run_id, owner, wait.external_id),
    )


def finish(db: sqlite3.Connection, owner: str, external_id: str, state: str, payload: str) -> None:
    """Finish a pending wait; exactly one of several writers succeeds.

    Raises:
        ContinuationConflictError: It is finished already.
        ExternalContinuationUnavailableError: There is none.
    """
    found = find(db, owner, external_id)
    if found is None:
        raise nothing_waits(external_id)
    done = db.execute(
        "UPDATE continuation SET state = ?, payload = ?, finished = ?, revision = revision + 1 "
        "WHERE owner = ? AND external_id = ? AND state = ? AND revision = ?",
        (state, payload, time.time(), owner, external_id, PENDING, found.revision),
    )
    if done.rowcount != 1:
        raise ContinuationConflictError(f"The wait {external_id[:80]!r} is finished already.")


def pending(
    db: sqlite3.Connection, owner: str, after: int, limit: int
) -> tuple[PendingContinuation, ...]:
    """Return an owner's pending waits in the order in which they were recorded."""
    rows = db.execute(
        "SELECT id, external_id, run_id, capability, schema_id, revision FROM continuation "
        "WHERE owner = ? AND state = ? AND id > ? ORDER BY id LIMIT ?",
        (owner, PENDING, after, limit),
    )
    return tuple(
        PendingContinuation(
            external_id=external_id,
            record=ContinuationRecord(
                continuation_id=f"{number:0{_ID_DIGITS}d}",
                run_id=run_id,
                capability=capability,
                schema_id=schema_id,
                revision=revision,
            ),
        )
        for number, external_id, run_id, capability, schema_id, revision in rows
    )


def _check_text(what: str, value: object, most: int) -> None:
    if not isinstance(value, str) or not value.strip() or len(value) > most:
        raise ContinuationValidationError(
            f"{what} must be non-blank text of 1 to {most} characters"
        )
