"""The inspection of a package's tree: manifest, layout, project, contents - all problems at once.

The algorithm knows neither disk nor wheel; both give it entries and their content.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.errors import InvalidExtension
from harnest_ext.manifest import MANIFEST_FILE, read_manifest
from harnest_ext.package.contents import collisions, excesses, foreign_problem, unsafe_paths
from harnest_ext.package.contributed import check_contributions
from harnest_ext.package.findings import Findings
from harnest_ext.package.layout import Layout, divide, root_of
from harnest_ext.package.names import path_problem
from harnest_ext.package.project import PROJECT_FILE, read_project
from harnest_ext.package.python import EXTENSION_FILE
from harnest_ext.package.rules import project as project_rules
from harnest_ext.package.rules import tree as rules
from harnest_ext.package.tree import EntryType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnest_ext.manifest import Manifest
    from harnest_ext.package.project import ProjectFacts
    from harnest_ext.package.tree import Entry, Tree
    from harnest_ext.problem import Problem

__all__ = ["Inspected", "inspect"]

_NO_EXTENSION = rules.EXTENSION_MISSING
_LOOKED = (
    "Looked for extension.yaml in the folder itself and in harnest_extension_*/ one level down. "
    "Name the folder that holds it; 'harnest extensions init NAME' makes a complete extension."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspected:
    """What the inspection of a tree has found out, as far as it came.

    Attributes:
        manifest: The manifest, if it is valid.
        project: What the ``pyproject.toml`` says, if there is a readable one.
        copied: Files that an installation copies, sorted by the bytes of their paths.
        left_out: Names at the root that are there and not copied.
        known: Content of the files that were read on the way, by path.
        readable: Whether the files are few and small enough to be read through.
    """

    manifest: Manifest | None
    project: ProjectFacts | None
    copied: tuple[Entry, ...]
    left_out: frozenset[str]
    known: dict[str, bytes]
    readable: bool


def inspect(tree: Tree, findings: Findings, *, in_wheel: bool = False) -> Inspected:
    """Hold a tree against every rule that needs no more than its entries and two small files.

    Args:
        tree: The package.
        findings: Where problems go.
        in_wheel: Whether the package came in a wheel, whose members' paths were checked already.
    """
    view = _View(tree)
    manifest_findings = Findings()
    manifest = view.manifest(manifest_findings)
    contributed = [p for paths in manifest.contributes.values() for p in paths] if manifest else []
    layout = divide(tree.entries, contributed, in_wheel=in_wheel)
    copied = sorted((e for e in layout.copied if e.is_file), key=_path_bytes)
    readable = _structure(layout, copied, findings, in_wheel=in_wheel)
    findings.extend(manifest_findings.errors)
    _required(view, findings)
    if manifest:
        check_contributions(layout.copied, manifest, findings)
    return Inspected(
        manifest=manifest,
        project=view.project(manifest, findings, needed=not in_wheel),
        copied=tuple(copied),
        left_out=frozenset(root_of(e.path) for e in (*layout.left_out, *layout.stray)),
        known=view.known,
        readable=readable,
    )


def _path_bytes(entry: Entry) -> bytes:
    return entry.path.encode("utf-8", "surrogateescape")


class _View:
    """A tree with its entries by path and what was read of it so far."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.entries = {entry.path: entry for entry in tree.entries}
        self.known: dict[str, bytes] = {}

    def manifest(self, findings: Findings) -> Manifest | None:
        """Return the manifest, if it is there and valid."""
        entry = self._file(MANIFEST_FILE)
        if entry is None:
            return None
        try:
            return read_manifest(self._content(entry, limits.MANIFEST_BYTES), entry.shown)
        except InvalidExtension as error:
            findings.extend(error.problems)
            return None

    def project(
        self, manifest: Manifest | None, findings: Findings, *, needed: bool
    ) -> ProjectFacts | None:
        """Return what the ``pyproject.toml`` says, if it is there and can be read that far."""
        entry = self._file(PROJECT_FILE)
        if entry is None:
            if needed and PROJECT_FILE not in self.entries:
                what = f"The package has no {PROJECT_FILE}."
                findings.add(project_rules.MISSING.problem(what, path=PROJECT_FILE))
            return None
        try:
            content = self._content(entry, limits.METADATA_BYTES)
        except InvalidExtension as error:
            findings.extend(error.problems)
            return None
        files = [e for e in self.tree.entries if e.is_file]
        names = frozenset(e.path for e in files) | frozenset(e.shown for e in files)
        found = Findings()
        project = read_project(content, entry.shown, manifest, names, found)
        # Nothing is built any more of the project file in a wheel: its readme is in METADATA.
        lost = project_rules.README_MISSING.id if not needed else ""
        findings.extend(problem for problem in found.all() if problem.rule != lost)
        return project

    def _file(self, path: str) -> Entry | None:
        entry = self.entries.get(path)
        return entry if entry and entry.is_file else None

    def _content(self, entry: Entry, limit: int) -> bytes:
        """Return a small file's content; of a larger one, enough to see that it is larger."""
        parts: list[bytes] = []
        size = 0
        for chunk in self.tree.read(entry):
            parts.append(chunk)
            size += len(chunk)
            if size > limit:
                break
        self.known[entry.path] = b"".join(parts)
        return self.known[entry.path]


def _structure(
    layout: Layout, copied: Sequence[Entry], findings: Findings, *, in_wheel: bool
) -> bool:
    """Report paths, limits, strays and foreign files; return whether all of it is readable."""
    before = len(findings.errors)
    if not in_wheel:
        findings.extend(unsafe_paths((*layout.copied, *layout.stray)))
    if len(findings.errors) == before:
        findings.extend(collisions((*layout.copied, *layout.stray)))
    findings.extend(excesses(copied))
    readable = len(findings.errors) == before
    has_manifest = any(entry.path == MANIFEST_FILE for entry in layout.copied)
    # A second manifest explains the folder around it, so it is named before that folder.
    for entry in sorted(layout.stray, key=lambda e: not e.path.endswith(f"/{MANIFEST_FILE}")):
        strays = _stray(entry, in_wheel=in_wheel)
        # A folder without a manifest is something else: to list all that is in it helps nobody.
        findings.extend(p for p in strays if has_manifest or p.rule != rules.STRAY.id)
    for entry in layout.copied:
        problem = foreign_problem(entry, in_wheel=in_wheel)
        if problem:
            findings.add(problem)
    return readable


def _stray(entry: Entry, *, in_wheel: bool) -> list[Problem]:
    if entry.type not in {EntryType.FILE, EntryType.FOLDER} or path_problem(entry.path):
        return []  # reported already, by what is worse about it
    if entry.path in {MANIFEST_FILE, EXTENSION_FILE}:
        return []  # a folder in the place of a file that is needed; reported as missing
    problem = foreign_problem(entry, in_wheel=in_wheel)
    name = root_of(entry.path)
    return [
        problem
        or rules.STRAY.problem(
            f"{name!r} has no place at the root of a package.",
            path=entry.shown.removesuffix(entry.path.removeprefix(name)),
            expected="extension.yaml, extension.py, pyproject.toml, README.md, CHANGELOG.md, "
            "LICENSE*, py.typed, lib/ or a declared content folder",
            got=name,
        )
    ]


def _required(view: _View, findings: Findings) -> None:
    for name, rule in ((MANIFEST_FILE, rules.MANIFEST_MISSING), (EXTENSION_FILE, _NO_EXTENSION)):
        entry = view.entries.get(name)
        if entry is not None and entry.type is not EntryType.FOLDER:
            continue  # there, or a special file that is reported as such
        if any(problem.rule == rule.id for problem in findings.errors):
            continue  # the search for the package said so already
        is_folder = entry is not None or any(p.startswith(f"{name}/") for p in view.entries)
        findings.add(
            rule.problem(
                f"There is no {name}.",
                path=name,
                expected="a regular file",
                got="a folder" if is_folder else "nothing",
                remedy=_LOOKED if name == MANIFEST_FILE and view.tree.searched else "",
            )
        )
