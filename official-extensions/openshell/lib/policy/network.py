"""Which program may connect to which host and port; what no rule allows is denied.

A connection is allowed if its host and its program match one and the same rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import limits
from . import checks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Endpoint", "HttpRule", "NetworkRule"]

_ACCESS = {"read-only": "READ_ONLY", "read-write": "READ_WRITE", "full": "FULL"}
_TLS = {"terminate": "TERMINATE", "passthrough": "PASSTHROUGH", "skip": "SKIP"}
_ENFORCEMENT = {"enforce": "ENFORCE", "audit": "AUDIT"}


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRule:
    """One kind of HTTP request that an inspected endpoint lets through.

    Attributes:
        method: Such as ``GET``; ``*`` for any.
        path: Path, absolute, where ``*`` and ``**`` stand for parts of it.
    """

    method: str
    path: str

    def __post_init__(self) -> None:
        if not isinstance(self.method, str) or not (self.method == "*" or self.method.isalpha()):
            raise ValueError(f"method must be an HTTP method or '*', not {self.method!r}")
        object.__setattr__(self, "method", self.method.upper())
        object.__setattr__(self, "path", checks.path("path", self.path))


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A host with its ports, and how its traffic is looked at.

    Attributes:
        host: DNS name or address; its first label may be ``*``.
        ports: Ports, at least one.
        protocol: Empty for connections that are not looked into; ``rest``, ``websocket`` or
            ``sql`` for ones that are.
        tls: ``terminate``, ``passthrough`` or ``skip``; empty for the gateway's own choice.
        enforcement: ``enforce``; ``audit`` lets everything through and only logs it.
        access: ``read-only``, ``read-write`` or ``full`` for an inspected protocol; empty where
            ``rules`` say it, or where nothing is inspected.
        rules: Requests that are let through, instead of ``access``.
        allowed_ips: Addresses or ranges that the host may resolve to, where it is private.

    Raises:
        TypeError: A sequence is none.
        ValueError: A value is out of its bounds.
    """

    host: str
    ports: Sequence[int]
    protocol: str = ""
    tls: str = ""
    enforcement: str = "enforce"
    access: str = ""
    rules: Sequence[HttpRule] = ()
    allowed_ips: Sequence[str] = ()

    def __post_init__(self) -> None:
        ports = checks.texts("ports", self.ports)
        if not ports:
            raise ValueError("ports must name at least one port")
        addresses = checks.texts("allowed_ips", self.allowed_ips)
        values = {
            "host": checks.host("host", self.host),
            "ports": tuple(sorted(checks.port("ports", item) for item in ports)),
            "allowed_ips": tuple(checks.address_range("allowed_ips", item) for item in addresses),
            "rules": checks.texts("rules", self.rules),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        checks.choice("protocol", self.protocol, ("", "rest", "websocket", "sql"))
        checks.choice("tls", self.tls, ("", *_TLS))
        checks.choice("enforcement", self.enforcement, tuple(_ENFORCEMENT))
        checks.choice("access", self.access, ("", *_ACCESS))
        self._check_inspection()

    def message(self, binding: str = "") -> dict[str, Any]:
        """Return it as the service has it.

        Args:
            binding: Provider whose credentials are put into its requests; empty for none.
        """
        parts: dict[str, Any] = {
            "host": self.host,
            "ports": list(self.ports),
            "protocol": self.protocol,
            "tls": f"NETWORK_TLS_MODE_{_TLS[self.tls]}" if self.tls else "",
            "enforcement": f"NETWORK_ENFORCEMENT_MODE_{_ENFORCEMENT[self.enforcement]}",
            "access": f"NETWORK_ACCESS_PRESET_{_ACCESS[self.access]}" if self.access else "",
            "rules": [{"allow": {"method": r.method, "path": r.path}} for r in self.rules],
            "allowed_ips": list(self.allowed_ips),
            "credential_binding": {"provider": binding} if binding else {},
        }
        return {name: value for name, value in parts.items() if value}

    def _check_inspection(self) -> None:
        if not all(isinstance(rule, HttpRule) for rule in self.rules):
            raise TypeError("rules must be HttpRule objects")
        if self.access and self.rules:
            raise ValueError("access and rules exclude each other: name one of them")
        if (self.access or self.rules) and not self.protocol:
            raise ValueError("access and rules need a protocol: they look into the traffic")


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkRule:
    """Programs, and the endpoints that they may reach.

    Attributes:
        name: Name in logs.
        endpoints: At least one.
        programs: Absolute paths of the executables, links resolved; at least one.

    Raises:
        TypeError: A sequence is none, or holds something else.
        ValueError: A value is out of its bounds.
    """

    name: str
    endpoints: Sequence[Endpoint]
    programs: Sequence[str]

    def __post_init__(self) -> None:
        checks.word("name", self.name)
        endpoints = checks.texts("endpoints", self.endpoints)
        if not all(isinstance(item, Endpoint) for item in endpoints):
            raise TypeError("endpoints must be Endpoint objects")
        programs = checks.texts("programs", self.programs)
        if not endpoints or not programs:
            raise ValueError(f"rule {self.name!r} must name at least one endpoint and one program")
        object.__setattr__(self, "endpoints", endpoints)
        paths = tuple(sorted(checks.path("programs", item) for item in programs))
        object.__setattr__(self, "programs", paths)

    def message(self, bindings: Mapping[str, str]) -> dict[str, Any]:
        """Return it as the service has it.

        Args:
            bindings: Provider of each host whose requests get credentials.
        """
        endpoints = [item.message(bindings.get(item.host, "")) for item in self.endpoints]
        programs = [{"path": item} for item in self.programs]
        return {"name": self.name, "endpoints": endpoints, "binaries": programs}


def checked_rules(value: object) -> tuple[NetworkRule, ...]:
    """Return network rules with distinct names.

    Raises:
        TypeError: It is no list or tuple of rules.
        ValueError: There are too many, or two have one name.
    """
    rules = checks.texts("network", value)
    found = tuple(rule for rule in rules if isinstance(rule, NetworkRule))
    if len(found) != len(rules):
        raise TypeError("network must be NetworkRule objects")
    if len(found) > limits.NETWORK_RULES:
        raise ValueError(f"network has {len(found)} rules, more than {limits.NETWORK_RULES}")
    if len({rule.name for rule in found}) != len(found):
        raise ValueError("two network rules have the same name")
    return found
