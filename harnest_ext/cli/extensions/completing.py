"""Complete the names of installed extensions in a shell."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from harnest_ext.errors import HarnestExtensionError

if TYPE_CHECKING:
    import click

__all__ = ["installed_names"]


def installed_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the installed extensions whose names begin with ``incomplete``.

    Args:
        ctx: Context of the command being completed; its ``--project`` is honoured.
        param: The argument being completed.
        incomplete: What has been typed of it.
    """
    from harnest_ext.cli.extensions.opening import open_project  # noqa: PLC0415 - only completion
    from harnest_ext.store.reader import installed_view  # noqa: PLC0415 - likewise

    del param
    folder = ctx.params.get("project")
    try:
        view = installed_view(open_project(Path(folder) if folder else None))
    except HarnestExtensionError:
        # Outside of a project there is nothing to complete.
        return []
    return [name for name in view.extensions if name.startswith(incomplete)]
