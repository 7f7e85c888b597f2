"""The provider that an extension brings, found by convention and used as agents would use it.

``_tests/conformance.py`` of the extension exports ``PROFILE``, a
:class:`~harnest_ext.conformance.features.ProviderProfile`. It is executed while the extension is
active in a scratch project, so it may import ``harnest.extensions.<name>``.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING

from harnest_ext.conformance import rules
from harnest_ext.conformance.scratch import ScratchProject
from harnest_ext.conformance.target import profile_of
from harnest_ext.errors import LoadError
from harnest_ext.runtime import AgentRuntime

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnest_ext.conformance.features import ProviderProfile
    from harnest_ext.problem import Problem

__all__ = ["CONVENTION", "active_profile", "brings_profile"]

CONVENTION = Path("_tests") / "conformance.py"
"""Where an extension says how its provider is put to the test."""


def brings_profile(path: Path) -> bool:
    """Return whether an extension's folder has the file."""
    return (path / CONVENTION).is_file()


@contextlib.contextmanager
def active_profile(path: Path) -> Iterator[ProviderProfile]:
    """Run an extension in a scratch project and give the profile that it brings.

    Args:
        path: Its folder.

    Raises:
        HarnestExtensionError: It can't be installed or started.
        LoadError: rule ``conformance.profile``: the file does not give a profile.
    """
    with tempfile.TemporaryDirectory(prefix="harnest-conformance-") as folder:
        project = ScratchProject(extension=path).make(Path(folder))
        with AgentRuntime(project):
            yield _profile(path)


def _profile(path: Path) -> ProviderProfile:
    file = path / CONVENTION
    spec = spec_from_file_location(f"harnest_conformance_{os.getpid()}", file)
    if spec is None or spec.loader is None:
        raise LoadError(_problem(file, "no Python file"))
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        return profile_of(module.PROFILE, path.resolve().name)
    except Exception as error:
        raise LoadError(_problem(file, type(error).__name__)) from error


def _problem(file: Path, got: str) -> Problem:
    return rules.PROFILE.problem(
        "The file does not say how the provider is to be tested.",
        path=str(file),
        expected="PROFILE, a harnest_ext.conformance.ProviderProfile",
        got=got,
    )
