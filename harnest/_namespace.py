"""Makes extensions importable from the first moment on, whichever thread is the first to import.

A thread that imports ``harnest.extensions.<name>`` does not wait for another one that is still
importing ``harnest.extensions`` itself: it goes on to look for the name. So a finder has to be
there before that package is, and waits - in the loader, where waiting is safe - until it is whole.
"""

from __future__ import annotations

import sys
import threading
from importlib.machinery import ModuleSpec
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType

__all__ = ["install", "on_demand_spec", "retire"]

_PARENT: Final = "harnest.extensions"
_WAIT_SECONDS: Final = 60
"""Seconds that an import waits for the thread that imports ``harnest.extensions``."""


class _EarlyFinder:
    """Stands in for the finder of ``harnest.extensions`` until that is in place."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a spec for an extension's name; the package's own modules are found otherwise."""
        del path, target
        parent, _, name = fullname.rpartition(".")
        return on_demand_spec(fullname) if parent == _PARENT and not name.startswith("_") else None


class _OnDemandLoader:
    """Activates the project at hand and hands over the module that this made."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module that activation made.

        Raises:
            ImportError: The import of ``harnest.extensions`` failed, in whichever thread it ran;
                or there is no such extension.
        """
        # The thread that imports the package needs no lock of this module: it can't wait for us.
        if not _WHOLE.wait(_WAIT_SECONDS):
            raise ImportError(f"{_PARENT} could not be imported.", name=spec.name)
        module = _ACTIVATE[0](spec.name)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its real spec back: it ran when it was activated."""
        module.__spec__ = self._spec


_FINDER: Final = _EarlyFinder()
_ACTIVATE: Final[list[Callable[[str], ModuleType]]] = []
_WHOLE: Final = threading.Event()


def on_demand_spec(fullname: str) -> ModuleSpec:
    """Return a spec of an extension that is not active yet."""
    return ModuleSpec(fullname, _OnDemandLoader(), is_package=True)  # type: ignore[arg-type]


def install() -> None:
    """Put the early finder in place."""
    sys.meta_path.insert(0, _FINDER)


def retire(activate: Callable[[str], ModuleType]) -> None:
    """Take it away: the real finder is there. Repeatable.

    Args:
        activate: Activates the project at hand and returns the module of that full name.
    """
    if _FINDER in sys.meta_path:
        sys.meta_path.remove(_FINDER)
    if not _ACTIVATE:
        _ACTIVATE.append(activate)
    _WHOLE.set()
