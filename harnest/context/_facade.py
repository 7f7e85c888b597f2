"""The objects and functions of ``harnest.context``: each use asks the running invocation."""

from __future__ import annotations

import sys
from collections.abc import Coroutine, Iterable, Iterator
from typing import Any, TypeVar, overload

from harnest._identity import InvocationIdentity
from harnest.context._active import require
from harnest.context._errors import ContextTypeError
from harnest.context._values import SandboxHandle, Storage
from harnest.credentials import Credential

__all__ = ["Credentials", "Sandboxes", "current", "extensions", "storage"]

_T = TypeVar("_T")


def current() -> InvocationIdentity:
    """Return who the running invocation acts for.

    Raises:
        ContextUnavailableError: No invocation is running here.
    """
    return require().identity


class Sandboxes:
    """The sandboxes that the running invocation's agent was granted, by name."""

    __slots__ = ()

    def __getitem__(self, name: str) -> SandboxHandle:
        """Return a handle on a granted sandbox.

        Raises:
            TypeError: ``name`` is not a str.
            ContextUnavailableError: No invocation is running here.
            ContextResourceError: The sandbox does not exist or was not granted.
        """
        if not isinstance(name, str):
            raise TypeError(f"a sandbox name must be str, not {type(name).__name__}")
        return require().sandbox(name)

    def __iter__(self) -> Iterator[str]:
        return iter(require().sandbox_names())

    def __contains__(self, name: object) -> bool:
        return name in require().sandbox_names()

    def __len__(self) -> int:
        return len(require().sandbox_names())

    def __repr__(self) -> str:
        return "harnest.context.sandboxes"


class Credentials:
    """The credentials that the running invocation may ask for."""

    __slots__ = ()

    def resolve(self, audience: str, scopes: Iterable[str] = ()) -> Coroutine[Any, Any, Credential]:
        """Return a credential for a service; to be awaited.

        Args:
            audience: Name of the service, non-blank.
            scopes: What it shall allow; repeated ones are dropped, the order is kept.

        Raises:
            TypeError: ``audience`` is no str, or ``scopes`` is a bare str or holds another type.
            ValueError: ``audience`` or a scope is blank.
            ContextUnavailableError: No invocation is running here.
            ContextResourceError: The calling extension lacks ``context.credentials``.
            CredentialUnavailableError: No provider is configured, or it has none for this.
            CredentialProviderError: The provider failed; carries the exception's type alone.
        """
        # Who asks is known when it is called: a task or gather that awaits it has other frames.
        return _resolved(_caller(2), audience, scopes)

    def __repr__(self) -> str:
        return "harnest.context.credentials"


async def _resolved(caller: str, audience: str, scopes: Iterable[str]) -> Credential:
    return await require().credentials(caller).resolve(audience, scopes)


@overload
def extensions(name: str, expected_type: type[_T]) -> _T: ...
@overload
def extensions(name: str, expected_type: None = None) -> object: ...
def extensions(name: str, expected_type: type[object] | None = None) -> object:
    """Return an extension's context of the running invocation.

    Args:
        name: The extension's name.
        expected_type: Class that the context must be an instance of.

    Raises:
        TypeError: ``name`` is not a str.
        ContextUnavailableError: No invocation is running here.
        ContextResourceError: The extension is not installed in this agent project.
        ContextTypeError: Its context is of another type.
    """
    if not isinstance(name, str):
        raise TypeError(f"an extension name must be str, not {type(name).__name__}")
    return typed(require().extension_context(name), expected_type, f"context of {name!r}")


@overload
def storage(name: str, expected_type: type[_T]) -> _T: ...
@overload
def storage(name: str, expected_type: None = None) -> Storage: ...
def storage(name: str, expected_type: type[object] | None = None) -> object:
    """Return a named durable storage of the calling extension, or of the agent project.

    Args:
        name: ``[a-z][a-z0-9_-]{0,63}``; it exists from its first write on.
        expected_type: Class that the storage must be an instance of.

    Raises:
        TypeError: ``name`` is not a str.
        ContextUnavailableError: No invocation is running here.
        ContextResourceError: The name is not usable, or the extension lacks ``context.storage``.
        ContextTypeError: The storage is of another type.
    """
    if not isinstance(name, str):
        raise TypeError(f"a storage name must be str, not {type(name).__name__}")
    return typed(require().storage(name, _caller(2)), expected_type, f"storage {name!r}")


def typed(value: object, expected: type[object] | None, what: str) -> object:
    """Return ``value`` if it is of the expected type; else raise :class:`ContextTypeError`."""
    if expected is None or isinstance(value, expected):
        return value
    raise ContextTypeError(
        f"The {what} is a {type(value).__name__}, not a {expected.__name__}. "
        "Ask for the type that the installed version offers."
    )


def _caller(depth: int) -> str:
    # The name tells an extension's request from the agent's. Extensions are trusted code of the
    # same process: this holds them to what they declared, it is no wall against them.
    return str(sys._getframe(depth).f_globals.get("__name__", ""))  # noqa: SLF001 - see above
