"""What a sandbox of the provider contract is declared with, checked before anything is sent."""

from __future__ import annotations

import dataclasses
import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harnest.execution import checks
from harnest.execution import limits as execution_limits
from harnest.sandbox import (
    SandboxContext,
    SandboxNetworkMode,
    SandboxNetworkPolicy,
    SandboxPolicyUnsupportedError,
    SandboxProviderCapabilities,
)

from . import limits
from .policy.checks import path, texts
from .policy.document import Policy
from .policy.network import Endpoint, NetworkRule
from .settings import SandboxSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["DeclaredSettings", "OpenShellScope", "identity_of"]

_PARTS = ("agent_name", "user_id", "session_id", "invocation_id")


class OpenShellScope(enum.StrEnum):
    """For how long a work directory is kept and whose it is. Processes never outlive a call.

    In every scope the calls of one identity share a sandbox, and those of two never do.
    """

    EXECUTION = "execution"
    """A fresh work directory for every call; the identity is whatever the call has of one."""
    INVOCATION = "invocation"
    """Kept for the same agent, user, session and invocation."""
    SESSION = "session"
    """Kept for the same agent, user and session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredSettings:
    """One declaration, complete.

    Attributes:
        sandbox: What each sandbox is made with; its policy's rules are completed by
            ``network_policy``.
        network_policy: ``none()``, an allow-list with ports, or None for what the policy's own
            rules say, about which nothing is claimed.
        timeout_seconds: All-in deadline of a call.
        max_output_bytes: Most bytes kept of both streams together; more ends the program.
        scope: Life of the work directory.
        max_sandboxes: Most sandboxes at a time; the least recently used idle one goes for another.
        ready: Sandboxes that are made when the provider is built, for the first identities.
        python: Absolute path of the interpreter inside.
        programs: Executables that an allow-list allows, links resolved; empty for ``python``.

    Raises:
        TypeError: A value has the wrong type.
        ValueError: A value is out of its bounds.
        SandboxPolicyUnsupportedError: The network policy can't be written as rules.
    """

    sandbox: SandboxSettings = field(default_factory=SandboxSettings)
    network_policy: SandboxNetworkPolicy | None = None
    timeout_seconds: int = limits.TIMEOUT_SECONDS
    max_output_bytes: int = limits.OUTPUT_BYTES
    scope: OpenShellScope = OpenShellScope.EXECUTION
    max_sandboxes: int = limits.SANDBOXES
    ready: int = 0
    python: str = "/usr/bin/python3"
    programs: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.network_policy is not None and not isinstance(
            self.network_policy, SandboxNetworkPolicy
        ):
            raise TypeError("network_policy must be a SandboxNetworkPolicy or None")
        checks.number("timeout_seconds", self.timeout_seconds, execution_limits.SECONDS_MAXIMUM)
        checks.number("max_output_bytes", self.max_output_bytes, limits.OUTPUT_BYTES_MAXIMUM)
        checks.number("max_sandboxes", self.max_sandboxes, limits.SANDBOXES_MAXIMUM)
        if self.ready != 0 or isinstance(self.ready, bool):
            checks.number("ready", self.ready, min(limits.READY_MAXIMUM, self.max_sandboxes))
        object.__setattr__(self, "scope", OpenShellScope(self.scope))
        path("python", self.python)
        programs = texts("programs", self.programs) or (self.python,)
        object.__setattr__(self, "programs", tuple(path("programs", item) for item in programs))
        object.__setattr__(self, "sandbox", self._completed())

    @property
    def capabilities(self) -> SandboxProviderCapabilities:
        """What is enforced by the policy that is sent."""
        policy = self.network_policy
        if policy is not None and policy.mode is SandboxNetworkMode.ALLOWLIST:
            return SandboxProviderCapabilities(
                network_modes=frozenset({SandboxNetworkMode.ALLOWLIST}),
                host_allowlist=True,
                port_allowlist=True,
            )
        denied = not self.sandbox.policy.network
        modes = frozenset({SandboxNetworkMode.NONE} if denied else ())
        return SandboxProviderCapabilities(network_modes=modes)

    def require(self, wanted: SandboxNetworkPolicy | None) -> None:
        """Refuse a request for another policy than the sandboxes are made with.

        Raises:
            SandboxPolicyUnsupportedError: It is another one.
        """
        if wanted is None:
            return
        self.capabilities.require(wanted)
        if wanted.mode is SandboxNetworkMode.ALLOWLIST and wanted != self.network_policy:
            raise SandboxPolicyUnsupportedError(
                "the sandboxes of this declaration are made with another allow-list"
            )

    def _completed(self) -> SandboxSettings:
        policy = self.network_policy
        if policy is None:
            return self.sandbox
        if self.sandbox.policy.network:
            raise ValueError("network_policy and network rules of policy exclude each other")
        if policy.mode is SandboxNetworkMode.NONE:
            return self.sandbox
        ports = _ports(policy)
        rule = NetworkRule(
            name="allow-list",
            endpoints=[Endpoint(host=host, ports=ports) for host in policy.allow_hosts],
            programs=self.programs,
        )
        old = self.sandbox.policy
        completed = Policy(
            network=(rule,),
            filesystem=old.filesystem,
            landlock=old.landlock,
            run_as_user=old.run_as_user,
            run_as_group=old.run_as_group,
        )
        return dataclasses.replace(self.sandbox, policy=completed)


def identity_of(context: SandboxContext, scope: OpenShellScope) -> tuple[str, ...]:
    """Return whose sandbox a call gets.

    Raises:
        ValueError: A part of the identity that the scope needs is missing.
    """
    if scope is OpenShellScope.EXECUTION:
        return tuple(repr(getattr(context, name)) for name in _PARTS)
    names = _PARTS if scope is OpenShellScope.INVOCATION else _PARTS[:3]
    missing = [name for name in names if not getattr(context, name)]
    if missing:
        raise ValueError(f"scope {scope.value!r} needs {', '.join(missing)} of the caller")
    return tuple(getattr(context, name) for name in names)


def _ports(policy: SandboxNetworkPolicy) -> tuple[int, ...]:
    if policy.mode is SandboxNetworkMode.UNRESTRICTED:
        raise SandboxPolicyUnsupportedError(
            "OpenShell has no unrestricted network: allow hosts and ports"
        )
    if not policy.allow_ports:
        raise SandboxPolicyUnsupportedError(
            "an OpenShell rule allows ports by their numbers: name them in the allow-list"
        )
    return policy.allow_ports
