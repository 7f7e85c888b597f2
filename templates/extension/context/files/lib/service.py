"""The service behind the extension. This one answers from memory: put your client here."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

__all__ = ["Report", "Service", "ServiceClosedError"]


class ServiceClosedError(RuntimeError):
    """The service was asked before it was opened or after it was closed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What the service says about a place.

    Attributes:
        place: The place.
        degrees: Temperature there in degrees Celsius.
    """

    place: str
    degrees: int


class Service:
    """A connection to the service, shared by all invocations."""

    def __init__(self) -> None:
        self._open = False

    async def open(self) -> None:
        """Open the connection."""
        self._open = True

    async def close(self) -> None:
        """Close the connection; may be called again."""
        self._open = False

    async def report(self, place: str, *, token: str) -> Report:
        """Return the report for a place.

        Args:
            place: Name of the place, non-blank.
            token: The caller's credential; never logged, never part of an error.

        Raises:
            PermissionError: The token is empty.
            ServiceClosedError: The connection is not open.
            ValueError: The name is blank.
        """
        if not self._open:
            raise ServiceClosedError("the service is not open")
        if not token:
            raise PermissionError("the service needs a token")
        if not place.strip():
            raise ValueError("place must not be blank")
        digest = hashlib.sha256(place.strip().encode()).digest()
        return Report(place=place.strip(), degrees=digest[0] % 45 - 10)
