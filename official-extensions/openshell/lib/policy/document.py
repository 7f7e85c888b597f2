"""The policy of a sandbox as a whole: always explicit, and checked before anything is sent.

Without rules it denies every connection. The SDK's own default, which leaves the policy to whatever
the image brings, is never used.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import limits
from . import checks
from .network import NetworkRule, checked_rules

__all__ = ["Filesystem", "Policy", "normal"]

_READ_ONLY = ("/etc", "/lib", "/proc", "/usr")
_READ_WRITE = ("/dev/null", "/sandbox", "/tmp")  # noqa: S108 - inside of the sandbox


@dataclass(frozen=True, slots=True, kw_only=True)
class Filesystem:
    """Which paths programs may read, and which they may write too.

    Attributes:
        read_only: Absolute paths.
        read_write: Absolute paths.
        include_workdir: Whether the work directory may be written without being named.
    """

    read_only: Sequence[str] = _READ_ONLY
    read_write: Sequence[str] = _READ_WRITE
    include_workdir: bool = True

    def __post_init__(self) -> None:
        for name in ("read_only", "read_write"):
            items = checks.texts(name, getattr(self, name))
            object.__setattr__(self, name, tuple(sorted(checks.path(name, i) for i in items)))
        if not isinstance(self.include_workdir, bool):
            raise TypeError("include_workdir must be True or False")
        if "/" in self.read_write:
            raise ValueError("read_write must not hold '/': it would allow everything")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What a sandbox may do.

    Attributes:
        network: Rules; empty denies every connection.
        filesystem: Paths.
        landlock: ``hard_requirement``: without Landlock no program runs; ``best_effort``: it runs
            with what the kernel has.
        run_as_user: User that programs run as, never root.
        run_as_group: Its group, never root.

    Raises:
        TypeError: A value has the wrong type.
        ValueError: A value is out of its bounds, or the whole is larger than a gateway takes.
    """

    network: Sequence[NetworkRule] = ()
    filesystem: Filesystem = field(default_factory=Filesystem)
    landlock: str = "hard_requirement"
    run_as_user: str = "sandbox"
    run_as_group: str = "sandbox"

    def __post_init__(self) -> None:
        object.__setattr__(self, "network", checked_rules(self.network))
        if not isinstance(self.filesystem, Filesystem):
            raise TypeError("filesystem must be a Filesystem")
        checks.choice("landlock", self.landlock, ("hard_requirement", "best_effort"))
        for name in ("run_as_user", "run_as_group"):
            if checks.word(name, getattr(self, name)) in ("root", "0"):
                raise ValueError(f"{name} must not be root")
        size = len(json.dumps(self.message()).encode())
        if size > limits.POLICY_BYTES:
            raise ValueError(
                f"the policy has {size} bytes, more than the {limits.POLICY_BYTES} that a gateway "
                "takes: name fewer rules"
            )

    def message(self, bindings: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Return it as the service has it, in JSON's types.

        Args:
            bindings: Provider of each host whose requests get credentials.
        """
        bound = {} if bindings is None else bindings
        return {
            "version": 1,
            "filesystem": {
                "include_workdir": self.filesystem.include_workdir,
                "read_only": list(self.filesystem.read_only),
                "read_write": list(self.filesystem.read_write),
            },
            "landlock": {"compatibility": self.landlock},
            "process": {"run_as_user": self.run_as_user, "run_as_group": self.run_as_group},
            "network_policies": {rule.name: rule.message(bound) for rule in self.network},
        }


def normal(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a policy's message in one form, whatever a gateway leaves out or orders otherwise.

    Names of providers are those of one start, so a binding counts by being there.
    """
    return {name: _normal(name, value) for name, value in message.items() if _counts(name, value)}


def _counts(name: str, value: object) -> bool:
    return name != "version" and value not in ("", 0, False, None, [], {})


def _normal(name: str, value: object) -> object:
    if name == "credential_binding":
        return True
    if isinstance(value, Mapping):
        return normal(value)
    if isinstance(value, list | tuple):
        items = [normal(item) if isinstance(item, Mapping) else item for item in value]
        return sorted(items, key=lambda item: json.dumps(item, sort_keys=True))
    return value
