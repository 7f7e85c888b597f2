"""What stands where at a package's root: what is copied, what is left out, what is a stray."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from harnest_ext.identity import PACKAGE_PREFIX
from harnest_ext.manifest import CONTENT_KINDS, MANIFEST_FILE
from harnest_ext.package.tree import EntryType

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harnest_ext.package.tree import Entry

__all__ = ["MANIFEST_TWIN", "Layout", "divide", "is_document", "never_copied", "root_of"]

MANIFEST_TWIN = "extension.yml"
_FILES = frozenset({MANIFEST_FILE, "extension.py", "pyproject.toml", "README.md", "CHANGELOG.md"})
_MARKER = "py.typed"
_FOLDERS = frozenset({"lib", *CONTENT_KINDS})
_DOCUMENTS = ("README.md", "CHANGELOG.md", "LICENSE*")
_AUTHORS = (
    "*.egg-info",
    "*.lock",
    "*.md",
    "*.rst",
    "MANIFEST.in",
    "Makefile",
    "NOTICE*",
    "build",
    "conftest.py",
    "dist",
    "docs",
    "examples",
    "noxfile.py",
    "pytest.ini",
    "requirements*.txt",
    "setup.cfg",
    "setup.py",
    "tests",
    "tox.ini",
)
_PRIVATE_FOLDERS = frozenset(
    {
        ".git",
        ".hg",
        ".mypy_cache",
        ".nox",
        ".pytest_cache",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".venv",
        "__pycache__",
        "venv",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A package's entries by what becomes of them.

    Attributes:
        copied: Files and folders that belong to the extension.
        left_out: Entries that are known and not copied.
        stray: Root entries that are neither. Of what is below them only the manifest of a package
            folder is in any of the three: two packages in one folder are told apart from a stray.
    """

    copied: tuple[Entry, ...]
    left_out: tuple[Entry, ...]
    stray: tuple[Entry, ...]


def never_copied(name: str, kind: EntryType) -> bool:
    """Return whether an entry is passed over at any depth of a folder, unseen.

    Environments, repositories and caches are often links; they are passed over all the same.
    """
    if kind in {EntryType.FOLDER, EntryType.LINK}:
        return name in _PRIVATE_FOLDERS
    return name in {".DS_Store", ".env", ".git"} or name.startswith(".env.")


def is_document(name: str) -> bool:
    """Return whether a root file is text about the package that goes along with it."""
    return any(fnmatchcase(name, pattern) for pattern in _DOCUMENTS)


def root_of(path: str) -> str:
    """Return the first component of a path."""
    return path.partition("/")[0]


def divide(entries: Sequence[Entry], contributed: Iterable[str], *, in_wheel: bool) -> Layout:
    """Return the entries of a package by what becomes of them.

    Args:
        entries: Everything below the package's root.
        contributed: Folders that the manifest contributes.
        in_wheel: Whether the package came in a wheel, where only ``__init__.py`` may begin with
            ``.`` or ``_``.
    """
    content = {root_of(path) for path in contributed}
    files = {entry.path for entry in entries if entry.is_file}
    places = {
        name: _place(name, content, is_folder=name not in files, in_wheel=in_wheel)
        for name in {root_of(entry.path) for entry in entries}
    }
    groups: dict[str, list[Entry]] = {"copied": [], "left_out": [], "stray": []}
    seen: set[str] = set()
    for entry in entries:
        root = root_of(entry.path)
        if places[root] != "stray" or root not in seen or _is_nested_manifest(entry.path):
            groups[places[root]].append(entry)
        seen.add(root)
    return Layout(**{name: tuple(group) for name, group in groups.items()})


def _is_nested_manifest(path: str) -> bool:
    root, _, rest = path.partition("/")
    return rest == MANIFEST_FILE and root.startswith(PACKAGE_PREFIX)


def _place(name: str, content: set[str], *, is_folder: bool, in_wheel: bool) -> str:
    if is_folder:
        copied = name in _FOLDERS or name in content or fnmatchcase(name, "LICENSE*")
    else:
        copied = name in _FILES or name == _MARKER or fnmatchcase(name, "LICENSE*")
    if copied:
        return "copied"
    if name.startswith((".", "_")):
        tolerated = not in_wheel or name == "__init__.py"
    else:
        tolerated = any(fnmatchcase(name, pattern) for pattern in _AUTHORS)
    return "left_out" if tolerated else "stray"
