"""From an agent project's folder to its loaded parts, or back to nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.distributions import installed_extensions
from harnest_ext.errors import LoadError
from harnest_ext.runtime.activation import activate
from harnest_ext.runtime.config import read_config
from harnest_ext.runtime.discovery import discover
from harnest_ext.runtime.planning import make_plan
from harnest_ext.runtime.running import Running
from harnest_ext.store import Project

if TYPE_CHECKING:
    from pathlib import Path

    from harnest.credentials import CredentialProvider
    from harnest_ext.distributions import EnvironmentView
    from harnest_ext.runtime.planning import OnBroken

__all__ = ["open_project"]


def open_project(
    folder: Path,
    *,
    owner: object,
    on_broken: OnBroken,
    credentials: CredentialProvider | None,
    environment: EnvironmentView | None,
) -> Running:
    """Read, check and load a project; nothing of it is started yet.

    Args:
        folder: The agent project.
        owner: The runtime that claims the extensions.
        on_broken: What to do about a broken extension or sandbox file.
        credentials: A provider instead of the configured one.
        environment: What the environment brings; None looks.

    Raises:
        HarnestExtensionError: The project's files can't be used.
        LoadError: An extension or sandbox file is broken, or the extensions run elsewhere.
    """
    project = Project.at(folder)
    config = read_config(project)
    found = discover(project, installed_extensions() if environment is None else environment)
    plan = make_plan(found, on_broken=on_broken)
    active = activate(plan)
    running = None
    try:
        active.own(owner)
        running = Running(project, config, active, credentials)
        if on_broken == "raise":
            _require_whole(running)
    except BaseException:
        if running is not None:
            running.release(owner)
        else:
            active.disown(owner)
            active.release()
        raise
    return running


def _require_whole(running: Running) -> None:
    broken = running.catalog.broken
    if broken:
        problems = [broken[name] for name in sorted(broken)]
        raise LoadError(problems, unchanged="Nothing was started.")
