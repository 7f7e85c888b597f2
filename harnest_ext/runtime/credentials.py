"""The credential providers that ship, and how an invocation asks one."""

from __future__ import annotations

import os
import re
import stat
import tomllib
from typing import TYPE_CHECKING, Any

from harnest.context import ContextUnavailableError
from harnest.credentials import (
    Credential,
    CredentialProviderError,
    CredentialRequest,
    CredentialUnavailableError,
)
from harnest_ext import limits
from harnest_ext.runtime.safely import type_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from harnest.context import InvocationIdentity
    from harnest.credentials import CredentialProvider
    from harnest_ext.runtime.config import CredentialsConfig

__all__ = ["EnvironmentCredentials", "FileCredentials", "Resolver", "provider_for"]


def provider_for(config: CredentialsConfig | None, root: Path) -> CredentialProvider | None:
    """Return the provider that ``config.yaml`` chooses, or None."""
    if config is None:
        return None
    if config.provider == "file":
        return FileCredentials(root / config.path)
    return EnvironmentCredentials(config.prefix)


class EnvironmentCredentials:
    """Takes ``<prefix><AUDIENCE>`` from the environment; scopes can't be narrowed.

    Args:
        prefix: Beginning of the variables' names.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    async def resolve(self, request: CredentialRequest) -> Credential:
        """Return the variable's content."""
        variable = self._prefix + re.sub(r"[^A-Za-z0-9]", "_", request.audience).upper()
        material = os.environ.get(variable, "")
        if not material:
            raise CredentialUnavailableError(
                f"There is no credential for {request.audience!r}: set the environment variable "
                f"{variable}."
            )
        return Credential(material, audience=request.audience)


class FileCredentials:
    """Takes credentials from a TOML file of mode 0600, read anew at each request.

    A table per audience: ``token``, and optionally ``scopes``, beyond which nothing is given.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    async def resolve(self, request: CredentialRequest) -> Credential:
        """Return the audience's token."""
        entry = _tables(self._path).get(request.audience)
        token = entry.get("token") if isinstance(entry, dict) else None
        if not isinstance(entry, dict) or not isinstance(token, str) or not token:
            raise CredentialUnavailableError(
                f"There is no credential for {request.audience!r}: add a table of that name with "
                f"a 'token' to {self._path.name}."
            )
        allowed = entry.get("scopes", list(request.scopes))
        if not isinstance(allowed, list):
            # Searched as text, 'scopes = "repo:write"' would allow 'repo'.
            raise CredentialUnavailableError(
                f"'scopes' of {request.audience!r} in {self._path.name} is no list of texts."
            )
        missing = [scope for scope in request.scopes if scope not in allowed]
        if missing:
            raise CredentialUnavailableError(
                f"The credential for {request.audience!r} is not for the scopes "
                f"{', '.join(missing)}: add them to 'scopes' in {self._path.name}."
            )
        return Credential(token, audience=request.audience)


def _tables(path: Path) -> dict[str, Any]:
    try:
        # Without O_NONBLOCK a pipe in the file's place would hold up the invocation for ever.
        flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        descriptor = os.open(path, flags)
    except OSError as error:
        raise CredentialUnavailableError(
            f"The credentials file {path.name} can't be opened ({type_name(error)})."
        ) from None
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(file.fileno())
        ours = not hasattr(os, "geteuid") or found.st_uid == os.geteuid()
        if not stat.S_ISREG(found.st_mode) or not ours or stat.S_IMODE(found.st_mode) & 0o177:
            raise CredentialUnavailableError(
                f"The credentials file {path.name} must be a regular file of yours with mode "
                f"0600: chmod 600 {path.name}"
            )
        data = file.read(limits.CREDENTIALS_BYTES + 1)
    if len(data) > limits.CREDENTIALS_BYTES:
        raise CredentialUnavailableError(
            f"The credentials file {path.name} has more than {limits.CREDENTIALS_BYTES} bytes."
        )
    return tomllib.loads(data.decode())


class Resolver:
    """One invocation's way to the runtime's provider.

    Args:
        provider: The provider, or None.
        identity: Who asks.
        active: Whether the invocation still runs.
    """

    __slots__ = ("_active", "_identity", "_provider")

    def __init__(
        self,
        provider: CredentialProvider | None,
        identity: InvocationIdentity,
        active: Callable[[], bool],
    ) -> None:
        self._provider = provider
        self._identity = identity
        self._active = active

    async def resolve(self, audience: str, scopes: Iterable[str] = ()) -> Credential:
        """Return a credential; see :meth:`harnest.context.Credentials.resolve`."""
        if not self._active():
            raise ContextUnavailableError("The invocation that asked for a credential has ended.")
        request = CredentialRequest(
            audience=_nonblank(audience, "audience"),
            scopes=_scopes(scopes),
            identity=self._identity,
        )
        if self._provider is None:
            raise CredentialUnavailableError(
                "No credential provider is configured. Choose one under 'spec.credentials' in "
                "config.yaml: {provider: environment} or {provider: file, path: credentials.toml}."
            )
        outcome = await _ask(self._provider, request)
        if isinstance(outcome, Credential):
            return outcome
        raise outcome


async def _ask(
    provider: CredentialProvider, request: CredentialRequest
) -> Credential | CredentialProviderError | CredentialUnavailableError:
    # The error is returned, and raised outside of the handler: nothing leads back to the original.
    try:
        found = await provider.resolve(request)
    except CredentialUnavailableError as error:
        return CredentialUnavailableError(str(error))
    except Exception as error:  # noqa: BLE001 - a provider's own code
        return CredentialProviderError(f"The credential provider failed: {type_name(error)}.")
    return _checked(found)


def _checked(found: object) -> Credential | CredentialProviderError:
    if isinstance(found, Credential):
        return found
    return CredentialProviderError("The credential provider returned no Credential.")


def _scopes(scopes: Iterable[str]) -> tuple[str, ...]:
    if isinstance(scopes, str | bytes):
        raise TypeError("scopes must be an iterable of str, not one text")
    return tuple(dict.fromkeys(_nonblank(scope, "scope") for scope in scopes))


def _nonblank(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{what} must be str, not {type(value).__name__}")
    if not value.strip():
        raise ValueError(f"{what} must not be blank")
    return value
