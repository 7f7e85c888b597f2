"""What a registry says of one extension, as values that do not contradict themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnest_ext.identity import Slug
from harnest_ext.manifest import ExtensionRequirement
from harnest_ext.sources.wheel_name import WheelName

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["RegistryEntry", "RegistryRelease"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryRelease:
    """One release: a wheel, and what it demands.

    Attributes:
        version: PEP 440 version in normal form.
        file: Name of the wheel in the registry's ``wheels/``.
        size: Bytes of the wheel.
        sha256: Hex digest of the wheel.
        host: Range of Harnest versions; empty when it names none.
        python: Range of Python versions; empty when it names none.
        requires: Other extensions, such as ``rag>=0.1,<1``.
        capabilities: What it declares to use or provide.
        yanked: Why it was withdrawn; None when it was not.

    Raises:
        ValueError: The file is no wheel that could be installed, or of another version.
        InvalidExtension: A requirement can't be read.
    """

    version: str
    file: str
    size: int
    sha256: str
    host: str = ""
    python: str = ""
    requires: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    yanked: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "requires", tuple(self.requires))
        object.__setattr__(self, "capabilities", tuple(self.capabilities))
        name = WheelName.parse(self.file)
        if name is None or not name.usable or "/" in self.file:
            raise ValueError("file is no name of a py3-none-any wheel")
        if name.version != self.version:
            raise ValueError(f"file is of version {name.version}, version is {self.version}")
        self.requirements()

    def requirements(self) -> tuple[ExtensionRequirement, ...]:
        """Return the other extensions, parsed."""
        return tuple(ExtensionRequirement.parse(text) for text in self.requires)

    def shape(self) -> Mapping[str, object]:
        """Return what the file format says of it, empty parts left out, in its order."""
        parts = {
            "version": self.version,
            "file": self.file,
            "size": self.size,
            "sha256": self.sha256,
            "host": self.host,
            "python": self.python,
            "requires": list(self.requires),
            "capabilities": list(self.capabilities),
            "yanked": self.yanked,
        }
        return {key: value for key, value in parts.items() if value}


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryEntry:
    """One extension with its releases.

    Attributes:
        slug: Its name.
        summary: One line on what it does.
        trust: ``official`` when the makers of Harnest keep it; otherwise ``community``.
        maintainers: Who keeps it, at least one.
        releases: The newest last; a version at most once.
        documentation: Where to read about it; empty when there is no such place.
        source: Where its source lies; empty when that is not public.

    Raises:
        ValueError: A version stands there twice, or a file is another extension's.
    """

    slug: Slug
    summary: str
    trust: str
    maintainers: tuple[str, ...]
    releases: tuple[RegistryRelease, ...]
    documentation: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "slug", Slug(self.slug))
        object.__setattr__(self, "maintainers", tuple(self.maintainers))
        object.__setattr__(self, "releases", tuple(self.releases))
        versions = [release.version for release in self.releases]
        if len(set(versions)) != len(versions):
            raise ValueError("a version stands there twice")
        for release in self.releases:
            name = WheelName.parse(release.file)
            if name is not None and name.slug != self.slug:
                raise ValueError(f"{release.file} is a file of another extension")

    @property
    def project(self) -> str:
        """Name of its distribution."""
        return self.slug.distribution

    def shape(self) -> Mapping[str, object]:
        """Return what the file format says of it, empty parts left out, in its order."""
        parts = {
            "slug": str(self.slug),
            "project": self.project,
            "summary": self.summary,
            "trust": self.trust,
            "documentation": self.documentation,
            "source": self.source,
            "maintainers": list(self.maintainers),
        }
        kept = {key: value for key, value in parts.items() if value}
        return kept | {"releases": [release.shape() for release in self.releases]}
