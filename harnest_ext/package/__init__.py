"""What an extension is made of: a folder or a wheel as a tree, its rules and its digest.

Reads; never imports, compiles to run or executes anything of a package.
"""

from __future__ import annotations

from harnest_ext.package.digest import FolderDigest, digest_of_folder, tree_digest
from harnest_ext.package.model import ArchiveFile, CheckReport, ExtensionPackage, PackageFile

__all__ = [
    "ArchiveFile",
    "CheckReport",
    "ExtensionPackage",
    "FolderDigest",
    "PackageFile",
    "digest_of_folder",
    "tree_digest",
]
