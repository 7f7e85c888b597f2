"""Run Python and commands in processes of this host: no Docker needed, and no security boundary.

::

    from harnest.extensions.process import process

    python = process.sandbox(timeout_seconds=30)

It is also the tier ``process`` of :class:`harnest.execution.Workspace`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from harnest.execution.local.provider import checks
from harnest.execution.local.provider import limits as bounds
from harnest.extensions import Extension
from harnest.sandbox import Sandbox

from .lib.errors import ProcessSandboxError
from .lib.settings import ProcessLimits, ProcessScope, ProcessSettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from harnest.execution import WorkspaceConfig, WorkspaceEngine
    from harnest.sandbox import SandboxNetworkPolicy

__all__ = [
    "ProcessExtension",
    "ProcessLimits",
    "ProcessSandboxError",
    "ProcessScope",
    "extension",
    "process",
    "process_sandbox",
]


class ProcessExtension(Extension):
    """Declares sandboxes, and opens workspaces, whose programs are processes of this host."""

    def sandbox(  # noqa: PLR0913 - the documented options of a declaration
        self,
        *,
        network_policy: SandboxNetworkPolicy | None = None,
        timeout_seconds: int = bounds.TIMEOUT_SECONDS,
        python: str | None = None,
        environment: Mapping[str, str] | None = None,
        inherit: Sequence[str] = (),
        scope: ProcessScope | str = ProcessScope.EXECUTION,
        max_scopes: int = bounds.SCOPES,
        max_output_bytes: int = bounds.OUTPUT_BYTES,
        limits: ProcessLimits | None = None,
        metadata: Mapping[str, object] | None = None,
    ) -> Sandbox:
        """Declare a sandbox; everything is checked now, and nothing is started.

        Args:
            network_policy: None claims nothing; ``unrestricted()`` is what programs have; with
                ``none()`` they get no network, and building the sandbox is refused on a host that
                can't enforce it.
            timeout_seconds: All-in deadline of a call in seconds, at least 1.
            python: Absolute path of the interpreter, Python 3.8 or newer; default the one that
                runs Harnest.
            environment: Variables added to the program's clean environment (PATH, HOME, TMPDIR,
                LANG), at most 64.
            inherit: Names of variables taken over from Harnest's environment.
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
        settings = ProcessSettings(
            network_policy=network_policy,
            timeout_seconds=timeout_seconds,
            python=sys.executable if python is None else python,
            environment={} if environment is None else environment,
            inherit=checks.names(inherit),
            scope=ProcessScope(scope),
            max_scopes=max_scopes,
            max_output_bytes=max_output_bytes,
            limits=ProcessLimits() if limits is None else limits,
        )
        return Sandbox.provider(
            lambda: _build(settings),
            name="process",
            timeout_seconds=timeout_seconds,
            metadata=metadata,
            network_policy=network_policy,
        )

    def workspace(self, config: WorkspaceConfig, directory: Path) -> WorkspaceEngine:
        """Return the engine of a workspace; :class:`harnest.execution.Workspace` asks for it.

        Args:
            config: The configuration.
            directory: Work directory on this host, as its real path.

        Raises:
            TierUnavailableError: The tier can't run here.
            UnsupportedPromiseError: It can't keep what the configuration asks for.
        """
        from .lib.workspace import ProcessWorkspace  # noqa: PLC0415 - only workspaces need it

        return ProcessWorkspace(config, directory)


def _build(settings: ProcessSettings) -> object:
    # Imported at the first execution: a declaration needs none of the machinery.
    from .lib.provider import ProcessSandboxProvider  # noqa: PLC0415

    return ProcessSandboxProvider(settings)


extension = ProcessExtension()
process = extension
process_sandbox = extension.sandbox
