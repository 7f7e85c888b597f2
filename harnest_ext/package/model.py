"""What an extension is made of, once every rule of packages has been kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harnest_ext.identity import Slug
    from harnest_ext.manifest import ExtensionRequirement, Manifest
    from harnest_ext.problem import Problem

__all__ = ["ArchiveFile", "CheckReport", "ExtensionPackage", "FileReader", "PackageFile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageFile:
    """One file that an installation copies.

    Attributes:
        path: Path below the package's root, ``/`` between its components.
        size: Bytes of its content.
        executable: Whether its owner may run it; the only part of a mode that is kept.
    """

    path: str
    size: int
    executable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveFile:
    """The wheel file that a package was read from.

    Attributes:
        name: File name.
        sha256: Hash of the whole file, 64 hexadecimal digits.
        size: Bytes of the whole file.
    """

    name: str
    sha256: str
    size: int


class FileReader(Protocol):
    """Where the content of a package's files comes from while the package is open."""

    def read(self, path: str) -> Iterator[bytes]:
        """Yield the content of one file to copy, verified against what was inspected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtensionPackage:
    """A package that broke no rule; holds its source open until :func:`open_package` ends.

    Attributes:
        slug: The extension's name.
        version: Its version, PEP 440 normal form.
        manifest: What it says about itself.
        requires_python: Range of Python versions, PEP 440; None if it names none.
        host_range: Range of Harnest versions, PEP 440; None if it names none.
        dependencies: Python distributions that it needs, PEP 508, without host-owned ones.
        extension_requirements: Other extensions that it needs, from manifest and metadata.
        capabilities: What it declares to use or provide.
        files: What an installation copies, sorted by path.
        digest: Tree digest of those files, ``sha256:`` and 64 hexadecimal digits.
        archive: The wheel it was read from; None for a folder.
        location: The folder or wheel file that was opened.
        warnings: What is pointed out without being refused.
    """

    slug: Slug
    version: str
    manifest: Manifest
    requires_python: str | None = None
    host_range: str | None = None
    dependencies: tuple[str, ...] = ()
    extension_requirements: tuple[ExtensionRequirement, ...] = ()
    capabilities: tuple[str, ...] = ()
    files: tuple[PackageFile, ...]
    digest: str
    archive: ArchiveFile | None = None
    location: Path
    warnings: tuple[Problem, ...] = ()
    reader: FileReader = field(repr=False, compare=False)

    def read(self, path: str) -> Iterator[bytes]:
        """Yield the content of one of :attr:`files` in bounded chunks.

        The bytes are those that were inspected: for a wheel they are inflated and verified again,
        for a folder the file is opened without following links below the folder's descriptor.

        Args:
            path: Path of one of :attr:`files`.

        Raises:
            InvalidExtension: rule ``tree.changed``, when the source is not what was inspected.
            KeyError: ``path`` is not a file of this package.
        """
        return self.reader.read(path)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """What a check of a package found.

    Attributes:
        location: The folder or wheel file that was checked.
        problems: Everything found, errors first.
        package: Facts about the package; None if it could not be read that far. Its source is
            closed: only its facts are good for use.
    """

    location: Path
    problems: tuple[Problem, ...] = ()
    package: ExtensionPackage | None = None

    @property
    def ok(self) -> bool:
        """Whether nothing refuses the package; warnings don't."""
        return not any(problem.severity == "error" for problem in self.problems)
