"""How the provider suite tries the OpenShell extension: on a gateway of this host.

``harnest extensions test PATH`` reads it. It needs a Docker daemon and the image
harnest-test/openshell.
"""

from __future__ import annotations

import atexit
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harnest.extensions.openshell import Connection, openshell

from harnest_ext.conformance import Feature, ProviderProfile

sys.path.insert(0, str(Path(__file__).parent))
from gateway.containers import Stock
from gateway.server import LocalGateway

if TYPE_CHECKING:
    from harnest_ext.conformance import Wanted

STOCK = Stock()
GATEWAY = LocalGateway(STOCK)
GATEWAY.__enter__()
atexit.register(STOCK.close)
atexit.register(GATEWAY.close)
WHY_NOT = {
    Feature.LIMIT_MEMORY: "the service has no field for it: it is the gateway's configuration",
    Feature.LIMIT_PROCESSES: "the service has no field for it: it is the gateway's configuration",
}


def make(wanted: Wanted) -> Any:
    """A provider with what a check wants and this extension's own choice for the rest."""
    options: dict[str, Any] = {"network_policy": wanted.network_policy, "timeout_seconds": 60}
    if wanted.scope is not None:
        options["scope"] = wanted.scope
    if wanted.max_output_bytes is not None:
        options["max_output_bytes"] = wanted.max_output_bytes
    connection = Connection(endpoint=GATEWAY.endpoint)
    return openshell.sandbox(connection=connection, ready=1, **options).build()


PROFILE = ProviderProfile(
    name="openshell",
    make=make,
    supports=frozenset(Feature) - set(WHY_NOT),
    why_not=WHY_NOT,
    slack_seconds=6.0,  # one call is up to six requests, each of them a command in a container
)
