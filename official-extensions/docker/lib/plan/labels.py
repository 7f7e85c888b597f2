"""Label every resource with what it is and whose it is."""

from typing import Final

from ..limits import LEASE_SECONDS

MANAGED: Final = "dev.harnest.managed"
EXTENSION: Final = "dev.harnest.extension"
RESOURCE: Final = "dev.harnest.resource"
TOPOLOGY: Final = "dev.harnest.topology"
SERVICE: Final = "dev.harnest.service"
OWNER: Final = "dev.harnest.owner"
LEASE: Final = "dev.harnest.lease"
CONTEXT: Final = "dev.harnest.context"

PRIMARY: Final = "primary"
SERVICE_RESOURCE: Final = "service"
NETWORK: Final = "network"
IMAGE: Final = "image"

OURS: Final = {MANAGED: "true", EXTENSION: "docker"}
"""Labels that everything of this extension has."""


def labels(
    resource: str, *, topology: str, owner: str, service: str = "", lease: float = LEASE_SECONDS
) -> dict[str, str]:
    """Return the labels of one container or network."""
    found = {
        **OURS,
        RESOURCE: resource,
        TOPOLOGY: topology,
        OWNER: owner,
        LEASE: str(int(lease)),
    }
    return {**found, SERVICE: service} if service else found
