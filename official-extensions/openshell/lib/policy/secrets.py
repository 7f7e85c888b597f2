"""Secrets that programs can use and never read.

A program finds a placeholder in its environment; the gateway's proxy puts the value into requests
to the secret's own hosts. Secrets with the same hosts become one provider. Values are read once, in
construction, and appear in no representation, log or error.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from harnest.execution import checks as variables

from .. import limits
from . import checks
from .network import Endpoint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Secret", "SecretGroup", "Secrets"]

_HIDDEN = "***"


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """One secret.

    Attributes:
        name: Variable in which programs find the placeholder.
        hosts: Hosts whose requests may carry the value, at least one.
        ports: Ports of these hosts.
        variable: Variable of this process that holds the value; None for the same name.
        header: Header that carries it; empty for wherever the placeholder stands.

    Raises:
        TypeError: A sequence is none.
        ValueError: A value is out of its bounds.
    """

    name: str
    hosts: Sequence[str]
    ports: Sequence[int] = (443,)
    variable: str | None = None
    header: str = ""

    def __post_init__(self) -> None:
        for name in (self.name, self.variable or self.name):
            variables.variables({name: ""})
        hosts = checks.texts("hosts", self.hosts)
        ports = checks.texts("ports", self.ports)
        if not hosts or not ports:
            raise ValueError(f"secret {self.name} must name at least one host and one port")
        object.__setattr__(self, "hosts", tuple(sorted({checks.host("hosts", h) for h in hosts})))
        object.__setattr__(self, "ports", tuple(sorted(checks.port("ports", p) for p in ports)))
        if self.header:
            checks.word("header", self.header)


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretGroup:
    """The secrets that have the same hosts and ports: one provider of a sandbox.

    Attributes:
        name: Name of the provider and of its profile.
        hosts: Their hosts.
        ports: Their ports.
        secrets: The secrets.
        values: Value of each, by name; never shown.
    """

    name: str
    hosts: tuple[str, ...]
    ports: tuple[int, ...]
    secrets: tuple[Secret, ...]
    values: Mapping[str, str] = field(repr=False)

    def profile(self, programs: Sequence[str]) -> dict[str, Any]:
        """Return the profile as the service has it, in JSON's types.

        Args:
            programs: Executables whose requests may carry the values.
        """
        return {
            "id": self.name,
            "display_name": self.name,
            "description": "made by harnest for one sandbox",
            "category": "PROVIDER_PROFILE_CATEGORY_OTHER",
            "credentials": [_credential(secret) for secret in self.secrets],
            "endpoints": [
                Endpoint(host=host, ports=self.ports, protocol="rest", access="full").message()
                for host in self.hosts
            ],
            "binaries": [{"path": path} for path in programs],
        }


class Secrets:
    """All secrets of one backend, with their values.

    Args:
        wanted: The secrets.
        environment: Where the values are; None for this process's environment.

    Raises:
        TypeError: It is no list or tuple of secrets.
        ValueError: A variable is not set, two have one name, or there are too many.
    """

    def __init__(
        self, wanted: Sequence[Secret] = (), environment: Mapping[str, str] | None = None
    ) -> None:
        items = checks.texts("secrets", wanted)
        secrets = tuple(item for item in items if isinstance(item, Secret))
        if len(secrets) != len(items):
            raise TypeError("secrets must be Secret objects")
        if len(secrets) > limits.SECRETS:
            raise ValueError(f"secrets has {len(secrets)} items, more than {limits.SECRETS}")
        if len({secret.name for secret in secrets}) != len(secrets):
            raise ValueError("two secrets have the same name")
        source = os.environ if environment is None else environment
        self._secrets = secrets
        self._values = {secret.name: _value(secret, source) for secret in secrets}
        if sum(len(value.encode()) for value in self._values.values()) > limits.SECRETS_BYTES:
            raise ValueError(f"secrets have more than {limits.SECRETS_BYTES} bytes together")
        if len(self.groups(str)) > limits.PROVIDERS:
            raise ValueError(f"secrets have more than {limits.PROVIDERS} different sets of hosts")

    def __repr__(self) -> str:
        return f"Secrets({', '.join(secret.name for secret in self._secrets)})"

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("secrets can't be pickled")

    @property
    def names(self) -> frozenset[str]:
        """Variables in which programs find placeholders."""
        return frozenset(self._values)

    def groups(self, name: Any) -> tuple[SecretGroup, ...]:
        """Return the secrets grouped by identical hosts and ports.

        Args:
            name: Called with a group's number, returns its name.
        """
        found: dict[tuple[tuple[str, ...], tuple[int, ...]], list[Secret]] = {}
        for secret in self._secrets:
            found.setdefault((tuple(secret.hosts), tuple(secret.ports)), []).append(secret)
        return tuple(
            SecretGroup(
                name=name(number),
                hosts=hosts,
                ports=ports,
                secrets=tuple(secrets),
                values={secret.name: self._values[secret.name] for secret in secrets},
            )
            for number, ((hosts, ports), secrets) in enumerate(found.items(), 1)
        )

    def redact(self, text: str) -> str:
        """Return a text in which no value of a secret stands."""
        for value in sorted(self._values.values(), key=len, reverse=True):
            text = text.replace(value, _HIDDEN)
        return text


def _credential(secret: Secret) -> dict[str, Any]:
    parts = {"name": secret.name, "env_vars": [secret.name], "required": True}
    if secret.header:
        parts |= {"auth_style": "header", "header_name": secret.header}
    return parts


def _value(secret: Secret, source: Mapping[str, str]) -> str:
    name = secret.variable or secret.name
    value = source.get(name, "")
    if not value:
        raise ValueError(
            f"the secret {secret.name} is not there: set the environment variable {name}"
        )
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        raise ValueError(f"the variable {name} holds bytes that are no UTF-8") from None
    if "\0" in value or size > limits.SECRET_BYTES:
        raise ValueError(
            f"the variable {name} holds a NUL or more than {limits.SECRET_BYTES} bytes"
        )
    return value
