"""What a sandbox is made with, checked as a whole before anything is sent."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from harnest.execution import checks
from harnest.execution import limits as execution_limits

from . import limits
from .gateway.port import Connection
from .policy.checks import path
from .policy.document import Policy
from .policy.secrets import SecretGroup, Secrets

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .policy.network import NetworkRule

__all__ = ["SandboxSettings"]

_KEEP_RUNNING = ("/bin/sh", "-c", "trap 'exit 0' TERM INT; while :; do sleep 3600 & wait $!; done")


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxSettings:
    """Everything about a sandbox but whose it is.

    Attributes:
        connection: Which gateway.
        policy: What it may do.
        secrets: What its programs can use and not read.
        image: Image that its programs see; empty for the gateway's own.
        environment: Variables of all its programs; shown in no representation.
        work: Its work directory.
        ready_seconds: Longest wait for it to be ready.
        main: Its main process, which must not end by itself: a sandbox without one is over.

    Raises:
        TypeError: A value has the wrong type.
        ValueError: A value is out of its bounds, or a secret has no rule that lets it be used.
    """

    connection: Connection = field(default_factory=Connection)
    policy: Policy = field(default_factory=Policy)
    secrets: Secrets = field(default_factory=Secrets)
    image: str = ""
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    work: str = "/sandbox"
    ready_seconds: int = limits.READY_SECONDS
    main: Sequence[str] = _KEEP_RUNNING

    def __post_init__(self) -> None:
        for name, kind in (("connection", Connection), ("policy", Policy), ("secrets", Secrets)):
            if not isinstance(getattr(self, name), kind):
                raise TypeError(f"{name} must be a {kind.__name__}")
        if not isinstance(self.image, str):
            raise TypeError("image must be a text")
        if self.image and not (self.image.isprintable() and " " not in self.image):
            raise ValueError(f"image must be the name of an image, not {self.image!r:.80}")
        if not path("work", self.work).strip("/"):
            raise ValueError("work must be a folder of its own, not '/'")
        checks.number("ready_seconds", self.ready_seconds, execution_limits.SECONDS_MAXIMUM)
        object.__setattr__(self, "environment", checks.variables(self.environment))
        size = sum(len(k.encode()) + len(v.encode()) for k, v in self.environment.items())
        if size > limits.ENVIRONMENT_BYTES:
            raise ValueError(f"environment has {size} bytes, more than {limits.ENVIRONMENT_BYTES}")
        clash = self.secrets.names & set(self.environment)
        if clash:
            raise ValueError(f"{min(clash)} is both a secret and a variable of environment")
        for group in self.secrets.groups(str):
            self._check_usable(group)

    def policy_message(self, groups: Sequence[SecretGroup]) -> dict[str, Any]:
        """Return the policy as the service has it, with credentials bound to their hosts.

        Args:
            groups: The secrets under the names of their providers.
        """
        bindings: dict[str, str] = {}
        shared: set[str] = set()
        for group in groups:
            shared |= bindings.keys() & set(group.hosts)
            bindings |= dict.fromkeys(group.hosts, group.name)
        # A host of two groups gets both credentials by the providers' own endpoints.
        for host in shared:
            del bindings[host]
        return self.policy.message(bindings)

    def programs(self, group: SecretGroup) -> tuple[str, ...]:
        """Return the programs whose requests may carry a group's values."""
        return tuple(sorted({path for rule in self._rules(group) for path in rule.programs}))

    def _rules(self, group: SecretGroup) -> tuple[NetworkRule, ...]:
        return tuple(
            rule
            for rule in self.policy.network
            if any(endpoint.host in group.hosts for endpoint in rule.endpoints)
        )

    def _check_usable(self, group: SecretGroup) -> None:
        for host in group.hosts:
            found = [e for r in self.policy.network for e in r.endpoints if e.host == host]
            ports = {port for endpoint in found for port in endpoint.ports}
            names = ", ".join(secret.name for secret in group.secrets)
            if not set(group.ports) <= ports:
                raise ValueError(
                    f"no network rule lets a program reach {host} on every port of the secret "
                    f"{names}: add one, or the secret could not be used"
                )
            if any(not endpoint.protocol for endpoint in found):
                raise ValueError(
                    f"the endpoint {host} needs a protocol, such as 'rest': the value of {names} "
                    "can be put only into traffic that is looked into"
                )
