"""Declare the bridge of a topology and its boundary."""

from dataclasses import dataclass

from .checks import flag


@dataclass(frozen=True, slots=True, kw_only=True)
class DockerNetwork:
    """Declare the one bridge that joins the primary container and its services.

    Attributes:
        internal: True keeps every packet inside the topology, the host out of reach too. False gives
            *every* container of the topology the same unrestricted egress, and therefore needs
            ``SandboxNetworkPolicy.unrestricted()`` on the sandbox.

    Raises:
        TypeError: *internal* is not exactly True or False.
    """

    internal: bool = True

    def __post_init__(self) -> None:
        flag(self.internal, "internal")
