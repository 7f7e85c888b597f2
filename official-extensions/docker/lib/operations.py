"""What operators ask of a declaration's daemon: what is there, what is left over, what holds."""

import time

from harnest.sandbox.optional import SandboxDiagnosis, SandboxPruneReport, SandboxResource

from .contracts.config import DockerSandboxConfig
from .daemon.port import Daemon, DaemonFault, SdkMissing
from .errors import DockerUnavailable, Phase
from .limits import PRUNE_SECONDS
from .plan.labels import IMAGE, NETWORK, OWNER
from .plan.leftovers import Resource
from .plan.owner import Verdict
from .run.diagnosis import diagnose
from .run.inventory import find, prune

_KINDS = {NETWORK: "network", IMAGE: "image"}
_ALIVE = {Verdict.ALIVE: True, Verdict.GONE: False}


class Operations:
    """Asks one daemon, without a household."""

    def __init__(self, config: DockerSandboxConfig, daemon: Daemon) -> None:
        self._config = config
        self._daemon = daemon

    def inventory(self) -> tuple[SandboxResource, ...]:
        """Return every container, network and built image of this extension on the daemon.

        Raises:
            DockerUnavailable: no daemon answers.
        """
        try:
            found = find(self._daemon)
        except (DaemonFault, SdkMissing) as error:
            problem = _unavailable(error)
        else:
            return tuple(_shown(item) for item in found)
        raise problem

    def prune(self) -> SandboxPruneReport:
        """Remove what nobody owns any more.

        Raises:
            DockerUnavailable: no daemon answers.
        """
        try:
            pruned = prune(self._daemon, images=True, seconds=PRUNE_SECONDS)
        except (DaemonFault, SdkMissing) as error:
            problem = _unavailable(error)
        else:
            return SandboxPruneReport(
                removed=tuple(_shown(item) for item in pruned.removed),
                kept=tuple(_shown(item) for item in pruned.kept),
            )
        raise problem

    def diagnose(self) -> tuple[SandboxDiagnosis, ...]:
        """Return what really holds on this daemon; a container is started and removed for it."""
        return tuple(diagnose(self._config, self._daemon))


def _shown(item: Resource) -> SandboxResource:
    created = item.found.created
    return SandboxResource(
        kind=_KINDS.get(item.kind, "container"),
        resource_id=item.found.id.removeprefix("sha256:")[:12],
        owner=item.found.labels.get(OWNER, ""),
        owner_alive=_ALIVE.get(item.verdict),
        age_seconds=max(0.0, time.time() - created) if created else None,
        state=item.found.status,
    )


def _unavailable(error: DaemonFault | SdkMissing) -> DockerUnavailable:
    if isinstance(error, SdkMissing):
        return DockerUnavailable(
            Phase.SDK, "the package 'docker' is not installed: run 'harnest env sync'"
        )
    return DockerUnavailable(Phase.CONNECTION, error.fault.value)
