"""Credentials: what a provider implements and what the running invocation gets from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn, Protocol, runtime_checkable

from harnest._identity import InvocationIdentity

__all__ = [
    "Credential",
    "CredentialProvider",
    "CredentialProviderError",
    "CredentialRequest",
    "CredentialUnavailableError",
]


class CredentialUnavailableError(LookupError):
    """No provider is configured, or it has no credential for this request."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class CredentialProviderError(RuntimeError):
    """The provider failed; the text has the exception's type alone."""


class Credential:
    """A secret that does not show itself: ``repr``, ``str`` and pickling never contain it.

    Args:
        material: The secret, as the service wants it.
        audience: Name of the service that it is for.
    """

    __slots__ = ("_audience", "_material")

    def __init__(self, material: str, *, audience: str) -> None:
        if not isinstance(material, str) or not material:
            raise TypeError("credential material must be non-empty str")
        self._material = material
        self._audience = audience

    @property
    def audience(self) -> str:
        """Name of the service that it is for."""
        return self._audience

    def reveal(self) -> str:
        """Return the secret. Call it where the secret is used, and keep no copy."""
        return self._material

    def __repr__(self) -> str:
        return f"<Credential for {self._audience!r}: redacted>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Credential is not written out; resolve it where it is needed")


@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialRequest:
    """What a provider is asked for.

    Attributes:
        audience: Name of the service, non-blank.
        scopes: What the credential shall allow, without repetitions, in the caller's order.
        identity: The invocation that asks.
    """

    audience: str
    scopes: tuple[str, ...]
    identity: InvocationIdentity


@runtime_checkable
class CredentialProvider(Protocol):
    """Where credentials come from; one per runtime, chosen in ``config.yaml``."""

    async def resolve(self, request: CredentialRequest) -> Credential:
        """Return a credential, or raise :class:`CredentialUnavailableError`."""
        ...
