"""What extensions may ask the runtime for, each according to the capabilities that it declares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from harnest.context import ContextResourceError
from harnest.extensions._finder import PREFIX
from harnest_ext.runtime.continuations import ContinuationDesk
from harnest_ext.runtime.state import StateStore
from harnest_ext.runtime.storage import SqliteStorage, open_storage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from harnest_ext.runtime.activation import ActiveSet

__all__ = ["Authorities", "StartAuthority"]

CONTINUATIONS: Final = "context.continuations"
CREDENTIALS: Final = "context.credentials"
STORAGE: Final = "context.storage"
_AGENT: Final = ""
"""Owner of what the agent project itself stores; no extension has an empty name."""


class Authorities:
    """Hands out storage, continuations and the right to credentials for one running runtime.

    Args:
        active: The loaded extensions with their capabilities.
        root: The project's folder.
    """

    def __init__(self, active: ActiveSet, root: Path) -> None:
        self._active = active
        self._store = StateStore(root)
        self._desks: dict[str, ContinuationDesk] = {}

    def has(self, extension: str, capability: str) -> bool:
        """Tell whether an extension declares a capability."""
        candidate = self._active.candidate(extension)
        return candidate is not None and capability in candidate.capabilities

    def require(self, extension: str, capability: str) -> None:
        """Refuse an extension that does not declare a capability.

        Raises:
            ContextResourceError: It does not; the text says what to add.
        """
        if not self.has(extension, capability):
            raise ContextResourceError(
                f"The extension {extension!r} may not use this: add {capability!r} under "
                "'capabilities' in its extension.yaml and install it again."
            )

    def storage(self, name: str, caller: str, active: Callable[[], bool]) -> SqliteStorage:
        """Return a storage of the module's extension, or of the agent project.

        Args:
            name: Name of the storage.
            caller: Name of the module that asks.
            active: Whether the asking invocation or runtime still runs.
        """
        owner = _extension_of(caller)
        if owner:
            self.require(owner, STORAGE)
        return open_storage(self._store, owner, name, active)

    def check_credentials(self, caller: str) -> None:
        """Refuse the module of an extension that may not ask for credentials."""
        owner = _extension_of(caller)
        if owner:
            self.require(owner, CREDENTIALS)

    def desk(self, extension: str) -> ContinuationDesk:
        """Return an extension's continuations."""
        self.require(extension, CONTINUATIONS)
        return self._desks.setdefault(extension, ContinuationDesk(self._store, extension))

    def close(self) -> None:
        """Close the project's state; what was handed out is dead."""
        self._store.close()


class StartAuthority:
    """One extension's part of it, for its start context."""

    def __init__(self, authorities: Authorities, extension: str) -> None:
        self._authorities = authorities
        self._extension = extension

    def storage(self, name: str) -> SqliteStorage:
        """Return a storage of this extension."""
        return self._authorities.storage(name, PREFIX + self._extension, lambda: True)

    def continuations(self) -> ContinuationDesk:
        """Return this extension's continuations."""
        return self._authorities.desk(self._extension)


def _extension_of(module: str) -> str:
    if not module.startswith(PREFIX):
        return _AGENT
    name = module.removeprefix(PREFIX).partition(".")[0]
    # The namespace's own modules begin with an underscore and ask on behalf of their caller.
    return _AGENT if name.startswith("_") else name
