"""From the name of a tier to an engine that is ready: the extension, found when it is needed."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from harnest.execution.engine import WorkspaceEngine, WorkspaceExtension
from harnest.execution.errors import ExecutionError, TierUnavailableError
from harnest.sandbox.errors import SandboxCancelledError

if TYPE_CHECKING:
    from pathlib import Path

    from harnest.execution.config import WorkspaceConfig

__all__ = ["engine_of"]


def engine_of(config: WorkspaceConfig, directory: Path) -> WorkspaceEngine:
    """Return the engine of a configuration's tier, which has tried what it is asked for.

    Args:
        config: The configuration.
        directory: Work directory on this host.

    Raises:
        SandboxCancelledError: The control scope was cancelled meanwhile.
        TierUnavailableError: The extension is missing, offers no workspaces, or can't run here.
        UnsupportedPromiseError: It can't keep what the configuration asks for.
    """
    extension = _extension(config.tier_name)
    failure = ""
    engine: object = None
    try:
        engine = extension.workspace(config, directory)
    except (ExecutionError, SandboxCancelledError):
        raise
    except Exception as error:  # noqa: BLE001 - third-party code; its error may tell secrets
        failure = f"its extension failed with {type(error).__name__}"
    if isinstance(engine, WorkspaceEngine):
        return engine
    raise TierUnavailableError(
        config.tier_name,
        failure or "its extension returned something else than an engine",
        "Its own log and 'harnest sandbox doctor' tell more.",
    )


def _extension(name: str) -> WorkspaceExtension:
    reason = ""
    try:
        module = import_module(f"harnest.extensions.{name}")
    except ImportError as error:
        reason = str(error).strip().rstrip(".")
    if reason:
        raise TierUnavailableError(
            name,
            f"its extension can't be imported: {reason}",
            f"In an agent project: 'harnest extensions install {name}'. In a plain script: install "
            f"the distribution harnest-extension-{name.replace('_', '-')} with what it needs.",
        )
    extension: object = getattr(module, "extension", None)
    if not isinstance(extension, WorkspaceExtension):
        raise TierUnavailableError(
            name,
            "the installed extension offers no workspaces",
            f"Upgrade it: 'harnest extensions upgrade {name}'.",
        )
    return extension
