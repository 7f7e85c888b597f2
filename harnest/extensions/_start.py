"""What an extension gets when it starts: facts about the agent, and declared authorities."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeVar, overload

from harnest.context import ContextResourceError, Storage
from harnest.context._facade import typed
from harnest.continuation import ProviderContinuations

__all__ = ["ExtensionStartContext", "Framework", "StartAuthority"]

Framework = Literal["adk", "langgraph", "none"]
"""The agent framework that drives the runtime."""

_T = TypeVar("_T")


class StartAuthority(Protocol):
    """What the host hands out at start, each according to the extension's capabilities."""

    def storage(self, name: str) -> Storage:
        """Return the extension's storage of that name, or raise ContextResourceError."""
        ...

    def continuations(self) -> ProviderContinuations:
        """Return the extension's continuations, or raise ContextResourceError."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtensionStartContext:
    """The argument of :meth:`Extension.start`.

    One that a test makes by itself has no authority, as an extension without capabilities.

    Attributes:
        extension_name: Name of the extension that starts.
        framework: ``adk``, ``langgraph`` or ``none``.
        root_agent_name: Name of the agent project.
    """

    extension_name: str
    framework: Framework
    root_agent_name: str
    authority: StartAuthority | None = field(default=None, repr=False, compare=False)

    @overload
    def storage(self, name: str, expected_type: type[_T]) -> _T: ...
    @overload
    def storage(self, name: str, expected_type: None = None) -> Storage: ...
    def storage(self, name: str, expected_type: type[object] | None = None) -> object:
        """Return a durable storage that belongs to this extension in this agent project.

        Args:
            name: ``[a-z][a-z0-9_-]{0,63}``; it exists from its first write on.
            expected_type: Class that the storage must be an instance of.

        Raises:
            TypeError: ``name`` is not a str.
            ContextResourceError: The name is not usable, or ``context.storage`` is not declared.
            ContextTypeError: The storage is of another type.
        """
        if not isinstance(name, str):
            raise TypeError(f"a storage name must be str, not {type(name).__name__}")
        storage = self._authority("context.storage").storage(name)
        return typed(storage, expected_type, f"storage {name!r}")

    @property
    def continuations(self) -> ProviderContinuations:
        """Authority to finish suspended invocations.

        Raises:
            ContextResourceError: ``context.continuations`` is not declared.
        """
        return self._authority("context.continuations").continuations()

    def _authority(self, capability: str) -> StartAuthority:
        if self.authority is None:
            raise ContextResourceError(
                f"The extension {self.extension_name!r} has no such authority here. Declare "
                f"{capability!r} under 'capabilities' in its extension.yaml and start it through "
                "AgentRuntime."
            )
        return self.authority
