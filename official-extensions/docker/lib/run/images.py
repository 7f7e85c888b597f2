"""Find, pull or build images, each once, and refuse those that cannot run here."""

import threading

from harnest.sandbox.scope import SandboxControl

from ..daemon.port import Daemon, DaemonFault, Fault, Image, Server
from ..errors import DockerImageError, Phase
from ..plan.labels import CONTEXT, IMAGE, OURS, OWNER, RESOURCE
from ..plan.seccomp import ARCHITECTURES
from ..telemetry import Journal
from .context import read_context
from .patience import interruptible
from .problems import phase, seconds_left


class Images:
    """The images of one provider; each is resolved once."""

    def __init__(self, daemon: Daemon, owner: str) -> None:
        self._daemon = daemon
        self._owner = owner
        self._lock = threading.Lock()
        self._known: dict[tuple[str | None, str | None], Image] = {}

    def resolve(
        self,
        source: tuple[str | None, str | None],
        server: Server,
        scope: SandboxControl,
        journal: Journal,
        service: str = "",
    ) -> Image:
        """Return the image of *source*, a pair (reference, build folder) of which one is None.

        Raises:
            DockerImageError: it cannot be had, or is for another machine.
            DockerUnavailable: the daemon is gone.
        """
        known = self._remembered(source, scope)
        if known is not None:
            return known
        # One pull or build at a time: two of the same image would be done twice.
        with scope.acquire(self._lock):
            known = self._remembered(source, scope)
            if known is None:
                reference, folder = source
                if folder is None:
                    known = self._pulled(str(reference), scope, journal, service)
                else:
                    known = self._built(folder, scope, journal, service)
                with phase(journal, scope, Phase.POLICY, service):
                    _check(known, server)
                self._known[source] = known
            return known

    def _remembered(
        self, source: tuple[str | None, str | None], scope: SandboxControl
    ) -> Image | None:
        """Return the image that *source* was resolved to, if it is there still.

        What was built here has no name that protects it: another process may have pruned it.
        """
        known = self._known.get(source)
        if known is None or source[1] is None:
            return known
        try:
            return self._daemon.image(known.id, seconds_left(scope))
        except DaemonFault:
            return None

    def forget(self) -> None:
        """Resolve everything again: the daemon does not know an image any more."""
        self._known.clear()

    def _pulled(
        self, reference: str, scope: SandboxControl, journal: Journal, service: str
    ) -> Image:
        with phase(journal, scope, Phase.RESOLUTION, service):
            try:
                return self._daemon.image(reference, seconds_left(scope))
            except DaemonFault as fault:
                if fault.fault is not Fault.NOT_FOUND:
                    raise
        with phase(journal, scope, Phase.PULL, service):
            limit = scope.remaining()
            interruptible(
                scope,
                lambda: self._daemon.pull(reference, limit or seconds_left(scope), scope.check),
            )
            return self._daemon.image(reference, seconds_left(scope))

    def _built(self, folder: str, scope: SandboxControl, journal: Journal, service: str) -> Image:
        with phase(journal, scope, Phase.BUILD, service):
            context = read_context(folder)
            labels = {**OURS, RESOURCE: IMAGE, CONTEXT: context.digest}
            found = self._daemon.images(labels, seconds_left(scope))
            if not found:
                limit = scope.remaining()
                interruptible(
                    scope,
                    lambda: self._daemon.build(
                        context.archive,
                        {**labels, OWNER: self._owner},
                        limit or seconds_left(scope),
                        scope.check,
                    ),
                )
                found = self._daemon.images(labels, seconds_left(scope))
            if not found:
                raise DaemonFault(Fault.BUILD_FAILED)
            return self._daemon.image(found[0].id, seconds_left(scope))


def _check(image: Image, server: Server) -> None:
    if image.system and image.system != "linux":
        raise DockerImageError(Phase.POLICY, "the image is not for Linux")
    ours, theirs = ARCHITECTURES.get(server.machine), ARCHITECTURES.get(image.machine)
    if image.machine and theirs != ours:
        raise DaemonFault(Fault.ARCHITECTURE)
