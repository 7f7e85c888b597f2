"""A wheel as the source of a package: every member accounted for before one is copied."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from harnest_ext.errors import InvalidExtension
from harnest_ext.package.assembly import assemble
from harnest_ext.package.contents import collisions, excesses, special_problem, unsafe_paths
from harnest_ext.package.distinfo import read_dist_info
from harnest_ext.package.generated import project_file
from harnest_ext.package.host import check_host
from harnest_ext.package.inflate import ratio_problem
from harnest_ext.package.inspection import inspect
from harnest_ext.package.project import PROJECT_FILE
from harnest_ext.package.reading import read_through
from harnest_ext.package.recent import RecentWheels
from harnest_ext.package.rules import wheel as rules
from harnest_ext.package.tree import Entry, EntryType
from harnest_ext.package.wheelfile import WheelFile
from harnest_ext.package.wheelname import parse_wheel_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from harnest_ext.host import Host
    from harnest_ext.manifest import Manifest
    from harnest_ext.package.findings import Findings
    from harnest_ext.package.inspection import Inspected
    from harnest_ext.package.metadata import MetadataFacts
    from harnest_ext.package.model import ExtensionPackage
    from harnest_ext.package.wheelname import WheelName

__all__ = ["read_wheel"]

_RECENT = RecentWheels()


def read_wheel(path: Path, host: Host, findings: Findings) -> ExtensionPackage | None:
    """Return the package in a wheel, or None if something other than the host refuses it.

    Args:
        path: The wheel.
        host: The Harnest and Python that the package must work with.
        findings: Where problems go.
    """
    try:
        name = parse_wheel_name(path.name)
        wheel = WheelFile(path)
        package = _RECENT.find(path, wheel.archive.sha256, host)
        if package is not None:
            findings.extend(package.warnings)
            return package
        wheel.list_members()
    except InvalidExtension as error:
        findings.extend(error.problems)
        return None
    package = _judged(wheel, name, host, findings)
    if package is not None and not findings.errors:
        _RECENT.keep(package, host)
    return package


def _judged(
    wheel: WheelFile, name: WheelName, host: Host, findings: Findings
) -> ExtensionPackage | None:
    if not _members_are_safe(wheel, findings):
        return None
    metadata = read_dist_info(wheel, name, findings)
    tree = _PackageTree(wheel, name)
    inspected = inspect(tree, findings, in_wheel=True)
    _check_manifest(inspected.manifest, name, findings)
    if metadata is None or not inspected.readable:
        return None
    check_host(
        host,
        f"{name.dist_info}/METADATA",
        findings,
        requires_python=metadata.requires_python,
        host_range=metadata.needs.host_range,
    )
    inspected = _with_project(tree, inspected, metadata)
    verified = read_through(tree, inspected, findings)
    _verify_rest(wheel, {entry.shown for entry in inspected.copied}, findings)
    return assemble(
        inspected,
        verified,
        findings,
        location=wheel.path,
        needs=metadata.needs,
        requires_python=metadata.requires_python,
        archive=wheel.archive,
    )


class _PackageTree:
    """The package's folder of a wheel, and files that the copy gets beyond it."""

    searched = False

    def __init__(self, wheel: WheelFile, name: WheelName) -> None:
        prefix = f"{name.slug.package}/"
        self._wheel = wheel
        self._members = wheel.files()
        self._added: dict[str, bytes] = {}
        self.entries: Sequence[Entry] = tuple(
            Entry(
                path=member.name.removeprefix(prefix),
                type=member.type,
                size=member.size,
                mode=member.mode,
                source=member.name,
            )
            for member in wheel.members
            if member.name.startswith(prefix)
        )

    def add(self, path: str, content: bytes) -> Entry:
        """Give the copy a file that the wheel does not hold."""
        self._added[path] = content
        return Entry(path=path, type=EntryType.FILE, size=len(content))

    def read(self, entry: Entry) -> Iterator[bytes]:
        """Yield the content of a file, verified against RECORD."""
        if entry.path in self._added:
            return iter([self._added[entry.path]])
        return self._wheel.content(self._members[entry.shown])


def _members_are_safe(wheel: WheelFile, findings: Findings) -> bool:
    """Report members that no tree may have; return whether the rest can be looked at."""
    entries = [
        Entry(path=m.name, type=m.type, size=m.size, mode=m.mode, source=m.name)
        for m in wheel.members
    ]
    findings.extend(unsafe_paths(entries))
    findings.extend(problem for entry in entries if (problem := special_problem(entry)))
    findings.extend(collisions(entries))
    findings.extend(excesses([entry for entry in entries if entry.is_file]))
    findings.extend(problem for member in wheel.members if (problem := ratio_problem(member)))
    return not findings.errors


def _check_manifest(manifest: Manifest | None, name: WheelName, findings: Findings) -> None:
    if manifest is None:
        return
    pairs = (
        ("metadata.name", manifest.name == name.slug, name.slug, manifest.name),
        ("metadata.version", manifest.version.value == name.value, name.version, manifest.version),
    )
    for field, agrees, expected, got in pairs:
        if not agrees:
            findings.add(
                rules.MANIFEST_IDENTITY.problem(
                    f"{field} is not that of the file name.",
                    path=f"{name.slug.package}/extension.yaml",
                    expected=expected,
                    got=str(got),
                )
            )


def _with_project(tree: _PackageTree, inspected: Inspected, metadata: MetadataFacts) -> Inspected:
    """Give a package without a ``pyproject.toml`` one that says what its metadata says."""
    manifest = inspected.manifest
    paths = {entry.path for entry in inspected.copied}
    if manifest is None or PROJECT_FILE in paths:
        return inspected
    content = project_file(manifest, metadata, has_readme="README.md" in paths)
    copied = sorted((*inspected.copied, tree.add(PROJECT_FILE, content)), key=_path_bytes)
    return replace(inspected, copied=tuple(copied))


def _path_bytes(entry: Entry) -> bytes:
    return entry.path.encode()


def _verify_rest(wheel: WheelFile, verified: set[str], findings: Findings) -> None:
    """Verify the members that are not copied: nothing in the wheel may differ from RECORD."""
    for path, member in wheel.files().items():
        if path in verified:
            continue
        try:
            for _ in wheel.content(member):
                pass
        except InvalidExtension as error:
            findings.extend(error.problems)
