"""What a call fails with when Docker, not the program, is the reason.

::

    SandboxExecutionError                  (harnest.sandbox)
    +-- DockerSandboxError                 carries the phase that failed
        +-- DockerUnavailable              no daemon answers, or the SDK is missing
        +-- DockerImageError               the image cannot be had or used
        +-- DockerNetworkError             no network can be made
        +-- DockerStartError               a container cannot be made, started or trusted
        +-- DockerServiceError             a service fails or does not become ready
        +-- DockerProtocolError            the container's answer makes no sense, or it ended by itself
        +-- DockerCleanupError             earlier containers could not be removed, so none are added

No message carries text of the SDK or the daemon, image references, environment, commands or code.
"""

from typing import Final

from harnest.sandbox import SandboxExecutionError


class Phase:
    """The documented phases of a call, as ``error.phase`` and in result metadata."""

    CONFIGURATION: Final = "configuration"
    SDK: Final = "SDK import"
    CONNECTION: Final = "daemon connection"
    QUEUE: Final = "queue"
    RESOLUTION: Final = "image resolution"
    PULL: Final = "image pull"
    BUILD: Final = "image build"
    POLICY: Final = "image policy"
    NETWORK: Final = "network creation"
    CREATION: Final = "container creation"
    START: Final = "container start"
    VERIFICATION: Final = "start verification"
    READINESS: Final = "readiness"
    EXECUTION: Final = "execution"
    CLEANUP: Final = "cleanup"

    @staticmethod
    def service(name: str, step: str) -> str:
        """Return the phase *step* of the service *name*: ``service 'queue' readiness``."""
        return f"service '{name}' {step}"


class DockerSandboxError(SandboxExecutionError):
    """Docker could not do its part; nothing of the call is left behind unless the text says so.

    Attributes:
        phase: what failed, one of :class:`Phase`.
    """

    def __init__(self, phase: str, message: str) -> None:
        super().__init__(f"{phase}: {message}")
        self.phase = phase


class DockerUnavailable(DockerSandboxError):
    """No daemon answers, or the SDK is not installed."""


class DockerImageError(DockerSandboxError):
    """The image is missing, refused, of another architecture, or without a usable Python."""


class DockerNetworkError(DockerSandboxError):
    """No network can be made."""


class DockerStartError(DockerSandboxError):
    """A container cannot be created or started, or its limits are not what was asked for."""


class DockerServiceError(DockerSandboxError):
    """A service ended, or was not ready in its time."""


class DockerProtocolError(DockerSandboxError):
    """The container's answer makes no sense, or the container ended by itself."""


class DockerCleanupError(DockerSandboxError):
    """What an earlier call left cannot be confirmed as removed, so nothing is added to it."""
