"""The facts of an extension: from the lock where there is one, else from its own manifest.

A locked copy is not read here: when its digest holds, what the lock says of it holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.identity import HOST_DISTRIBUTION, Slug, normalized
from harnest_ext.manifest import ExtensionRequirement
from harnest_ext.runtime.candidate import Candidate, Origin

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from harnest_ext.distributions import InstalledDistribution
    from harnest_ext.manifest import Manifest
    from harnest_ext.store import LockedExtension

__all__ = ["from_distribution", "from_link", "from_lock"]


def from_lock(locked: LockedExtension, folder: Path) -> Candidate:
    """Return the candidate of a copy, as the lock describes it."""
    return Candidate(
        slug=locked.name,
        version=locked.version,
        folder=folder,
        origin=Origin.PROJECT,
        digest=locked.digest,
        requires=tuple(ExtensionRequirement.parse(text) for text in locked.requires),
        dependencies=locked.dependencies,
        capabilities=frozenset(locked.capabilities),
        host_range=locked.host_range,
        requires_python=locked.requires_python,
    )


def from_link(locked: LockedExtension, folder: Path) -> Candidate:
    """Return the candidate of a linked checkout: its manifest as it is now.

    Raises:
        InvalidExtension: The manifest breaks a rule, or names another extension.
        OSError: It can't be read.
    """
    manifest = _manifest(folder, locked.name)
    known = {requirement.slug for requirement in manifest.requires}
    more = (ExtensionRequirement.parse(text) for text in locked.requires)
    return Candidate(
        slug=locked.name,
        version=manifest.version.public,
        folder=folder,
        origin=Origin.LINKED,
        requires=(*manifest.requires, *(each for each in more if each.slug not in known)),
        dependencies=locked.dependencies,
        capabilities=frozenset(manifest.capabilities),
        host_range=locked.host_range,
        requires_python=locked.requires_python,
    )


def from_distribution(found: InstalledDistribution) -> Candidate:
    """Return the candidate of an installed distribution: its manifest and its metadata.

    Raises:
        InvalidExtension: The manifest breaks a rule, or names another extension.
        OSError: It can't be read.
        packaging.requirements.InvalidRequirement: The metadata has a bad requirement.
    """
    manifest = _manifest(found.folder, found.slug)
    host_range, more, dependencies = _split(found.requires)
    known = {requirement.slug for requirement in manifest.requires}
    return Candidate(
        slug=found.slug,
        version=manifest.version.public,
        folder=found.folder,
        origin=Origin.ENVIRONMENT,
        requires=(*manifest.requires, *(each for each in more if each.slug not in known)),
        dependencies=dependencies,
        capabilities=frozenset(manifest.capabilities),
        host_range=host_range,
        requires_python=found.requires_python,
    )


def _split(
    requires: Iterable[str],
) -> tuple[str, tuple[ExtensionRequirement, ...], tuple[str, ...]]:
    from packaging.requirements import Requirement  # noqa: PLC0415 - 38 ms that no copy needs

    host_range, extensions, others = "", [], []
    for text in requires:
        requirement = Requirement(text)
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        slug = Slug.from_distribution(requirement.name)
        if slug is not None:
            extensions.append(ExtensionRequirement(slug=slug, specifier=str(requirement.specifier)))
        elif normalized(requirement.name) == HOST_DISTRIBUTION:
            host_range = str(requirement.specifier)
        else:
            others.append(text)
    return host_range, tuple(extensions), tuple(others)


def _manifest(folder: Path, slug: str) -> Manifest:
    from harnest_ext.errors import InvalidExtension  # noqa: PLC0415 - only a wrong name raises it
    from harnest_ext.manifest import MANIFEST_FILE, read_manifest  # noqa: PLC0415 - parses YAML
    from harnest_ext.runtime.rules import UNREADABLE  # noqa: PLC0415 - only a wrong name needs it

    path = folder / MANIFEST_FILE
    manifest = read_manifest(path.read_bytes(), str(path))
    if manifest.name != slug:
        raise InvalidExtension(
            UNREADABLE.problem(
                f"The manifest names another extension than {slug!r}.",
                path=str(path),
                expected=slug,
                got=manifest.name,
            )
        )
    return manifest
