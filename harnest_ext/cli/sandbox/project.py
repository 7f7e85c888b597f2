"""The project that a sandbox command works on, loaded but not started, and released again."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harnest.context import ContextResourceError
from harnest.sandbox import (
    SandboxCancelledError,
    SandboxExecutionError,
    SandboxInputFilesUnsupportedError,
    SandboxPolicyUnsupportedError,
)
from harnest.sandbox.foreign import AdkOnlyError
from harnest_ext.cli.sandbox import rules
from harnest_ext.errors import LoadError
from harnest_ext.runtime.opening import open_project
from harnest_ext.store import Project

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnest_ext.runtime.running import Running

__all__ = ["find_folder", "loaded", "refusals_told"]

_OWNER = object()


def find_folder(project: Path | None) -> Path:
    """Return the folder of the named project, or of the one that the current folder is in.

    Raises:
        HarnestExtensionError: There is none.
    """
    return (Project.find(Path.cwd()) if project is None else Project.at(project)).root


@contextmanager
def loaded(project: Path | None) -> Iterator[Running]:
    """Load a project without starting it; what is broken is left out and told.

    Args:
        project: The named project, if any.
    """
    running = open_project(
        find_folder(project), owner=_OWNER, on_broken="skip", credentials=None, environment=None
    )
    try:
        yield running
    finally:
        problems = running.close_invocations()
        running.release(_OWNER)
    if problems:
        raise LoadError(problems)


@contextmanager
def refusals_told() -> Iterator[None]:
    """Turn what a sandbox refuses with into an error that commands can report.

    Raises:
        LoadError: The sandbox or the runtime refused.
        click.Abort: The execution was cancelled: nobody but the user can do that here.
    """
    problem = None
    try:
        yield
    except SandboxExecutionError as error:
        problem = rules.EXECUTION.problem(f"The sandbox could not run it: {error}.")
    except (SandboxInputFilesUnsupportedError, SandboxPolicyUnsupportedError) as error:
        problem = rules.UNSUPPORTED.problem(f"The sandbox refuses it: {error}.")
    except (AdkOnlyError, ContextResourceError) as error:
        problem = rules.REFUSED.problem(str(error))
    except SandboxCancelledError:
        raise click.Abort from None
    if problem is not None:
        raise LoadError(problem)
