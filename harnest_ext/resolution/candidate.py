"""One release of one extension that could be chosen, and what it demands. No I/O here."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from harnest_ext.identity import Slug
    from harnest_ext.manifest.requirement import ExtensionRequirement
    from harnest_ext.problem import Problem

__all__ = ["Candidate", "Facts", "Origin", "OriginKind"]


class OriginKind(enum.StrEnum):
    """What sort of place a release comes from."""

    FOLDER = "folder"
    WHEEL = "wheel"
    LINKED = "linked"
    REGISTRY = "registry"
    FIND_LINKS = "find-links"
    INDEX = "index"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a release comes from.

    Attributes:
        kind: Sort of place.
        location: Which one: a path, a URL without credentials, or the name of the registry.
    """

    kind: OriginKind
    location: str

    def __str__(self) -> str:
        return f"{self.kind.value} {self.location}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a release demands of others, complete.

    Attributes:
        requires: Other extensions, manifest and metadata merged, each name once.
        host_range: PEP 440 range of Harnest versions; None when it names none.
        requires_python: PEP 440 range of Python versions; None when it names none.
    """

    requires: tuple[ExtensionRequirement, ...] = ()
    host_range: str | None = None
    requires_python: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One release, as its source lists it.

    Attributes:
        slug: Name of the extension.
        version: PEP 440 version in normal form.
        origin: Where it comes from.
        filename: Name of its wheel; the folder's for a folder.
        link: Where its bytes are; for the source that made the candidate.
        sha256: Hex digest of its wheel; empty when the source states none.
        size: Bytes of its wheel; None when the source doesn't state it.
        build: Build tag of the wheel, the higher one preferred; ``(0, "")`` for none.
        requires_python: PEP 440 range, when the source states it before any download.
        host_range: The same for Harnest's version.
        yanked: Why the release was withdrawn; None when it was not.
        uploaded: When it was published, when the source states it; aware.
        installed: Whether it is the copy that the project has already.
        objection: Why the source would not hand it out, such as a missing hash.
    """

    slug: Slug
    version: str
    origin: Origin
    filename: str
    link: str = ""
    sha256: str = ""
    size: int | None = None
    build: tuple[int, str] = (0, "")
    requires_python: str | None = None
    host_range: str | None = None
    yanked: str | None = None
    uploaded: datetime | None = None
    installed: bool = False
    objection: Problem | None = None

    def __str__(self) -> str:
        return f"{self.slug} {self.version}"
