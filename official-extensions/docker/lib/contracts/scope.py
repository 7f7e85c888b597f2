"""Name how long a container serves, and for whom."""

from enum import Enum


class DockerScope(Enum):
    """Select who may meet the same container again.

    ``EXECUTION``: nobody, each call gets a fresh topology. ``INVOCATION``: calls of the same agent,
    user, session and invocation. ``SESSION``: calls of the same agent, user and session.
    """

    EXECUTION = "execution"
    INVOCATION = "invocation"
    SESSION = "session"

    @property
    def retained(self) -> bool:
        """Whether a container outlives the call that it was made for."""
        return self is not DockerScope.EXECUTION

    @property
    def identity(self) -> tuple[str, ...]:
        """The parts of a caller's identity that must be known and equal for a container to be met again."""
        parts = ("agent_name", "user_id", "session_id")
        if self is DockerScope.EXECUTION:
            return ()
        return parts if self is DockerScope.SESSION else (*parts, "invocation_id")
