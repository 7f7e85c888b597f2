"""One audit record around each change that an extension makes to the outside world."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

__all__ = ["extension_mutation"]

_OPERATION = re.compile(r"[a-z][a-z0-9._-]{0,63}", re.ASCII)
_LOGGER = "extension.audit"


@asynccontextmanager
async def extension_mutation(
    extension_name: str, operation: str, *, trigger: Literal["agent", "user"]
) -> AsyncIterator[None]:
    """Record whether a change was committed; the record carries no payload.

    One record on the logger ``extension.audit``, message and attribute ``event``
    ``extension.mutation``, with the attributes ``operation``, ``trigger``, ``extension`` and
    ``outcome``: ``committed``, or ``failed`` when the body raises anything, which goes on.

    Args:
        extension_name: Name of the extension that changes something, non-blank.
        operation: What it does: ``[a-z][a-z0-9._-]{0,63}``, such as ``run.create``.
        trigger: Who caused it: ``agent`` or ``user``.

    Raises:
        ValueError: An argument is not of that form.
    """
    _check(extension_name, operation, trigger)
    outcome = "failed"
    try:
        yield
        outcome = "committed"
    finally:
        attributes = {
            "event": "extension.mutation",
            "operation": operation,
            "trigger": trigger,
            "extension": extension_name,
            "outcome": outcome,
        }
        import logging  # noqa: PLC0415 - most extensions change nothing outside

        logging.getLogger(_LOGGER).info("extension.mutation", extra=attributes)


def _check(extension_name: object, operation: object, trigger: object) -> None:
    if not isinstance(extension_name, str) or not extension_name.strip():
        raise ValueError("extension_name must be non-blank text")
    if not isinstance(operation, str) or not _OPERATION.fullmatch(operation):
        raise ValueError(f"operation must match {_OPERATION.pattern}")
    if trigger not in {"agent", "user"}:
        raise ValueError("trigger must be 'agent' or 'user'")
