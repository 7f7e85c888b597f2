"""Run an agent's commands, programs and file tools in sandboxes of an OpenShell gateway.

::

    from harnest.extensions.openshell import OpenShellBackend, OpenShellConfig, openshell

    python = openshell.sandbox(timeout_seconds=30)             # the sandbox contract
    backend = OpenShellBackend(OpenShellConfig(project=Path(".")))   # commands and file tools
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest.extensions import Extension
from harnest.sandbox import Sandbox

from .lib import limits as bounds
from .lib.backend import OpenShellBackend
from .lib.config import OpenShellConfig
from .lib.declared import DeclaredSettings, OpenShellScope
from .lib.errors import (
    DeleteFailedError,
    GatewayRefusedError,
    OpenShellSandboxError,
    OpenShellStartError,
    OpenShellUnavailableError,
    OwnershipError,
    PolicyDiffersError,
    SyncFailedError,
)
from .lib.gateway.port import Connection, PendingRule
from .lib.policy.document import Filesystem, Policy
from .lib.policy.network import Endpoint, HttpRule, NetworkRule
from .lib.policy.secrets import Secret, Secrets
from .lib.settings import SandboxSettings
from .lib.sync.report import SyncReport

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harnest.sandbox import SandboxNetworkPolicy

__all__ = [
    "Connection",
    "DeleteFailedError",
    "Endpoint",
    "Filesystem",
    "GatewayRefusedError",
    "HttpRule",
    "NetworkRule",
    "OpenShellBackend",
    "OpenShellConfig",
    "OpenShellExtension",
    "OpenShellSandboxError",
    "OpenShellScope",
    "OpenShellStartError",
    "OpenShellUnavailableError",
    "OwnershipError",
    "PendingRule",
    "Policy",
    "PolicyDiffersError",
    "Secret",
    "SyncFailedError",
    "SyncReport",
    "extension",
    "openshell",
    "openshell_sandbox",
]


class OpenShellExtension(Extension):
    """Declares sandboxes of an OpenShell gateway, and backends on them."""

    def backend(self, config: OpenShellConfig | None = None) -> OpenShellBackend:
        """Return a backend for commands and file tools; nothing is sent yet.

        Args:
            config: Session, gateway, policy and bounds; None for every default.

        Raises:
            ValueError: A secret's variable is not set, or a value is out of bounds.
        """
        return OpenShellBackend(config)

    def sandbox(  # noqa: PLR0913 - the documented options of a declaration
        self,
        *,
        network_policy: SandboxNetworkPolicy | None = None,
        timeout_seconds: int = bounds.TIMEOUT_SECONDS,
        connection: Connection | None = None,
        policy: Policy | None = None,
        secrets: Sequence[Secret] = (),
        image: str = "",
        environment: Mapping[str, str] | None = None,
        work: str = "/sandbox",
        python: str = "/usr/bin/python3",
        programs: Sequence[str] = (),
        scope: OpenShellScope | str = OpenShellScope.EXECUTION,
        max_sandboxes: int = bounds.SANDBOXES,
        ready: int = 0,
        ready_seconds: int = bounds.READY_SECONDS,
        max_output_bytes: int = bounds.OUTPUT_BYTES,
        metadata: Mapping[str, object] | None = None,
    ) -> Sandbox:
        """Declare a sandbox; everything is checked now, and nothing is sent.

        Args:
            network_policy: ``none()``, or an allow-list with ports; None claims nothing, and no
                connection is allowed either unless ``policy`` has rules.
            timeout_seconds: All-in deadline of a call in seconds, at least 1; the making of a
                sandbox counts.
            connection: Which gateway; None for this user's active one.
            policy: What programs may do; None for no connection, and the default paths.
            secrets: What programs can use and not read; values are read now.
            image: Image that programs see; empty for the gateway's own.
            environment: Variables of all programs, at most 64.
            work: Folder inside below which work directories are made, absolute.
            python: Absolute path of the interpreter inside.
            programs: Executables that an allow-list allows, links resolved; default ``python``.
            scope: How long a work directory is kept, and for whom.
            max_sandboxes: Most sandboxes at a time, 1 to 256.
            ready: Sandboxes made when the provider is built, 0 to 16.
            ready_seconds: Longest wait for a sandbox to be ready, in seconds.
            max_output_bytes: Most bytes kept of both output streams together, 1 to 1 GiB; a program
                that writes more is ended.
            metadata: JSON-like data for every request.

        Raises:
            SandboxPolicyUnsupportedError: The network policy can't be written as rules.
            TypeError: An option has the wrong type.
            ValueError: An option is out of its bounds, or a secret's variable is not set.
        """
        settings = DeclaredSettings(
            sandbox=SandboxSettings(
                connection=Connection() if connection is None else connection,
                policy=Policy() if policy is None else policy,
                secrets=Secrets(secrets),
                image=image,
                environment={} if environment is None else environment,
                work=work,
                ready_seconds=ready_seconds,
            ),
            network_policy=network_policy,
            timeout_seconds=timeout_seconds,
            max_output_bytes=max_output_bytes,
            scope=OpenShellScope(scope),
            max_sandboxes=max_sandboxes,
            ready=ready,
            python=python,
            programs=programs,
        )
        return _declared(settings, metadata)


def _declared(settings: DeclaredSettings, metadata: Mapping[str, object] | None) -> Sandbox:
    return Sandbox.provider(
        lambda: _build(settings),
        name="openshell",
        timeout_seconds=settings.timeout_seconds,
        metadata=metadata,
        network_policy=settings.network_policy,
    )


def _build(settings: DeclaredSettings) -> object:
    # Imported at the first execution: a declaration needs none of the machinery.
    from .lib.connecting import by_sdk  # noqa: PLC0415
    from .lib.provider import OpenShellSandboxProvider  # noqa: PLC0415

    return OpenShellSandboxProvider(settings, lambda: by_sdk(settings.sandbox))


extension = OpenShellExtension()
openshell = extension
openshell_sandbox = extension.sandbox
