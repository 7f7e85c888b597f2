"""Harnest's own installation: what it requires, and whether it stands after a change."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING

from packaging.requirements import InvalidRequirement, Requirement

from harnest_ext.environment import rules
from harnest_ext.errors import IncompatibleExtension
from harnest_ext.identity import HOST_DISTRIBUTION, normalized

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harnest_ext.environment.report import PackageChange

__all__ = ["check_standing", "own_requirements"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Installed:
    version: str
    requires: tuple[Requirement, ...]


def own_requirements() -> tuple[str, ...]:
    """Return what the running Harnest requires here, PEP 508, sorted."""
    found = _installed(HOST_DISTRIBUTION)
    return tuple(sorted(map(str, found.requires))) if found else ()


def check_standing(changes: Iterable[PackageChange]) -> None:
    """Refuse changes after which Harnest or something that it stands on lacks what it requires.

    Packages that are broken already, and stay as they are, are no matter of this change.

    Args:
        changes: What is to be installed in the environment that runs Harnest.

    Raises:
        IncompatibleExtension: rule ``env.host-changed``; holds every breach.
    """
    after = {change.name: change.version for change in changes}
    problems = [
        rules.HOST_CHANGED.problem(
            f"{name} {found.version}, which Harnest stands on, requires {requirement}.",
            path=normalized(requirement.name),
            expected=str(requirement.specifier),
            got=after[normalized(requirement.name)],
        )
        for name, found in _closure().items()
        if name not in after
        for requirement in found.requires
        if normalized(requirement.name) in after
        if not requirement.specifier.contains(after[normalized(requirement.name)], prereleases=True)
    ]
    if problems:
        raise IncompatibleExtension(
            problems, unchanged="Neither the environment nor the lock was changed."
        )


def _closure() -> dict[str, _Installed]:
    """Harnest and everything installed that it requires, directly or not."""
    found: dict[str, _Installed] = {}
    todo = [HOST_DISTRIBUTION]
    while todo:
        name = todo.pop()
        installed = None if name in found else _installed(name)
        if installed is not None:
            found[name] = installed
            todo += [normalized(requirement.name) for requirement in installed.requires]
    return found


def _installed(name: str) -> _Installed | None:
    try:
        distribution = metadata.distribution(name)
        return _Installed(
            version=distribution.version, requires=tuple(_applying(distribution.requires or ()))
        )
    except metadata.PackageNotFoundError:
        return None


def _applying(texts: Iterable[str]) -> Iterator[Requirement]:
    for text in texts:
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue  # it can't be kept, so it can't be broken either
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            requirement.marker = None
            yield requirement
