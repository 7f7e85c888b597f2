"""One extension that may be activated, with the facts that this is decided by."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from harnest_ext.identity import Slug
    from harnest_ext.manifest import ExtensionRequirement

__all__ = ["Candidate", "Origin"]


class Origin(enum.StrEnum):
    """Where an extension's folder comes from."""

    PROJECT = "project"
    LINKED = "linked"
    ENVIRONMENT = "environment"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What is known of an extension without importing it.

    Attributes:
        slug: Its name.
        version: Its version, PEP 440.
        folder: Folder with its ``extension.py``, absolute.
        origin: Where the folder comes from.
        digest: Tree digest that the folder must have; empty unless it is a locked copy.
        requires: Other extensions that it needs.
        dependencies: Python packages that it needs (PEP 508), told when its import fails.
        capabilities: What it declares to use or provide.
        host_range: Range of Harnest versions; empty for any.
        requires_python: Range of Python versions; empty for any.
    """

    slug: Slug
    version: str
    folder: Path
    origin: Origin
    digest: str = ""
    requires: tuple[ExtensionRequirement, ...] = ()
    dependencies: tuple[str, ...] = ()
    capabilities: frozenset[str] = frozenset()
    host_range: str = ""
    requires_python: str = ""

    @property
    def identity(self) -> tuple[str, str, str, str]:
        """What makes it the same extension in two activations."""
        return (self.slug, str(self.folder), self.version, self.digest)
