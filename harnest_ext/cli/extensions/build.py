"""``harnest extensions build``: the wheel of a folder, the same bytes on every machine."""

from __future__ import annotations

import hashlib
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harnest_ext.cli.options import common, examples
from harnest_ext.host import Host

if TYPE_CHECKING:
    from harnest_ext.cli.output import Output

__all__ = ["command"]


@click.command(
    "build",
    epilog=examples(
        "harnest extensions build ./my-extension",
        "SOURCE_DATE_EPOCH=1767225600 harnest extensions build . --out dist",
    ),
)
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where the wheel goes. Default: dist/ in the extension's folder.",
)
@common
def command(path: Path, out: Path | None, *, project: Path | None, output: Output) -> None:
    """Build a reproducible wheel of the extension in a folder.

    The folder is checked first and the wheel afterwards. No build backend runs. Members are
    stored, in a fixed order, with fixed modes and times; SOURCE_DATE_EPOCH sets the times.
    """
    from harnest_ext.package import build_wheel  # noqa: PLC0415 - parsers that --help never needs

    del project  # a package is built by itself
    wheel = build_wheel(path, out or path / "dist", host=Host())
    data = wheel.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    output.result(
        {"wheel": str(wheel), "sha256": digest, "size": len(data)},
        f"{wheel}\nsha256 {digest}, {len(data)} bytes",
    )
    name = shlex.quote(str(wheel))
    output.note(f"To publish it: 'twine upload {name}' or 'uv publish {name}'.")
