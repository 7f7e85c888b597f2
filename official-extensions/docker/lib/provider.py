"""The provider: admission, a topology for the caller, one program in it, and what came of it."""

from harnest.sandbox import (
    SandboxProviderCapabilities,
    SandboxRequest,
    SandboxResult,
    control,
)
from harnest.sandbox.optional import (
    OutputSink,
    SandboxDiagnosis,
    SandboxPruneReport,
    SandboxResource,
)
from harnest.sandbox.worker import awaited

from .contracts.config import DockerSandboxConfig
from .contracts.topology import CAPABILITIES
from .daemon.port import Daemon
from .daemon.sdk import SdkDaemon
from .engine import Engine
from .operations import Operations


class DockerSandboxProvider:
    """Runs Python in Docker as one declaration says. Nothing is contacted before the first execution.

    Args:
        config: the declaration.
        daemon: how the daemon is reached; None is the Docker SDK with the declared address.
    """

    sandbox_capabilities: SandboxProviderCapabilities = CAPABILITIES

    def __init__(self, config: DockerSandboxConfig, daemon: Daemon | None = None) -> None:
        daemon = daemon or SdkDaemon(config.base_url)
        self._engine = Engine(config, daemon)
        self._operations = Operations(config, daemon)

    def execute(self, request: SandboxRequest) -> SandboxResult:
        """Run one program.

        Raises:
            DockerSandboxError: Docker could not do its part; ``phase`` says which.
            SandboxCancelledError: the caller is gone; nothing of the call is left.
            SandboxInputFilesUnsupportedError: there are input files, and exchange is off.
            SandboxPolicyUnsupportedError: the request's policy is not the declared one.
            ValueError: a part of the caller's identity that the scope needs is missing, or an input
                file's name or size is not allowed.
        """
        return self._engine.execute(request, None)

    def execute_streaming(self, request: SandboxRequest, on_output: OutputSink) -> SandboxResult:
        """Run one program and hand on its output as it comes; raises as :meth:`execute`."""
        return self._engine.execute(request, on_output)

    async def aexecute(self, request: SandboxRequest) -> SandboxResult:
        """Run one program without blocking the event loop; raises as :meth:`execute`.

        Cancelling the task ends the program and removes its container before the task ends.
        """
        with control.execute(request.timeout_seconds) as scope:
            return await awaited(lambda: self.execute(request), scope)

    def inventory(self) -> tuple[SandboxResource, ...]:
        """Return every container, network and built image of this extension on the daemon.

        Raises:
            DockerUnavailable: no daemon answers.
        """
        return self._operations.inventory()

    def prune(self) -> SandboxPruneReport:
        """Remove what nobody owns any more; never anything of a living process.

        Raises:
            DockerUnavailable: no daemon answers.
        """
        return self._operations.prune()

    def diagnose(self) -> tuple[SandboxDiagnosis, ...]:
        """Return what really holds on this daemon; a container is started and removed for it."""
        return self._operations.diagnose()

    def close(self) -> None:
        """Let no call begin, wait a bounded time for those that run, and remove everything.

        Raises:
            DockerCleanupError: something could not be removed; call again.
        """
        self._engine.close()
