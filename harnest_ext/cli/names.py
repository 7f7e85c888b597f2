"""What a shell is offered: names and paths, found without importing or writing anything.

A key press must not end in an error: where something can't be read, nothing is offered.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from harnest_ext.resources import registry_folder

if TYPE_CHECKING:
    from collections.abc import Iterable

    import click
    from click.shell_completion import CompletionItem

__all__ = ["capability_names", "installed_names", "sandbox_names", "source_names", "template_names"]


def installed_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the project's extensions whose name begins with ``incomplete``, sorted.

    Args:
        ctx: Context of the command being completed; its ``--project`` is honoured.
        param: The argument being completed.
        incomplete: What has been typed of it.
    """
    del param
    root = _project(ctx)
    if root is None:
        return []
    found = {p.name for p in _entries(root / "extensions") if p.is_dir() and p.name[0] != "."}
    return _beginning((*found, *_locked(root)), incomplete)


def sandbox_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the project's sandboxes whose name begins with ``incomplete``, sorted."""
    del param
    root = _project(ctx)
    if root is None:
        return []
    modules = (path for path in _entries(root / "sandbox") if path.suffix == ".py")
    return _beginning((path.stem for path in modules if path.name[0] != "_"), incomplete)


def source_names(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[str] | list[CompletionItem]:
    """Return the names that ship and begin with ``incomplete``; the shell's paths for the rest."""
    del ctx, param
    paths = _entries(registry_folder() / "extensions")
    names = _beginning((path.stem for path in paths if path.suffix == ".toml"), incomplete)
    if names and not incomplete.startswith((".", "~")):
        return names
    from click.shell_completion import CompletionItem  # noqa: PLC0415 - only shells ask

    return [CompletionItem(incomplete, type="file")]


def capability_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the capabilities that begin with ``incomplete``, sorted."""
    from harnest_ext.manifest.capabilities import CAPABILITIES  # noqa: PLC0415 - only shells ask

    del ctx, param
    return _beginning(CAPABILITIES, incomplete)


def template_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the templates of extensions that begin with ``incomplete``, sorted."""
    from harnest_ext.scaffold.template import template_names  # noqa: PLC0415 - only shells ask

    del ctx, param
    kind = "extension/"
    found = (name.removeprefix(kind) for name in template_names() if name.startswith(kind))
    return _beginning(found, incomplete)


def _beginning(names: Iterable[str], incomplete: str) -> list[str]:
    return sorted({name for name in names if name.startswith(incomplete)})


def _project(ctx: click.Context) -> Path | None:
    try:
        start = Path(ctx.params.get("project") or ".").absolute()
    except OSError:
        return None
    return next((p for p in (start, *start.parents) if (p / "config.yaml").is_file()), None)


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _locked(root: Path) -> Iterable[str]:
    from harnest_ext.errors import HarnestExtensionError  # noqa: PLC0415 - only shells ask
    from harnest_ext.store.layout import LOCK_NAME  # noqa: PLC0415 - likewise
    from harnest_ext.store.lockfile import read_lock  # noqa: PLC0415 - likewise

    try:
        return read_lock(root / LOCK_NAME).entries
    except HarnestExtensionError:
        return ()
