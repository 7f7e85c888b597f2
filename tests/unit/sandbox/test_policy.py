"""Network policies are exact and comparable; what a provider can't enforce is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnest.sandbox import (
    SandboxNetworkMode,
    SandboxNetworkPolicy,
    SandboxPolicyUnsupportedError,
    SandboxProviderCapabilities,
)

NONE = SandboxNetworkPolicy.none()
OPEN = SandboxNetworkPolicy.unrestricted()
PUBLIC = SandboxNetworkPolicy.unrestricted(block_private_networks=True)
HOSTS = SandboxNetworkPolicy.allowlist("example.org")
PORTS = SandboxNetworkPolicy.allowlist("example.org", ports=(443,))
LOCAL = SandboxNetworkPolicy.allowlist("example.org", block_private_networks=False)


def test_the_named_policies_are_what_they_say() -> None:
    """Each constructor gives the documented mode and flag."""
    assert SandboxNetworkPolicy(SandboxNetworkMode.NONE, block_private_networks=True) == NONE
    assert (
        SandboxNetworkPolicy(SandboxNetworkMode("unrestricted"), block_private_networks=False)
        == OPEN
    )
    assert PUBLIC.block_private_networks
    assert HOSTS.mode is SandboxNetworkMode.ALLOWLIST
    assert HOSTS.block_private_networks
    assert PORTS.allow_ports == (443,)


@pytest.mark.parametrize(
    ("given_host", "host"),
    [
        ("Example.ORG", "example.org"),
        (" example.org.. ", "example.org"),
        ("localhost", "localhost"),
        ("a-b.c1", "a-b.c1"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("BÜCHER.example.", "xn--bcher-kva.example"),
        ("例え。テスト。", "xn--r8jz45g.xn--zckzah"),
        ("1.2.3.4", "1.2.3.4"),
        ("1.2.3.4.", "1.2.3.4"),
        ("::1", "::1"),
        ("2001:DB8:0:0::0:1", "2001:db8::1"),
        ("x" * 63 + ".org", "x" * 63 + ".org"),
    ],
)
def test_a_host_is_stored_in_one_spelling(given_host: str, host: str) -> None:
    """Lower-case ASCII names without trailing dot, canonical addresses."""
    assert SandboxNetworkPolicy.allowlist(given_host).allow_hosts == (host,)


@pytest.mark.parametrize(
    "host",
    [
        "",
        " ",
        ".",
        "*.example.org",
        "https://example.org",
        "example.org/path",
        "example.org:443",
        "user@example.org",
        "[::1]",
        "::1%eth0",
        "fe80::1%1",
        "10.0.0.0/8",
        "a..b",
        ".a",
        "-a.org",
        "a-.org",
        "a_b.org",
        "a b.org",
        "a\nb.org",
        "a\x00.org",
        "x" * 64 + ".org",
        ".".join(["x" * 50] * 6),
        "ü" * 64 + ".org",
        "1.2.3.4:80",
        "::1::2",
        "127.1",
        "127.0.0.1.2",
        "2130706433",
        "0177.0.0.1",
        "0x7f000001",
        "127.0.0.0X1",
        "a.0x",
        None,
        3,
        b"a.org",
    ],
)
def test_anything_but_an_exact_host_is_refused(host: Any) -> None:
    """Patterns, URLs, ports, scope ids and malformed names are ValueErrors."""
    with pytest.raises(ValueError, match="allow_hosts"):
        SandboxNetworkPolicy.allowlist(host)


def test_entries_are_kept_once_in_order() -> None:
    """Different spellings of one host are one; ports too."""
    policy = SandboxNetworkPolicy(
        "allowlist",  # type: ignore[arg-type]
        ["b.org", "A.org", "B.ORG.", "a.org"],  # type: ignore[arg-type]
        [443, 80, 443],  # type: ignore[arg-type]
    )
    assert policy.allow_hosts == ("b.org", "a.org")
    assert policy.allow_ports == (443, 80)


@pytest.mark.parametrize("port", [0, 65_536, -1, True, 80.0, "80", None])
def test_a_port_is_an_int_in_range(port: Any) -> None:
    """Anything else is a ValueError."""
    with pytest.raises(ValueError, match="port"):
        SandboxNetworkPolicy.allowlist("a.org", ports=(port,))
    assert SandboxNetworkPolicy.allowlist("a.org", ports=(1, 65_535)).allow_ports == (1, 65_535)


@pytest.mark.parametrize("field", ["allow_hosts", "allow_ports"])
@pytest.mark.parametrize("value", ["a.org", {"a.org"}, iter(["a.org"]), None, 3])
def test_lists_are_lists_or_tuples(field: str, value: Any) -> None:
    """A bare string, a set or an iterator is a TypeError."""
    with pytest.raises(TypeError, match=field):
        SandboxNetworkPolicy(SandboxNetworkMode.ALLOWLIST, **{field: value})


@pytest.mark.parametrize("flag", [1, 0, None, "yes"])
def test_the_flag_is_exactly_a_bool(flag: Any) -> None:
    """A truthy value is a TypeError: an authority is never granted by accident."""
    with pytest.raises(TypeError, match="block_private_networks"):
        SandboxNetworkPolicy.unrestricted(block_private_networks=flag)


@pytest.mark.parametrize("mode", ["none", "unrestricted"])
def test_hosts_and_ports_belong_to_an_allowlist(mode: Any) -> None:
    """Hosts or ports in another mode, and an allowlist without hosts, are ValueErrors."""
    with pytest.raises(ValueError, match="allowlist mode only"):
        SandboxNetworkPolicy(mode, ("a.org",))
    with pytest.raises(ValueError, match="allowlist mode only"):
        SandboxNetworkPolicy(mode, (), (80,))
    with pytest.raises(ValueError, match="at least one host"):
        SandboxNetworkPolicy.allowlist(ports=(80,))
    with pytest.raises(ValueError, match="SandboxNetworkMode"):
        SandboxNetworkPolicy("everything")  # type: ignore[arg-type]


@given(st.text(max_size=80))
def test_a_stored_host_is_its_own_spelling(text: str) -> None:
    """Whatever is accepted is accepted again unchanged; the rest is a ValueError, never a crash."""
    try:
        hosts = SandboxNetworkPolicy.allowlist(text).allow_hosts
    except ValueError:
        return
    assert SandboxNetworkPolicy.allowlist(*hosts).allow_hosts == hosts
    assert hosts[0].isascii()


FULL = SandboxProviderCapabilities(
    frozenset(SandboxNetworkMode),
    host_allowlist=True,
    port_allowlist=True,
    private_network_blocking=True,
)


@pytest.mark.parametrize(
    ("capabilities", "policy", "missing"),
    [
        (SandboxProviderCapabilities(), NONE, "mode 'none'"),
        (SandboxProviderCapabilities({"none"}), OPEN, "mode 'unrestricted'"),  # type: ignore[arg-type]
        (SandboxProviderCapabilities(["allowlist"]), PORTS, "host_allowlist"),  # type: ignore[arg-type]
        (
            SandboxProviderCapabilities(("allowlist",), host_allowlist=True),  # type: ignore[arg-type]
            PORTS,
            "port_allowlist",
        ),
        (
            SandboxProviderCapabilities(
                ("allowlist",),  # type: ignore[arg-type]
                host_allowlist=True,
                port_allowlist=True,
            ),
            PORTS,
            "private_network_blocking",
        ),
        (
            SandboxProviderCapabilities({"unrestricted"}),  # type: ignore[arg-type]
            PUBLIC,
            "private_network_blocking",
        ),
    ],
)
def test_the_first_missing_control_is_named(
    capabilities: SandboxProviderCapabilities, policy: SandboxNetworkPolicy, missing: str
) -> None:
    """A policy that can't be enforced in full is refused, by an error that is a ValueError."""
    with pytest.raises(SandboxPolicyUnsupportedError, match=missing) as caught:
        capabilities.require(policy)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("policy", [NONE, OPEN, PUBLIC, HOSTS, PORTS, LOCAL])
def test_what_is_enforced_passes(policy: SandboxNetworkPolicy) -> None:
    """A provider with every control takes every policy."""
    FULL.require(policy)


def test_no_network_needs_no_further_control() -> None:
    """With no network at all, private networks are shut already."""
    SandboxProviderCapabilities({"none"}).require(NONE)  # type: ignore[arg-type]
    SandboxProviderCapabilities({"unrestricted"}).require(OPEN)  # type: ignore[arg-type]
    SandboxProviderCapabilities({"allowlist"}, host_allowlist=True).require(LOCAL)  # type: ignore[arg-type]


def test_capabilities_are_typed() -> None:
    """Modes are a collection of modes, flags exactly bools, and only a policy can be required."""
    assert SandboxProviderCapabilities(["none"]).network_modes == {SandboxNetworkMode.NONE}  # type: ignore[arg-type]
    for wrong in ("none", 3, None):
        with pytest.raises(TypeError, match="network_modes"):
            SandboxProviderCapabilities(wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="SandboxNetworkMode"):
        SandboxProviderCapabilities({"all"})  # type: ignore[arg-type]
    for flag in ("host_allowlist", "port_allowlist", "private_network_blocking"):
        with pytest.raises(TypeError, match=flag):
            SandboxProviderCapabilities(**{flag: 1})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="policy must be"):
        FULL.require("none")  # type: ignore[arg-type]
