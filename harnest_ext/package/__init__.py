"""What an extension is made of: a folder or a wheel as a tree, its rules and its digest.

Reads; never imports, compiles to run or executes anything of a package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.package.digest import FolderDigest, digest_of_folder, tree_digest
from harnest_ext.package.model import ArchiveFile, CheckReport, ExtensionPackage, PackageFile

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from harnest_ext.host import Host

__all__ = [
    "ArchiveFile",
    "CheckReport",
    "ExtensionPackage",
    "FolderDigest",
    "PackageFile",
    "build_wheel",
    "check_package",
    "digest_of_folder",
    "open_package",
    "tree_digest",
]

# The imports below stand in functions: reading a package needs parsers that commands which only
# compare digests never load.


def open_package(path: Path, *, host: Host) -> AbstractContextManager[ExtensionPackage]:
    """Open the valid package at ``path``; see :func:`harnest_ext.package.opening.open_package`."""
    from harnest_ext.package import opening  # noqa: PLC0415

    return opening.open_package(path, host=host)


def check_package(path: Path, *, host: Host) -> CheckReport:
    """Judge the package at ``path``; see :func:`harnest_ext.package.opening.check_package`."""
    from harnest_ext.package import opening  # noqa: PLC0415

    return opening.check_package(path, host=host)


def build_wheel(path: Path, out_dir: Path, *, host: Host) -> Path:
    """Build the wheel of a folder; see :func:`harnest_ext.package.build.build_wheel`."""
    from harnest_ext.package import build  # noqa: PLC0415

    return build.build_wheel(path, out_dir, host=host)
