"""The declaration of a sandbox: what to build, later, and under which bounds to use it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from harnest.sandbox.checks import nonblank, positive_int
from harnest.sandbox.errors import SandboxPolicyUnsupportedError
from harnest.sandbox.foreign import is_adk_executor
from harnest.sandbox.metadata import freeze_metadata
from harnest.sandbox.policy import SandboxNetworkPolicy, SandboxProviderCapabilities

__all__ = ["Sandbox"]


@dataclass(frozen=True, slots=True)
class Sandbox:
    """One lazy sandbox that agents of any framework can be granted.

    Made by :meth:`provider`. Declaring it calls nothing and contacts nothing; the object that the
    factory returns owns the isolation.

    Attributes:
        factory: Makes the provider.
        backend: Name of the provider's kind, for people and audit records.
        timeout_seconds: Deadline of each execution in whole seconds; None leaves the provider's.
        metadata: JSON-like data that every request carries.
        network_policy: Policy that every request carries; None asks for none.
    """

    factory: Callable[[], Any] = field(repr=False)
    backend: str = "custom"
    timeout_seconds: int | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict, repr=False)
    network_policy: SandboxNetworkPolicy | None = None
    _adapter_options: Mapping[str, Any] = field(default_factory=dict, repr=False, kw_only=True)

    def __post_init__(self) -> None:
        if not callable(self.factory):
            raise TypeError("factory must be callable")
        nonblank("name", self.backend)
        if self.timeout_seconds is not None:
            positive_int("timeout_seconds", self.timeout_seconds)
        if not isinstance(self.network_policy, SandboxNetworkPolicy | None):
            raise TypeError("network_policy must be SandboxNetworkPolicy or None")
        object.__setattr__(self, "metadata", freeze_metadata(self.metadata))
        object.__setattr__(self, "_adapter_options", freeze_metadata(self._adapter_options))

    @staticmethod
    def provider(  # noqa: PLR0913 - the documented signature
        factory: Callable[[], Any],
        *,
        name: str = "custom",
        timeout_seconds: int | None = None,
        metadata: Mapping[str, Any] | None = None,
        network_policy: SandboxNetworkPolicy | None = None,
        adapter_options: Mapping[str, Any] | None = None,
    ) -> Sandbox:
        """Declare a sandbox by the factory of its provider.

        Args:
            factory: Called without arguments at first use; returns an object with ``execute``, or
                a google-adk ``BaseCodeExecutor``, which then serves ADK only. Settings of the
                provider's SDK belong in it.
            name: Name of the provider's kind.
            timeout_seconds: Deadline of each execution, whole seconds, at least 1.
            metadata: JSON-like data for every request.
            network_policy: Policy for every request; the provider must declare that it holds.
            adapter_options: Fields of the ADK executor that :meth:`to_adk_executor` makes.

        Raises:
            TypeError: An argument has a wrong type.
            ValueError: A name is blank, a time-out no positive int, or metadata out of bounds.
        """
        return Sandbox(
            factory=factory,
            backend=name,
            timeout_seconds=timeout_seconds,
            metadata={} if metadata is None else metadata,
            network_policy=network_policy,
            _adapter_options={} if adapter_options is None else adapter_options,
        )

    @property
    def adapter_options(self) -> Mapping[str, Any]:
        """Fields of the executor that :meth:`to_adk_executor` makes."""
        return self._adapter_options

    def build(self) -> Any:
        """Call the factory and return its provider if it can serve this declaration.

        Returns:
            A new object of the factory; nobody but the caller closes it.

        Raises:
            TypeError: The object has no callable ``execute``, or is a class.
            SandboxPolicyUnsupportedError: A policy is declared, and the object does not declare
                that it enforces it.
        """
        built = self.factory()
        if is_adk_executor(built):
            if self.network_policy is not None:
                raise SandboxPolicyUnsupportedError("an ADK executor enforces no network policy")
            return built
        if isinstance(built, type):
            raise TypeError(f"the factory returned the class {built.__name__}, not an object of it")
        if not callable(getattr(built, "execute", None)):
            raise TypeError(f"the factory's {type(built).__name__} has no method execute(request)")
        if self.network_policy is not None:
            _require(built, self.network_policy)
        return built

    def to_adk_executor(self) -> Any:
        """Return a google-adk code executor that runs an agent's code blocks in this sandbox.

        Needs the extra ``adk``. Builds the provider, which contacts nothing until code runs.

        Raises:
            ImportError: google-adk is not installed.
            TypeError: As :meth:`build`.
            SandboxPolicyUnsupportedError: As :meth:`build`.
        """
        from harnest.sandbox.adapters.adk import adk_executor  # noqa: PLC0415 - needs an extra

        return adk_executor(self)

    def to_langchain_tool(self) -> Any:
        """Return a LangChain tool ``harnest_execute_python`` that runs code in this sandbox.

        Needs the extra ``langchain``. Builds the provider, which contacts nothing until code runs.

        Raises:
            ImportError: langchain-core is not installed.
            TypeError: As :meth:`build`, or the factory makes an ADK executor: ADK only.
            SandboxPolicyUnsupportedError: As :meth:`build`.
        """
        from harnest.sandbox.adapters.langchain import (  # noqa: PLC0415 - needs an extra
            langchain_tool,
        )

        return langchain_tool(self)


def _require(built: object, policy: SandboxNetworkPolicy) -> None:
    capabilities = getattr(built, "sandbox_capabilities", None)
    if not isinstance(capabilities, SandboxProviderCapabilities):
        raise SandboxPolicyUnsupportedError(
            "a network policy is declared, but the provider has no sandbox_capabilities "
            "that say what it enforces"
        )
    capabilities.require(policy)
