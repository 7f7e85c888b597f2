"""Whether a set of locked extensions can be activated together, here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.manager import rules
from harnest_ext.manager.ranges import satisfies
from harnest_ext.manager.state import split_requirement

if TYPE_CHECKING:
    from harnest_ext.host import Host
    from harnest_ext.problem import Problem
    from harnest_ext.store.lock import LockedExtension, LockFile

__all__ = ["inconsistencies", "objection"]


def objection(entry: LockedExtension, lock: LockFile, host: Host) -> str:
    """Return why ``entry`` can't be activated with the rest of ``lock`` on ``host``, or ``""``."""
    if not satisfies(host.harnest_version, entry.host_range):
        return f"needs Harnest {entry.host_range}, this is {host.harnest_version}"
    if not satisfies(host.python_version, entry.requires_python):
        return f"needs Python {entry.requires_python}, this is {host.python_version}"
    for requirement in entry.requires:
        name, specifier = split_requirement(requirement)
        found = lock.get(name)
        if found is None:
            return f"requires {requirement}, which is not installed"
        if not satisfies(found.version, specifier):
            return f"requires {requirement}, and {found.version} is installed"
    return ""


def inconsistencies(lock: LockFile, host: Host) -> tuple[Problem, ...]:
    """Return a problem for each extension of ``lock`` that can't be activated on ``host``."""
    reasons = ((entry.name, objection(entry, lock, host)) for entry in lock.entries.values())
    return tuple(
        rules.UNSATISFIED.problem(f"The extension '{name}' {reason}.", path=name)
        for name, reason in reasons
        if reason
    )
