"""What the lock file says: one exact release for each installed extension.

The values exist only if they are valid; they know nothing of files. Texts that a range or a
requirement holds are kept as written: whoever compares them parses them.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

from harnest_ext.errors import InvalidExtension
from harnest_ext.store import rules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnest_ext.identity import Slug

__all__ = ["LockFile", "LockedExtension", "LockedSource", "SourceKind"]

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)


class SourceKind(enum.StrEnum):
    """Where the bytes of an installed extension came from."""

    FOLDER = "folder"
    WHEEL = "wheel"
    REGISTRY = "registry"
    INDEX = "index"
    FIND_LINKS = "find-links"
    LINKED = "linked"


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedSource:
    """A source, told so that another machine can find it again.

    Attributes:
        kind: Which sort of source it is.
        location: Folder or wheel relative to the project with ``/``, name of a registry, or URL.
        file: File name of the wheel in a registry, index or find-links folder; else empty.
    """

    kind: SourceKind
    location: str
    file: str = ""

    def __post_init__(self) -> None:
        """Refuse what would not be the same on another machine."""
        object.__setattr__(self, "kind", SourceKind(self.kind))
        if self.location.startswith("/"):
            raise _invalid("source.location", self.location, "a path relative to the project")


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedExtension:
    """One extension of the lock.

    Attributes:
        name: Its name.
        version: Its version in PEP 440 normal form.
        requirement: Range that was asked for; empty for any and for what came as a requirement.
        source: Where it came from.
        digest: Tree digest of the copy, ``sha256:<hex>``; empty exactly when it is linked.
        wheel_sha256: Hex sha256 of the wheel it came from; empty for folders.
        wheel_size: Bytes of that wheel; 0 for folders.
        requires: Requirements on other extensions, such as ``rag>=0.1,<1``, sorted.
        dependencies: Requirements on ordinary Python packages (PEP 508), sorted.
        capabilities: Capabilities that were agreed to, sorted.
        host_range: Range of Harnest versions it names; empty for any.
        requires_python: Range of Python versions it names; empty for any.
        pinned: True when ``upgrade`` must leave it alone.
    """

    name: Slug
    version: str
    source: LockedSource
    digest: str
    requirement: str = ""
    wheel_sha256: str = ""
    wheel_size: int = 0
    requires: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    host_range: str = ""
    requires_python: str = ""
    pinned: bool = False

    def __post_init__(self) -> None:
        """Refuse an entry that could not have been written by this product."""
        for key in ("requires", "dependencies", "capabilities"):
            object.__setattr__(self, key, tuple(sorted(getattr(self, key))))
        if not self.version:
            raise _invalid("version", self.version, "a version")
        if self.linked != (not self.digest):
            raise _invalid("digest", self.digest, "a digest, unless the extension is linked")
        if self.digest and not _DIGEST.fullmatch(self.digest):
            raise _invalid("digest", self.digest, "sha256: and 64 hexadecimal digits")
        if self.wheel_sha256 and not _SHA256.fullmatch(self.wheel_sha256):
            raise _invalid("wheel.sha256", self.wheel_sha256, "64 hexadecimal digits")
        if self.wheel_size < 0 or (self.wheel_size > 0) != bool(self.wheel_sha256):
            raise _invalid("wheel.size", str(self.wheel_size), "a size beside the wheel's sha256")

    @property
    def linked(self) -> bool:
        """Whether it is run in place from a checkout instead of from a copy."""
        return self.source.kind is SourceKind.LINKED


@dataclass(frozen=True, slots=True, kw_only=True)
class LockFile:
    """All locked extensions, by name, in the order of their names."""

    entries: Mapping[Slug, LockedExtension] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Sort and freeze the entries."""
        ordered = {name: self.entries[name] for name in sorted(self.entries)}
        object.__setattr__(self, "entries", MappingProxyType(ordered))

    def get(self, name: str) -> LockedExtension | None:
        """Return the entry of ``name``, or None."""
        return self.entries.get(cast("Slug", name))

    def with_entries(self, *entries: LockedExtension) -> LockFile:
        """Return a lock in which ``entries`` stand in place of those of the same names."""
        return LockFile(entries={**self.entries, **{entry.name: entry for entry in entries}})

    def without(self, *names: str) -> LockFile:
        """Return a lock that has none of ``names``."""
        return LockFile(entries={n: e for n, e in self.entries.items() if n not in names})

    def pin(self, name: Slug, *, pinned: bool) -> LockFile:
        """Return a lock in which ``name`` is pinned or not."""
        return self.with_entries(replace(self.entries[name], pinned=pinned))


def _invalid(key: str, got: str, expected: str) -> InvalidExtension:
    return InvalidExtension(
        rules.LOCK_FIELD.problem(f"The lock's {key} is not usable.", expected=expected, got=got)
    )
