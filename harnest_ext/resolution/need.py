"""One requirement on one extension, with whoever states it: the user, the project, a release."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnest_ext.resolution.ranges import holds

if TYPE_CHECKING:
    from harnest_ext.identity import Slug
    from harnest_ext.manifest.requirement import ExtensionRequirement

__all__ = ["Need", "Root"]


class Root(enum.Enum):
    """Who states a requirement that no release states."""

    ASKED = "you asked for"
    GIVEN = "you gave"
    RECORDED = "the project asks for"
    PINNED = "pinned is"
    PRESENT = "installed is"


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What the resolver works on.

    Attributes:
        requirement: The extension and the versions of it that will do.
        root: Who states it; None for a requirement of a release.
    """

    requirement: ExtensionRequirement
    root: Root | None = None

    @property
    def slug(self) -> Slug:
        """Name of the extension that is required."""
        return self.requirement.slug

    def admits(self, version: str) -> bool:
        """Return whether a version satisfies the range; pre-releases are judged elsewhere."""
        return holds(self.requirement.specifier, version)

    def pins(self, version: str) -> bool:
        """Return whether the range names exactly this version."""
        clauses = self.requirement.specifier.split(",")
        exact = [c for c in clauses if c.startswith("==") and not c.endswith(".*")]
        return bool(exact) and self.admits(version)
