"""pytest plugin: an agent project with the extension under test, and the provider suite as tests.

Loaded by pytest wherever Harnest is installed, so it imports nothing of weight until it is used.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["harnest_project", "pytest_addoption", "pytest_collection_modifyitems"]

_MANIFEST = "extension.yaml"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the plugin's options."""
    group = parser.getgroup("harnest", "Harnest conformance")
    group.addoption(
        "--harnest-extension",
        metavar="PATH",
        help="Extension under test. Default: the nearest folder above a test with extension.yaml.",
    )
    group.addoption(
        "--harnest-provider",
        metavar="MODULE:ATTRIBUTE",
        help="Run the provider suite on a provider: a profile, or a function that makes one.",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Add one test for each check of the provider suite."""
    target = config.getoption("--harnest-provider")
    if target:
        from harnest_ext.conformance.items import provider_items  # noqa: PLC0415 - see the module

        items.extend(provider_items(session, target))


@pytest.fixture
def harnest_project(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Path]:
    """Make agent projects in which the extension under test is installed.

    Called with ``sandboxes={"name": "text of sandbox/name.py"}`` and
    ``credentials={"audience": "token"}``, both optional; returns the project's folder. Its one
    agent is called ``assistant`` and is granted every sandbox.
    """
    from harnest_ext.conformance.scratch import ScratchProject  # noqa: PLC0415 - see the module

    extension = _extension(request)

    def make(
        *,
        sandboxes: Mapping[str, str] | None = None,
        credentials: Mapping[str, str] | None = None,
    ) -> Path:
        scratch = ScratchProject(
            extension=extension, sandboxes=sandboxes or {}, credentials=credentials or {}
        )
        return scratch.make(tmp_path_factory.mktemp("agent"))

    return make


def _extension(request: pytest.FixtureRequest) -> Path:
    named = request.config.getoption("--harnest-extension")
    if named:
        return Path(named)
    for folder in request.path.parents:
        if (folder / _MANIFEST).is_file():
            return folder
    raise pytest.UsageError(
        f"no folder above {request.path} has an {_MANIFEST}: name one with --harnest-extension"
    )
