"""What an extension brings to be tested, found by convention and used as agents would use it.

``_tests/conformance.py`` of the extension exports ``PROFILE``, a
:class:`~harnest_ext.conformance.features.ProviderProfile`, or ``WORKSPACE``, a
:class:`~harnest_ext.conformance.workspace_profile.WorkspaceProfile`, or both. It is executed while
the extension is active in a scratch project, so it may import ``harnest.extensions.<name>``.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING

from harnest_ext.conformance import rules
from harnest_ext.conformance.checks import origin
from harnest_ext.conformance.scratch import ScratchProject
from harnest_ext.conformance.target import profile_of
from harnest_ext.conformance.workspace_profile import WorkspaceProfile
from harnest_ext.errors import LoadError
from harnest_ext.runtime import AgentRuntime

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from harnest_ext.conformance.features import ProviderProfile
    from harnest_ext.problem import Problem

__all__ = ["CONVENTION", "Profiles", "active_profiles", "brings_profile"]

CONVENTION = Path("_tests") / "conformance.py"
"""Where an extension says how what it brings is put to the test."""


def brings_profile(path: Path) -> bool:
    """Return whether an extension's folder has the file."""
    return (path / CONVENTION).is_file()


@dataclass(frozen=True, slots=True, kw_only=True)
class Profiles:
    """What an extension puts to the test; at least one of them.

    Attributes:
        provider: Its provider of sandboxes, from ``PROFILE``.
        workspace: Its tier of workspaces, from ``WORKSPACE``.
    """

    provider: ProviderProfile | None
    workspace: WorkspaceProfile | None


@contextlib.contextmanager
def active_profiles(path: Path) -> Iterator[Profiles]:
    """Run an extension in a scratch project and give the profiles that it brings.

    Args:
        path: Its folder.

    Raises:
        HarnestExtensionError: It can't be installed or started.
        LoadError: rule ``conformance.profile``: the file does not give a profile.
    """
    with tempfile.TemporaryDirectory(prefix="harnest-conformance-") as folder:
        project = ScratchProject(extension=path).make(Path(folder))
        with AgentRuntime(project):
            yield _profiles(path)


def _profiles(path: Path) -> Profiles:
    file = path / CONVENTION
    spec = spec_from_file_location(f"harnest_conformance_{os.getpid()}", file)
    if spec is None or spec.loader is None:
        raise LoadError(_problem(file, "no Python file"))
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        workspace = _workspace(module)
        alone = workspace is not None and not hasattr(module, "PROFILE")
        provider = None if alone else profile_of(module.PROFILE, path.resolve().name)
    except Exception as error:
        raise LoadError(_problem(file, origin(error))) from error
    return Profiles(provider=provider, workspace=workspace)


def _workspace(module: ModuleType) -> WorkspaceProfile | None:
    found: object = getattr(module, "WORKSPACE", None)
    if found is None or isinstance(found, WorkspaceProfile):
        return found
    raise TypeError("WORKSPACE is no WorkspaceProfile")


def _problem(file: Path, got: str) -> Problem:
    return rules.PROFILE.problem(
        "The file does not say what is to be tested, and how.",
        path=str(file),
        expected="of harnest_ext.conformance: PROFILE, a ProviderProfile, or WORKSPACE, a "
        "WorkspaceProfile",
        got=got,
    )
