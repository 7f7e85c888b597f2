"""What a started runtime has: the parts that invocations use, until all of it is closed."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from harnest_ext.errors import LoadError
from harnest_ext.runtime import rules
from harnest_ext.runtime.authority import Authorities
from harnest_ext.runtime.credentials import provider_for
from harnest_ext.runtime.pool import ProviderPool
from harnest_ext.runtime.sandboxes import load_sandboxes, unload_sandboxes

if TYPE_CHECKING:
    from harnest.credentials import CredentialProvider
    from harnest_ext.problem import Problem
    from harnest_ext.runtime.activation import ActiveSet
    from harnest_ext.runtime.config import ProjectConfig
    from harnest_ext.runtime.invocation import Invocation
    from harnest_ext.store import Project

__all__ = ["Running"]


class Running:
    """The loaded project.

    Args:
        project: The agent project.
        config: Its ``config.yaml``.
        active: The loaded extensions; released by :meth:`release`.
        credentials: The provider to use instead of the configured one.
    """

    def __init__(
        self,
        project: Project,
        config: ProjectConfig,
        active: ActiveSet,
        credentials: CredentialProvider | None,
    ) -> None:
        self.project = project
        self.config = config
        self.active = active
        self.authorities = Authorities(active, project.root)
        self.credentials = credentials or provider_for(config.credentials, project.root)
        self.catalog = load_sandboxes(project.root, active)
        self.pool = ProviderPool(self.catalog.declared)
        self._lock = threading.Lock()
        self._open: set[Invocation] = set()
        self._closing = False
        self._released = False

    def granted(self, agent: str) -> tuple[str, ...]:
        """Return the names of an agent's granted and declared sandboxes, sorted."""
        config = self.config.agents.get(agent)
        if config is None:
            return ()
        return tuple(sorted(name for name in config.sandboxes if name in self.catalog.declared))

    def admit(self, invocation: Invocation) -> None:
        """Count an invocation that begins.

        Raises:
            LoadError: The runtime closes.
        """
        with self._lock:
            if self._closing:
                raise LoadError(rules.RUNTIME_STATE.problem("The runtime is closed."))
            self._open.add(invocation)

    def forget(self, invocation: Invocation) -> None:
        """Count an invocation less."""
        with self._lock:
            self._open.discard(invocation)

    def close_invocations(self) -> list[Problem]:
        """Admit none, revoke those that run, and close every provider."""
        with self._lock:
            self._closing = True
            running = list(self._open)
        for invocation in running:
            invocation.revoke()
        return self.pool.close()

    def release(self, owner: object) -> None:
        """Close the state and give the extensions back. Repeatable, also from several threads."""
        with self._lock:
            if self._released:
                return
            self._released = True
        self.authorities.close()
        unload_sandboxes()
        self.active.disown(owner)
        self.active.release()
