"""Network policies: what is declared holds, what is not declared is refused."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from harnest.sandbox import (
    SandboxNetworkMode,
    SandboxNetworkPolicy,
    SandboxPolicyUnsupportedError,
    SandboxProviderCapabilities,
)
from harnest_ext.conformance.checks import Group, expect, expect_raises, refuse
from harnest_ext.conformance.features import Feature

if TYPE_CHECKING:
    from harnest_ext.conformance.bench import Bench

__all__ = ["GROUP", "connecting"]

GROUP: Group[Bench] = Group("network")

_NONE = SandboxNetworkPolicy.none()
_POLICIES = {
    "an allow-list": SandboxNetworkPolicy.allowlist("example.org"),
    "an allow-list with ports": SandboxNetworkPolicy.allowlist("example.org", ports=(443,)),
    "blocked private networks": SandboxNetworkPolicy.unrestricted(block_private_networks=True),
    "no network": _NONE,
}


def connecting(port: int) -> str:
    """Return a program that tries to reach a listener of this host."""
    return (
        "import socket\n"
        "try:\n"
        f"    socket.create_connection(('127.0.0.1', {port}), timeout=3).close()\n"
        "    print('reached')\n"
        "except OSError:\n"
        "    print('unreachable')\n"
    )


def _capabilities(bench: Bench) -> SandboxProviderCapabilities:
    found = getattr(bench.provider, "sandbox_capabilities", None)
    return (
        found if isinstance(found, SandboxProviderCapabilities) else SandboxProviderCapabilities()
    )


@GROUP.check("capabilities")
def capabilities(bench: Bench) -> None:
    """What a provider enforces is a SandboxProviderCapabilities, if it says anything."""
    found = getattr(bench.provider, "sandbox_capabilities", SandboxProviderCapabilities())
    typed = isinstance(found, SandboxProviderCapabilities)
    refuse(f"sandbox_capabilities is {type(found).__name__}", if_true=not typed)


@GROUP.check("undeclared-refused")
def undeclared_refused(bench: Bench) -> None:
    """A request with a policy that the provider doesn't declare is refused, not ignored."""
    declared = _capabilities(bench)
    provider = bench.provider
    for what, policy in _POLICIES.items():
        if _holds(declared, policy):
            continue
        request = bench.request("print('ran')", network_policy=policy)
        expect_raises(what, SandboxPolicyUnsupportedError, lambda r=request: provider.execute(r))  # type: ignore[misc]


@GROUP.check("declared-accepted")
def declared_accepted(bench: Bench) -> None:
    """A request with a policy that the provider declares is carried out."""
    declared = _capabilities(bench)
    if SandboxNetworkMode.UNRESTRICTED in declared.network_modes:
        policy = SandboxNetworkPolicy.unrestricted()
        provider = bench.make(network_policy=policy)
        result = bench.run("print('ran')", on=provider, network_policy=policy)
        expect("stdout", result.stdout, "ran\n")


@GROUP.check("none-declared", needs=[Feature.NETWORK_NONE])
def none_declared(bench: Bench) -> None:
    """A provider made without network declares that mode."""
    provider = bench.make(network_policy=_NONE)
    found = getattr(provider, "sandbox_capabilities", SandboxProviderCapabilities())
    refuse(
        "the mode 'none' is not declared",
        if_true=SandboxNetworkMode.NONE not in found.network_modes,
    )


@GROUP.check("none-holds", needs=[Feature.NETWORK_NONE])
def none_holds(bench: Bench) -> None:
    """Without network a program reaches no listener of this host."""
    provider = bench.make(network_policy=_NONE)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        code = connecting(listener.getsockname()[1])
        result = bench.run(code, on=provider, network_policy=_NONE)
    expect("a connection to this host", result.stdout, "unreachable\n")


def _holds(declared: SandboxProviderCapabilities, policy: SandboxNetworkPolicy) -> bool:
    try:
        declared.require(policy)
    except SandboxPolicyUnsupportedError:
        return False
    return True
