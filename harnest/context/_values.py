"""The values and ports that an invocation hands out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from harnest.credentials import Credential
from harnest.sandbox import SandboxFile, SandboxResult

__all__ = [
    "CredentialResolver",
    "SandboxHandle",
    "Storage",
    "StorageConflictError",
    "StorageError",
    "StoredValue",
]


@runtime_checkable
class SandboxHandle(Protocol):
    """One granted sandbox, usable until the invocation ends and from any thread."""

    def execute(self, code: str, *, input_files: Sequence[SandboxFile] = ()) -> SandboxResult:
        """Run Python code and return its outcome; see ``harnest.sandbox`` for what it raises."""
        ...

    async def aexecute(
        self, code: str, *, input_files: Sequence[SandboxFile] = ()
    ) -> SandboxResult:
        """Do the same without blocking the loop; cancelling the task cancels the execution."""
        ...


class CredentialResolver(Protocol):
    """Gives short-lived credentials to the running invocation."""

    async def resolve(self, audience: str, scopes: Iterable[str] = ()) -> Credential:
        """Return a credential for a service, see :mod:`harnest.credentials`."""
        ...


class StorageError(RuntimeError):
    """The project's state can't be read or written; the text has the exception's type alone."""


class StorageConflictError(StorageError):
    """The stored value changed since the revision that the caller has seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredValue:
    """One stored value.

    Attributes:
        value: The bytes as they were put; not in ``repr``.
        revision: Number of the write that made it, from 1, rising with each write of its key.
    """

    value: bytes = field(repr=False)
    revision: int


@runtime_checkable
class Storage(Protocol):
    """A durable map from text keys to bytes that detects lost updates."""

    async def get(self, key: str) -> StoredValue | None:
        """Return what is stored under a key, or None."""
        ...

    async def put(self, key: str, value: bytes, *, revision: int | None = None) -> StoredValue:
        """Store a value.

        Args:
            key: Non-empty text, at most 512 bytes of UTF-8.
            value: At most 1 MiB.
            revision: The revision that the caller has seen, 0 for "there was none"; None
                overwrites whatever is there.

        Raises:
            StorageConflictError: Another revision is stored.
            StorageError: The project's state can't be written.
        """
        ...

    async def delete(self, key: str, *, revision: int | None = None) -> bool:
        """Remove a key and tell whether it existed; ``revision`` is that of :meth:`put`."""
        ...

    async def keys(self, *, prefix: str = "", after: str = "", limit: int = 100) -> tuple[str, ...]:
        """Return at most ``limit`` (1 to 1,000) keys in order, those after ``after``."""
        ...
