"""How an OpenShell backend is configured; everything is checked before anything is sent."""

from __future__ import annotations

import os
import secrets as random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harnest.execution import checks
from harnest.execution import limits as execution_limits

from . import limits
from .gateway.port import Connection
from .naming import default_owner
from .policy.checks import texts
from .policy.document import Policy
from .policy.secrets import Secret, Secrets
from .settings import SandboxSettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["OpenShellConfig"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenShellConfig:
    """A session's sandbox, and the bounds of what runs in it.

    Attributes:
        session_id: The session that the sandbox is for; a text of any length. The sandbox's name
            is a hash of all of it. The default is a new session.
        owner: Who may attach to the session's sandbox and delete it; by default this user on this
            host.
        attach: Whether a sandbox that the session has already is used. Its labels and its policy
            must be the same.
        project: Folder of this host that is copied into the work directory, and back; None for
            none.
        exclude: Names of entries of the project that are left alone on both sides.
        connection: Which gateway.
        policy: What programs may do; by default no connection at all.
        secrets: What programs can use and not read; their values are read from this process's
            environment when the backend is made.
        image: Image that programs see; empty for the gateway's own.
        environment: Variables of all programs; shown in no representation.
        work: Work directory inside, absolute.
        timeout_seconds: Deadline of each call in seconds, at least 1.
        max_output_bytes: Most bytes kept of both output streams together, 1 to 1 GiB; a program
            that writes more is ended.
        shell: Absolute path, inside, of the shell that commands are run by.
        python: Interpreter for Python, a path or a name on the sandbox's ``PATH``.
        ready_seconds: Longest wait for the sandbox to be ready, in seconds.

    Raises:
        TypeError: A sequence, mapping or path has the wrong type.
        ValueError: Another value is out of its bounds, or no rule lets a secret be used.
    """

    session_id: str = field(default_factory=lambda: random.token_hex(16))
    owner: str = field(default_factory=default_owner)
    attach: bool = True
    project: Path | None = None
    exclude: Sequence[str] = ()
    connection: Connection = field(default_factory=Connection)
    policy: Policy = field(default_factory=Policy)
    secrets: Sequence[Secret] = ()
    image: str = ""
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    work: str = "/sandbox"
    timeout_seconds: int = limits.TIMEOUT_SECONDS
    max_output_bytes: int = limits.OUTPUT_BYTES
    shell: str = "/bin/sh"
    python: str = "python3"
    ready_seconds: int = limits.READY_SECONDS

    def __post_init__(self) -> None:
        for name in ("session_id", "owner", "python"):
            value = getattr(self, name)
            if not isinstance(value, str) or not value.strip() or "\0" in value:
                raise ValueError(f"{name} must be a non-blank text without NUL")
        checks.choice("attach", self.attach, (True, False))
        checks.number("timeout_seconds", self.timeout_seconds, execution_limits.SECONDS_MAXIMUM)
        checks.number("max_output_bytes", self.max_output_bytes, limits.OUTPUT_BYTES_MAXIMUM)
        checks.absolute("shell", self.shell)
        if self.project is not None:
            object.__setattr__(self, "project", checks.work_directory(self.project, "project"))
        object.__setattr__(self, "exclude", _names(self.exclude))
        object.__setattr__(self, "environment", checks.variables(self.environment))
        object.__setattr__(self, "secrets", tuple(texts("secrets", self.secrets)))
        # All of the rest is checked as it will be used, but for the values of secrets.
        self._settings(Secrets(self.secrets, _stand_ins(self.secrets)))

    def settings(self) -> SandboxSettings:
        """Return what the sandbox is made with; the values of secrets are read now.

        Raises:
            ValueError: A secret's variable is not set, or its value is out of bounds.
        """
        return self._settings(Secrets(self.secrets))

    def _settings(self, secrets: Secrets) -> SandboxSettings:
        return SandboxSettings(
            connection=self.connection,
            policy=self.policy,
            secrets=secrets,
            image=self.image,
            environment=self.environment,
            work=self.work,
            ready_seconds=self.ready_seconds,
        )


def _stand_ins(secrets: Sequence[object]) -> dict[str, str]:
    """Return an environment in which every secret has a value that is none."""
    known = (secret for secret in secrets if isinstance(secret, Secret))
    return {secret.variable or secret.name: "-" for secret in known}


def _names(value: object) -> tuple[str, ...]:
    names = texts("exclude", value)
    if len(names) > limits.EXCLUDED:
        raise ValueError(f"exclude has {len(names)} names, more than {limits.EXCLUDED}")
    for name in names:
        if not isinstance(name, str) or name in ("", ".", "..") or "/" in name or "\0" in name:
            raise ValueError(f"exclude must hold names of entries, not paths: {name!r}")
        if len(os.fsencode(name)) > 255:
            raise ValueError("a name in exclude has more than 255 bytes")
    return tuple(str(name) for name in names)
