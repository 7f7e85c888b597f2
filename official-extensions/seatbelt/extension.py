"""Run Python and commands on macOS in sandboxes of its own, each under a generated profile.

::

    from harnest.extensions.seatbelt import seatbelt

    python = seatbelt.sandbox(timeout_seconds=30)

It is also the tier ``seatbelt`` of :class:`harnest.execution.Workspace`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from harnest.execution.local.provider import checks
from harnest.execution.local.provider import limits as bounds
from harnest.extensions import Extension
from harnest.sandbox import Sandbox

from .lib.errors import SeatbeltSandboxError
from .lib.settings import SeatbeltLimits, SeatbeltScope, SeatbeltSettings

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from harnest.execution import WorkspaceConfig, WorkspaceEngine
    from harnest.sandbox import SandboxNetworkPolicy

__all__ = [
    "SeatbeltExtension",
    "SeatbeltLimits",
    "SeatbeltSandboxError",
    "SeatbeltScope",
    "extension",
    "seatbelt",
    "seatbelt_sandbox",
]


class SeatbeltExtension(Extension):
    """Declares sandboxes, and opens workspaces, whose programs are confined by macOS."""

    def sandbox(  # noqa: PLR0913 - the documented options of a declaration
        self,
        *,
        network_policy: SandboxNetworkPolicy | None = None,
        timeout_seconds: int = bounds.TIMEOUT_SECONDS,
        python: str | None = None,
        environment: Mapping[str, str] | None = None,
        inherit: Sequence[str] = (),
        allowed_paths: Sequence[str | os.PathLike[str]] = (),
        scope: SeatbeltScope | str = SeatbeltScope.EXECUTION,
        max_scopes: int = bounds.SCOPES,
        max_output_bytes: int = bounds.OUTPUT_BYTES,
        limits: SeatbeltLimits | None = None,
        metadata: Mapping[str, object] | None = None,
    ) -> Sandbox:
        """Declare a sandbox; everything is checked now, and nothing is started.

        Args:
            network_policy: None and ``none()`` give programs no network; with ``unrestricted()``
                they use this host's. There are no lists of hosts.
            timeout_seconds: All-in deadline of a call in seconds, at least 1.
            python: Absolute path of the interpreter on this host, Python 3.8 or newer; default the
                one that runs Harnest. Its installation is readable inside.
            environment: Variables added to the program's clean environment (PATH, HOME, TMPDIR,
                LANG), at most 64.
            inherit: Names of variables taken over from Harnest's environment.
            allowed_paths: Absolute paths of this host that programs may read, at their own places.
            scope: How long the work directory is kept, and for whom.
            max_scopes: Most kept work directories, 1 to 1024.
            max_output_bytes: Most bytes kept of both output streams together, 1 to 1 GiB; a
                program that writes more is ended.
            limits: Limits of each process of a program.
            metadata: JSON-like data for every request.

        Raises:
            TypeError: An option has the wrong type.
            ValueError: An option is out of its bounds.
        """
        settings = SeatbeltSettings(
            network_policy=network_policy,
            timeout_seconds=timeout_seconds,
            python=sys.executable if python is None else python,
            environment={} if environment is None else environment,
            inherit=checks.names(inherit),
            allowed_paths=checks.paths("allowed_paths", allowed_paths),
            scope=SeatbeltScope(scope),
            max_scopes=max_scopes,
            max_output_bytes=max_output_bytes,
            limits=SeatbeltLimits() if limits is None else limits,
        )
        return Sandbox.provider(
            lambda: _build(settings),
            name="seatbelt",
            timeout_seconds=timeout_seconds,
            metadata=metadata,
            network_policy=network_policy,
        )

    def workspace(self, config: WorkspaceConfig, directory: Path) -> WorkspaceEngine:
        """Return the engine of a workspace, having tried a sandbox around its directory.

        Args:
            config: The configuration, checked.
            directory: Work directory on this host: existing, absolute, without links.

        Raises:
            TierUnavailableError: This host can't have such sandboxes, or one did not keep its
                promises.
            UnsupportedPromiseError: A path can't be allowed.
        """
        from .lib.workspace import SeatbeltWorkspace  # noqa: PLC0415 - as below

        return SeatbeltWorkspace(config, directory)


def _build(settings: SeatbeltSettings) -> object:
    # Imported at the first execution: a declaration needs none of the machinery.
    from .lib.provider import SeatbeltSandboxProvider  # noqa: PLC0415

    return SeatbeltSandboxProvider(settings)


extension = SeatbeltExtension()
seatbelt = extension
seatbelt_sandbox = extension.sandbox
