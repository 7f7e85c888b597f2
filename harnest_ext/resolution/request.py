"""What is to be resolved: what the user asked, what is installed, what the host is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harnest_ext.host import Host

if TYPE_CHECKING:
    from datetime import datetime

    from harnest_ext.identity import Slug
    from harnest_ext.manifest.requirement import ExtensionRequirement
    from harnest_ext.resolution.candidate import Candidate, Facts

__all__ = ["Given", "Installed", "ResolutionRequest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A package that the user handed over as a folder or wheel: the only release of its name.

    Attributes:
        candidate: The release.
        facts: What it demands.
    """

    candidate: Candidate
    facts: Facts


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """An extension that the project has.

    Attributes:
        candidate: The release, with ``installed`` set.
        facts: What it demands.
        requirement: What the user asked of it when it was installed; None when it came along as
            somebody's requirement.
        pinned: Whether it may not change.
        replaceable: Whether a release of another source may take its place without being asked
            for by name; not so for a copy of a folder or a linked checkout.
    """

    candidate: Candidate
    facts: Facts
    requirement: ExtensionRequirement | None = None
    pinned: bool = False
    replaceable: bool = True

    def __post_init__(self) -> None:
        if not self.candidate.installed:
            raise ValueError("the candidate of an installed extension is marked as installed")


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolutionRequest:
    """One question for the resolver.

    Attributes:
        wanted: Requirements that the user typed; several on one name must all hold.
        given: Packages that the user handed over, one a name.
        installed: What the project has, one a name; all of it stays, some of it may change.
        host: The Harnest and the Python that everything must fit.
        upgrade: Names for which a newer release is preferred to the installed one.
        prereleases: Whether pre-releases are considered without being named.
        newest_upload: Releases of an index uploaded later are passed over; aware. None for no
            such bound.
        add_missing: Whether requirements that are not there may be added; otherwise they refuse.
    """

    wanted: tuple[ExtensionRequirement, ...] = ()
    given: tuple[Given, ...] = ()
    installed: tuple[Installed, ...] = ()
    host: Host = field(default_factory=Host)
    upgrade: frozenset[Slug] = frozenset()
    prereleases: bool = False
    newest_upload: datetime | None = None
    add_missing: bool = True

    def __post_init__(self) -> None:
        for group in (self.given, self.installed):
            names = [item.candidate.slug for item in group]
            if len(set(names)) != len(names):
                raise ValueError("one package a name can be given or installed")
