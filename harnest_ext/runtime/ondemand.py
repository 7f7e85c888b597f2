"""``import harnest.extensions.<name>`` in an ordinary script: activates the project at hand.

The project is the one that ``HARNEST_PROJECT`` names, else the nearest one above the current
folder; without one, what the environment brings. What this activates stays for the life of the
process; an AgentRuntime of the same project joins it.
"""

from __future__ import annotations

import importlib
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from harnest.extensions import ExtensionImportError
from harnest.extensions._finder import PREFIX, published
from harnest_ext.distributions import installed_extensions
from harnest_ext.errors import ExtensionNotFound, HarnestExtensionError, InvalidExtension
from harnest_ext.runtime.activation import active_set, claim
from harnest_ext.runtime.discovery import discover
from harnest_ext.runtime.planning import make_plan
from harnest_ext.store import Project

if TYPE_CHECKING:
    from types import ModuleType

    from harnest_ext.identity import Slug
    from harnest_ext.runtime.planning import Plan

__all__ = ["PROJECT_VARIABLE", "load", "project_at_hand"]

PROJECT_VARIABLE: Final = "HARNEST_PROJECT"
"""Environment variable with the agent project's folder."""

_PLANNING = threading.Lock()


def load(fullname: str) -> ModuleType:
    """Return the module of an extension, activating the whole set if none is active.

    Args:
        fullname: ``harnest.extensions.<name>``.

    Raises:
        ExtensionImportError: It is not installed, its set can't be loaded, or another is active.
    """
    name = fullname.removeprefix(PREFIX)
    refused: str
    try:
        refused = _activate(name)
    except HarnestExtensionError as error:
        refused = f"{fullname} can't be imported.\n{error}"
    if refused:
        raise ExtensionImportError(refused, name=fullname)
    return importlib.import_module(fullname)


def project_at_hand() -> Project | None:
    """Return the project that an ordinary script belongs to, or None.

    Raises:
        HarnestExtensionError: ``HARNEST_PROJECT`` names no agent project.
    """
    named = os.environ.get(PROJECT_VARIABLE)
    if named:
        return Project.at(Path(named))
    try:
        return Project.find(Path.cwd())
    except (ExtensionNotFound, InvalidExtension, FileNotFoundError):
        return None


def _activate(name: str) -> str:
    # Planning imports nothing of an extension and is all that happens under the lock: whoever
    # waits here may hold the import lock of a module that the loading needs.
    found, fresh, why = None, False, ""
    with _PLANNING:
        current = active_set()
        if current is None:
            plan, why = _plan(name)
            if plan is not None:
                found, fresh = claim(plan)
        elif published(name) is None:
            why = _inactive(name, current.plan)
    if found is not None and fresh:
        found.load()
        if found.candidate(name) is None:
            return _inactive(name, found.plan)
    return why


def _plan(name: str) -> tuple[Plan | None, str]:
    project = project_at_hand()
    plan = make_plan(discover(project, installed_extensions()))
    if any(candidate.slug == name for candidate in plan.extensions):
        return plan, ""
    return None, _inactive(name, plan) if name in plan.skipped else _absent(name, project)


def _absent(name: str, project: Project | None) -> str:
    where = f"the agent project {project.root}" if project else "the environment"
    more = (
        ""
        if project
        else (
            " There is no agent project in the current folder or above it; "
            f"{PROJECT_VARIABLE} can name one."
        )
    )
    return (
        f"The extension {name!r} is not installed in {where}. Install it with 'harnest extensions "
        f"install {name}'.{more}"
    )


def _inactive(name: str, plan: Plan) -> str:
    reasons = plan.skipped.get(cast("Slug", name), ())
    if reasons:
        told = "\n".join(problem.describe() for problem in reasons)
        return f"The extension {name!r} was left out.\n{told}"
    return (
        f"The extension {name!r} is not among the active ones. Install it with 'harnest extensions "
        f"install {name}' and start again; an extension that imports it must name it under "
        "'requires.extensions'."
    )
