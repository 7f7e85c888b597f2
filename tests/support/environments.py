"""Folders of a Python path that hold installed distributions, as installers leave them."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING

from tests.support.packages import PackageSpec, make_folder, make_wheel

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["editable_by_finder", "editable_by_path", "install_wheel", "plant"]


def install_wheel(site: Path, spec: PackageSpec) -> Path:
    """Unpack the wheel of a package into ``site``, as an installer does; return its folder."""
    wheel = make_wheel(site.parent / "wheels", spec)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    return site / spec.package


def editable_by_path(site: Path, spec: PackageSpec) -> Path:
    """Install a checkout through a ``.pth`` file with its folder; return the package's folder."""
    source = make_folder(site.parent / "checkouts" / "src", spec)
    folder = source.rename(source.with_name(spec.package))
    _editable(site, spec, f"_{spec.name}.pth", f"{folder.parent}\n", folder.parent)
    return folder


def editable_by_finder(site: Path, spec: PackageSpec) -> Path:
    """Install a checkout through a generated finder with a mapping; return the checkout."""
    folder = make_folder(site.parent / "checkouts", spec)
    name = f"__editable___{spec.package}_finder.py"
    text = f"MAPPING: dict[str, str] = {{{spec.package!r}: {str(folder)!r}}}\n"
    _editable(site, spec, name, text, folder)
    return folder


def plant(site: Path, name: str, **files: str | bytes) -> Path:
    """Write a ``.dist-info`` folder with these files, whatever they hold."""
    folder = site / f"{name}.dist-info"
    folder.mkdir(parents=True)
    for file, content in files.items():
        data = content.encode() if isinstance(content, str) else content
        (folder / file.replace("__txt", ".txt")).write_bytes(data)
    return folder


def _editable(site: Path, spec: PackageSpec, name: str, text: str, root: Path) -> None:
    info = site / f"{spec.package}-{spec.version}.dist-info"
    info.mkdir(parents=True)
    for file, data in spec.metadata().items():
        (info / file).write_bytes(data)
    url = {"url": root.as_uri(), "dir_info": {"editable": True}}
    (info / "direct_url.json").write_text(json.dumps(url))
    (info / "RECORD").write_text(f"{name},,\n{info.name}/METADATA,,\n")
    (site / name).write_text(text)
