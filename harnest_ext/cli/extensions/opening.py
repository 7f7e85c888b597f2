"""From the options of a command to a manager of the project that they name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.manager.lookup import LateLookup
from harnest_ext.manager.manager import Manager
from harnest_ext.manager.setting import Setting
from harnest_ext.store.project import Project

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnest_ext.cli.output import Output
    from harnest_ext.manager.lookup import Lookup

__all__ = ["open_manager", "open_project"]


def open_project(folder: Path | None) -> Project:
    """Return the project that ``--project`` names, or the one around the current folder.

    Raises:
        ExtensionNotFound: There is none.
        InvalidExtension: It is not an agent's.
    """
    return Project.find(Path.cwd()) if folder is None else Project.at(folder)


def open_manager(
    folder: Path | None,
    output: Output,
    *,
    wait: float = limits.WRITER_WAIT_SECONDS,
    lookup: Callable[[Project], Lookup] | None = None,
) -> Manager:
    """Return the manager of a project.

    Args:
        folder: What ``--project`` names.
        output: Is told when something takes long.
        wait: Seconds to wait for another writer.
        lookup: Makes what looks names up; by default as the project and the environment say.
    """
    project = open_project(folder)
    return Manager(
        Setting(
            project=project,
            lookup=LateLookup(lambda: (lookup or _default_lookup)(project)),
            wait=wait,
            notice=output.note,
        )
    )


def _default_lookup(project: Project) -> Lookup:
    from harnest_ext.cli.extensions.lookup import LookupOptions  # noqa: PLC0415 - few need it

    return LookupOptions().lookup(project)
