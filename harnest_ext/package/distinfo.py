"""The root of a wheel: its package folder, its one ``.dist-info`` and what stands in it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from harnest_ext import limits
from harnest_ext.identity import PACKAGE_PREFIX, normalized
from harnest_ext.package.contents import foreign_problem
from harnest_ext.package.entrypoints import check_entry_points_file
from harnest_ext.package.layout import root_of
from harnest_ext.package.metadata import MetadataFacts, check_wheel_file, read_metadata
from harnest_ext.package.record import compare, read_record
from harnest_ext.package.requirements import Needs
from harnest_ext.package.rules import project as project_rules
from harnest_ext.package.rules import wheel as rules
from harnest_ext.package.tree import Entry, EntryType

if TYPE_CHECKING:
    from harnest_ext.package.findings import Findings
    from harnest_ext.package.wheelfile import WheelFile
    from harnest_ext.package.wheelname import WheelName
    from harnest_ext.problem import Problem
    from harnest_ext.rule import Rule

__all__ = ["read_dist_info"]

_METADATA_FOLDER = re.compile(r"(.*)\.dist-info", re.IGNORECASE)
_DATA_FOLDER = re.compile(r".*\.data", re.IGNORECASE)


def read_dist_info(wheel: WheelFile, name: WheelName, findings: Findings) -> MetadataFacts | None:
    """Return what the wheel's metadata says, and give the wheel its RECORD to verify against.

    Args:
        wheel: The wheel, its members known to be safe.
        name: What its file name says.
        findings: Where problems go.

    Returns:
        The facts, or None if there is no ``.dist-info`` to speak of.
    """
    roots = {root_of(member.name) for member in wheel.members}
    folders = sorted(root for root in roots if _METADATA_FOLDER.fullmatch(root))
    if folders != [name.dist_info]:
        findings.extend(_folder_problems(folders, name))
    _foreign(wheel, name, roots, findings)
    if name.dist_info not in folders:
        return None
    reader = _Files(wheel, name, findings)
    reader.record()
    check = reader.content("WHEEL", rules.DIST_INFO)
    if check is not None:
        check_wheel_file(check, reader.path("WHEEL"), name, findings)
    entries = reader.content("entry_points.txt", project_rules.ENTRY_MISSING)
    if entries is not None:
        check_entry_points_file(entries, reader.path("entry_points.txt"), name.slug, findings)
    metadata = reader.content("METADATA", rules.DIST_INFO)
    if metadata is None:
        return MetadataFacts(needs=Needs())
    return read_metadata(metadata, reader.path("METADATA"), name, findings)


def _folder_problems(folders: list[str], name: WheelName) -> list[Problem]:
    if not folders:
        what = "There is no .dist-info folder at the root."
        return [rules.DIST_INFO.problem(what, path=name.dist_info, expected=name.dist_info)]
    problems = []
    for folder in folders:
        if folder != name.dist_info:
            what = "A .dist-info folder is not named as the file."
            rule = rules.DIST_INFO if _is_spelling_of(folder, name) else rules.DIST_INFO_OTHER
            problems.append(rule.problem(what, path=folder, expected=name.dist_info, got=folder))
    if len(folders) > 1:
        what = "There is more than one .dist-info folder."
        first = rules.DIST_INFO.problem(
            what, path=folders[1], expected=name.dist_info, got=", ".join(folders)
        )
        problems.insert(0, first)
    return problems


def _is_spelling_of(folder: str, name: WheelName) -> bool:
    """Return whether a folder's name means this release, in an unusual spelling."""
    match = _METADATA_FOLDER.fullmatch(folder)
    project, _, version = (match[1] if match else folder).partition("-")
    try:
        same_version = Version(version) == name.value
    except InvalidVersion:
        same_version = False
    return same_version and normalized(project) == name.slug.distribution


def _foreign(wheel: WheelFile, name: WheelName, roots: set[str], findings: Findings) -> None:
    """Report what is neither the package's folder nor metadata."""
    package = name.slug.package
    others = {root for root in roots if root.startswith(PACKAGE_PREFIX)} - {package}
    told: set[str] = set()
    for member in wheel.members:
        root = root_of(member.name)
        if root == package or _METADATA_FOLDER.fullmatch(root) or root in told:
            _foreign_content(member.name, member.type, findings)
            continue
        told.add(root)
        if _DATA_FOLDER.fullmatch(root):
            findings.add(rules.DATA.problem("A .data folder is not accepted.", path=member.name))
        elif root in others and package not in roots:
            what = "The package's folder is not named after the extension."
            findings.add(rules.PACKAGE_NAME.problem(what, path=root, expected=package, got=root))
        else:
            what = "A file stands outside the package's folder."
            findings.add(rules.OUTSIDE.problem(what, path=member.name, expected=f"{package}/"))


def _foreign_content(path: str, kind: EntryType, findings: Findings) -> None:
    below = path.partition("/")[2]
    problem = foreign_problem(Entry(path=below or path, type=kind, source=path), in_wheel=True)
    if problem:
        findings.add(problem)


class _Files:
    """The files of one ``.dist-info``."""

    def __init__(self, wheel: WheelFile, name: WheelName, findings: Findings) -> None:
        self._wheel = wheel
        self._files = wheel.files()
        self._folder = name.dist_info
        self._findings = findings

    def path(self, name: str) -> str:
        """Return the path of a file by its name."""
        return f"{self._folder}/{name}"

    def content(self, name: str, missing: Rule, limit: int = limits.METADATA_BYTES) -> bytes | None:
        """Return the content of a file; None, and a problem, if it can't be had."""
        member = self._files.get(self.path(name))
        if member is None:
            what = f"There is no {name}."
            self._findings.add(missing.problem(what, path=self.path(name), expected=name))
            return None
        return self._wheel.small(member, limit, self._findings)

    def record(self) -> None:
        """Read RECORD, compare it with the members, and have content verified against it."""
        data = self.content("RECORD", rules.DIST_INFO, limits.RECORD_BYTES)
        if data is None:
            return
        before = len(self._findings.errors)
        rows = read_record(data, self.path("RECORD"), self._findings)
        if len(self._findings.errors) == before:
            compare(rows, self._files, self.path("RECORD"), self._findings)
            self._wheel.rows = rows
