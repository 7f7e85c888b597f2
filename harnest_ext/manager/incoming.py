"""A package that is to be in the project afterwards, open and checked, with where it came from."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from harnest_ext.errors import IncompatibleExtension, InvalidExtension
from harnest_ext.manager import rules
from harnest_ext.resolution.candidate import Candidate, Facts, Origin, OriginKind
from harnest_ext.store.lock import LockedExtension, LockedSource, SourceKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnest_ext.package import ExtensionPackage
    from harnest_ext.store.wishes import Wish

__all__ = ["Incoming", "facts_of", "given_candidate", "relative", "source_of", "told_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """One package on its way in.

    Attributes:
        package: What it is; its source stays open until the command ends.
        source: Where it came from, as the lock records it.
        wish: What the user asked for; None when it comes as somebody's requirement.
    """

    package: ExtensionPackage
    source: LockedSource
    wish: Wish | None = None

    def locked(self, before: LockedExtension | None) -> LockedExtension:
        """Return its entry in the lock, which stays pinned if it was."""
        package, archive = self.package, self.package.archive
        linked = self.source.kind is SourceKind.LINKED
        return LockedExtension(
            name=package.slug,
            version=package.version,
            requirement=self.wish.version if self.wish else "",
            source=self.source,
            digest="" if linked else package.digest,
            wheel_sha256=archive.sha256 if archive else "",
            wheel_size=archive.size if archive else 0,
            requires=tuple(str(item) for item in package.extension_requirements),
            dependencies=package.dependencies,
            capabilities=package.capabilities,
            host_range=package.host_range or "",
            requires_python=package.requires_python or "",
            pinned=before.pinned if before else False,
        )


def facts_of(package: ExtensionPackage) -> Facts:
    """Return what ``package`` demands of others."""
    return Facts(
        requires=package.extension_requirements,
        host_range=package.host_range,
        requires_python=package.requires_python,
    )


def given_candidate(package: ExtensionPackage, kind: SourceKind) -> Candidate:
    """Return a package that was handed over as a release to choose."""
    archive = package.archive
    return Candidate(
        slug=package.slug,
        version=package.version,
        origin=Origin(kind=OriginKind(kind.value), location=str(package.location)),
        filename=package.location.name,
        sha256=archive.sha256 if archive else "",
        size=archive.size if archive else None,
    )


def source_of(candidate: Candidate, root: Path) -> LockedSource:
    """Return where a chosen release comes from, as the lock of the project at ``root`` records it.

    Places on this machine are told relative to the project, so that a clone finds them again.
    """
    location = candidate.origin.location
    if Path(location).is_absolute():
        location = relative(Path(location), root)
    kind = SourceKind(candidate.origin.kind.value)
    local = kind in {SourceKind.FOLDER, SourceKind.WHEEL, SourceKind.LINKED}
    return LockedSource(kind=kind, location=location, file="" if local else candidate.filename)


@contextmanager
def told_of(package: str) -> Iterator[None]:
    """Say in refusals of the block which package they are about: their paths are inside of it.

    Args:
        package: The package, such as ``folder ../weather``.
    """
    try:
        yield
    except (InvalidExtension, IncompatibleExtension) as error:
        first, *others = error.problems
        named = replace(first, details=(f"in the {package}", *first.details))
        raise type(error)((named, *others), unchanged=error.unchanged) from error.__cause__


def relative(path: Path, root: Path) -> str:
    """Return ``path`` relative to ``root``, with ``/`` between its components.

    Raises:
        InvalidExtension: Its name can't be written into the project's files.
    """
    text = Path(os.path.relpath(path.resolve(), root)).as_posix()
    try:
        text.encode()
    except UnicodeEncodeError:
        problem = rules.PATH_TEXT.problem("The path is not UTF-8.", path=text)
        raise InvalidExtension(problem, unchanged="The project was not changed.") from None
    return text
