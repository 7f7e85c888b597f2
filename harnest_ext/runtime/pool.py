"""The providers that a runtime has built: one per agent and sandbox, from first use to close."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from harnest.sandbox.runtime import ManagedSandbox
from harnest_ext.runtime import rules
from harnest_ext.runtime.safely import type_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnest.sandbox import Sandbox
    from harnest_ext.problem import Problem

__all__ = ["ProviderPool"]


class ProviderPool:
    """Managed sandboxes by agent and name.

    Args:
        declared: The declarations, by name.
    """

    def __init__(self, declared: Mapping[str, Sandbox]) -> None:
        self._declared = declared
        self._lock = threading.Lock()
        self._made: dict[tuple[str, str], ManagedSandbox] = {}

    def get(self, agent: str, name: str) -> ManagedSandbox:
        """Return the managed sandbox of an agent; it contacts nothing until it executes.

        Raises:
            KeyError: No sandbox of that name is declared.
        """
        with self._lock:
            found = self._made.get((agent, name))
            if found is None:
                found = self._made[agent, name] = ManagedSandbox(self._declared[name])
            return found

    def close(self) -> list[Problem]:
        """Close every provider, each in a bounded time; return those that failed.

        What failed stays, so that closing again tries it again.
        """
        problems = []
        for key, managed in list(self._made.items()):
            failed = _close(managed)
            if failed is None:
                self._made.pop(key, None)
                continue
            problems.append(
                rules.STOP_FAILED.problem(
                    f"The sandbox {key[1]!r} of the agent {key[0]!r} did not close: {failed}.",
                    path=key[1],
                    got=failed,
                )
            )
        return problems


def _close(managed: ManagedSandbox) -> str | None:
    try:
        managed.close()
    except Exception as error:  # noqa: BLE001 - a provider's own code: every other one is closed too
        return type_name(error)
    return None
