"""What the agent and its extensions require of Python, each requirement with who states it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.requirements import InvalidRequirement, Requirement

from harnest_ext import limits
from harnest_ext.environment import rules
from harnest_ext.errors import InvalidExtension
from harnest_ext.identity import DISTRIBUTION_PREFIX, HOST_DISTRIBUTION, normalized
from harnest_ext.package import check_package
from harnest_ext.store.reader import installed_view
from harnest_ext.store.reading import read_regular
from harnest_ext.toml_fault import toml_fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnest_ext.host import Host
    from harnest_ext.store.lock import LockedExtension
    from harnest_ext.store.project import Project
    from harnest_ext.store.view import InstalledView

__all__ = ["Demand", "demands_of", "is_host_owned"]

AGENT = "the agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """One requirement.

    Attributes:
        text: The requirement, PEP 508.
        owner: Who states it, such as ``extension docker 0.5.0``.
    """

    text: str
    owner: str

    def __str__(self) -> str:
        return f"{self.owner} requires {self.text}"


def demands_of(project: Project, host: Host) -> tuple[Demand, ...]:
    """Return what a project requires of Python, by owner and text; what the host owns left out.

    Raises:
        InvalidExtension: The lock, the agent's ``pyproject.toml`` or a linked extension can't be
            used.
    """
    found = [
        *_of_agent(project),
        *_of_extensions(installed_view(project), host),
    ]
    kept = {demand for demand in found if not is_host_owned(demand.text)}
    return tuple(sorted(kept, key=lambda demand: (demand.owner, demand.text)))


def is_host_owned(requirement: str) -> bool:
    """Return whether a requirement names Harnest or an extension."""
    name = normalized(Requirement(requirement).name)
    return name == HOST_DISTRIBUTION or name.startswith(DISTRIBUTION_PREFIX)


def _of_agent(project: Project) -> Iterator[Demand]:
    data = read_regular(project.pyproject_path, limits.METADATA_BYTES) or b""
    try:
        table = tomllib.loads(data.decode()).get("project", {})
    except (ValueError, RecursionError) as error:
        fault = toml_fault(error, data)
        raise _refused(fault.reason, line=fault.line) from None
    listed = table.get("dependencies", []) if isinstance(table, dict) else None
    if not isinstance(listed, list) or not all(isinstance(text, str) for text in listed):
        raise _refused("[project] dependencies is not a list of texts")
    for text in listed:
        try:
            Requirement(text)
        except InvalidRequirement as error:
            first = str(error).partition("\n")[0]
            raise _refused(f"'{text}' is not a requirement: {first}") from None
        yield Demand(text=text, owner=AGENT)


def _of_extensions(view: InstalledView, host: Host) -> Iterator[Demand]:
    for entry in view.lock.entries.values():
        owner = f"extension {entry.name} {entry.version}"
        for text in _dependencies(view, entry, host):
            yield Demand(text=text, owner=owner)


def _dependencies(view: InstalledView, entry: LockedExtension, host: Host) -> tuple[str, ...]:
    """What the lock says; of a checkout that runs in place, what it says itself by now."""
    present = view.get(entry.name)
    if not entry.linked or present is None or present.path is None:
        return entry.dependencies
    report = check_package(present.path, host=host)
    if report.package is None:
        raise InvalidExtension(report.problems)
    return report.package.dependencies


def _refused(why: str, *, line: int | None = None) -> InvalidExtension:
    message = f"The agent's pyproject.toml is not usable: {why}."
    return InvalidExtension(rules.PROJECT.problem(message, path="pyproject.toml", line=line))
