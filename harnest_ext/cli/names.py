"""Names for a shell to complete: read from the project's folders, importing and writing nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    import click

__all__ = ["installed_names", "sandbox_names"]


def installed_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the project's extensions whose name begins with ``incomplete``, sorted."""
    del param
    found = (p.name for p in _entries(ctx, "extensions") if p.is_dir() and p.name[0] != ".")
    return sorted(name for name in found if name.startswith(incomplete))


def sandbox_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the project's sandboxes whose name begins with ``incomplete``, sorted."""
    del param
    found = (p.stem for p in _entries(ctx, "sandbox") if p.suffix == ".py" and p.name[0] != "_")
    return sorted(name for name in found if name.startswith(incomplete))


def _entries(ctx: click.Context, folder: str) -> Iterator[Path]:
    start = Path(ctx.params.get("project") or ".").absolute()
    for place in (start, *start.parents):
        if (place / "config.yaml").is_file():
            try:
                yield from (place / folder).iterdir()
            except OSError:
                # A key press must not end in an error: nothing to offer.
                return
            return
