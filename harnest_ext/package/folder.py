"""A folder as the source of a package: found, looked at and read through descriptors."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.identity import PACKAGE_PREFIX
from harnest_ext.manifest import MANIFEST_FILE
from harnest_ext.package.contents import special_problem
from harnest_ext.package.disk import FolderReader, walk
from harnest_ext.package.layout import MANIFEST_TWIN, is_document, never_copied, root_of
from harnest_ext.package.project import PROJECT_FILE
from harnest_ext.package.rules import tree as rules
from harnest_ext.package.tree import Entry, EntryType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harnest_ext.package.disk import Found
    from harnest_ext.package.findings import Findings

__all__ = ["FolderTree"]


class FolderTree:
    """The package in an open folder, at its root or one level down.

    Args:
        root: Descriptor of the folder; stays the caller's.
        findings: Where problems with the walk go: special and unreadable files.

    Attributes:
        entries: Everything below the package's root, private folders passed over. Of a package
            one level down, also the project's documents beside it, which go along with it.
        package_folder: Name of the package's folder if it is one level down; empty otherwise.
    """

    searched = True

    def __init__(self, root: int, findings: Findings) -> None:
        self._root = root
        self._reader = FolderReader(root)
        found = self._walked(findings)
        self.package_folder = _nested_folder(found, findings)
        self._found: dict[str, Found] = {}
        self.entries: Sequence[Entry] = tuple(self._placed(found))

    def read(self, entry: Entry) -> Iterator[bytes]:
        """Yield the content of a file, refused if it is not the one that was looked at."""
        found = self._found[entry.path]
        return self._reader.read(found.path, found.stamp)

    def close(self) -> None:
        """Give back what reading has opened."""
        self._reader.close()

    def _walked(self, findings: Findings) -> list[Found]:
        found: list[Found] = []
        # What holds no package is told by its first level: it may be a whole disk.
        levels = limits.PATH_DEPTH if _holds_package(self._root) else 0
        for item in walk(self._root, _is_entered, levels=levels):
            if item.error:
                findings.add(
                    rules.UNREADABLE.problem(
                        "This can't be read.", path=item.path or ".", got=item.error
                    )
                )
                continue
            name = item.path.rpartition("/")[2]
            if item.type is not EntryType.FOLDER and never_copied(name, item.type):
                continue
            problem = special_problem(_entry(item, item.path))
            if problem and levels:
                findings.add(problem)
            found.append(item)
            if len(found) > limits.WALK_ENTRIES:
                findings.add(
                    rules.WALK.problem(
                        "The folder holds too much to be a package.",
                        expected=f"at most {limits.WALK_ENTRIES} files and folders",
                    )
                )
                break
        return found

    def _placed(self, found: list[Found]) -> Iterator[Entry]:
        prefix = f"{self.package_folder}/" if self.package_folder else ""
        inside = [item for item in found if item.path.startswith(prefix)]
        for item in inside:
            path = item.path.removeprefix(prefix)
            self._found[path] = item
            yield _entry(item, path)
        if not prefix:
            return
        for item in found:
            goes_along = item.path == PROJECT_FILE or is_document(item.path)
            if goes_along and item.type is EntryType.FILE and item.path not in self._found:
                self._found[item.path] = item
                yield _entry(item, item.path)


def _holds_package(root: int) -> bool:
    """Return whether there is a manifest, of whatever type, where one is looked for."""
    try:
        with os.scandir(root) as entries:
            names = [entry.name for entry in entries]
    except OSError:
        return True  # the walk will say what is wrong
    if MANIFEST_FILE in names:
        return True
    nested = (f"{name}/{MANIFEST_FILE}" for name in names if name.startswith(PACKAGE_PREFIX))
    return any(_is_there(root, path) for path in nested)


def _is_there(root: int, path: str) -> bool:
    try:
        os.stat(path, dir_fd=root, follow_symlinks=False)
    except OSError:
        return False
    return True


def _is_entered(_path: str, name: str) -> bool:
    return not never_copied(name, EntryType.FOLDER)


def _entry(found: Found, path: str) -> Entry:
    size = found.stamp.size if found.stamp and found.type is EntryType.FILE else 0
    return Entry(path=path, type=found.type, size=size, mode=found.mode, source=found.path)


def _nested_folder(found: list[Found], findings: Findings) -> str:
    """Return the folder one level down that holds the package; empty if it is at the root."""
    roots = {item.path for item in found if "/" not in item.path}
    if MANIFEST_FILE in roots:
        return ""
    below = sorted(
        root_of(item.path)
        for item in found
        if item.path.startswith(PACKAGE_PREFIX)
        and item.path.endswith(f"/{MANIFEST_FILE}")
        and item.path.count("/") == 1
    )
    if len(below) == 1:
        return below[0]
    if below:
        findings.add(
            rules.MANIFEST_SECOND.problem(
                "There is more than one package one level down.",
                path=below[1],
                expected="one folder harnest_extension_<name> with a manifest",
                got=", ".join(below),
            )
        )
    elif MANIFEST_TWIN in roots:
        findings.add(
            rules.MANIFEST_MISSING.problem(
                f"There is no {MANIFEST_FILE}.",
                path=MANIFEST_TWIN,
                expected=MANIFEST_FILE,
                got=MANIFEST_TWIN,
                remedy=f"Rename {MANIFEST_TWIN} to {MANIFEST_FILE}.",
            )
        )
    return ""
