"""Turn a project and what the user asks into a question for the resolver."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from harnest_ext.manager.incoming import facts_of, given_candidate
from harnest_ext.manifest import ExtensionRequirement
from harnest_ext.resolution.candidate import Candidate, Facts, Origin, OriginKind
from harnest_ext.resolution.request import Given, Installed
from harnest_ext.store.lock import SourceKind

if TYPE_CHECKING:
    from harnest_ext.manager.incoming import Incoming
    from harnest_ext.manager.state import State
    from harnest_ext.store.lock import LockedExtension, LockedSource

__all__ = ["given", "installed", "locked_candidate", "locked_path"]

_IN_PLACE = {SourceKind.FOLDER, SourceKind.WHEEL, SourceKind.LINKED}


def given(items: list[Incoming]) -> tuple[Given, ...]:
    """Return packages that the user handed over, as the resolver takes them."""
    return tuple(
        Given(
            candidate=given_candidate(item.package, item.source.kind),
            facts=facts_of(item.package),
        )
        for item in items
    )


def installed(state: State) -> tuple[Installed, ...]:
    """Return what the lock of the project says is installed, as the resolver takes it."""
    return tuple(_installed(state, entry) for entry in state.lock.entries.values())


def locked_candidate(entry: LockedExtension, root: Path) -> Candidate:
    """Return the release that ``entry`` names, as its source listed it."""
    path = locked_path(entry.source, root)
    return Candidate(
        slug=entry.name,
        version=entry.version,
        origin=Origin(
            kind=OriginKind(entry.source.kind.value),
            location=str(path) if path else entry.source.location,
        ),
        filename=entry.source.file or entry.source.location.rpartition("/")[2],
        sha256=entry.wheel_sha256,
        size=entry.wheel_size or None,
        installed=True,
    )


def locked_path(source: LockedSource, root: Path) -> Path | None:
    """Return where on this machine a source lies; None for registries and indexes."""
    if source.kind in _IN_PLACE or source.kind is SourceKind.FIND_LINKS:
        return Path(os.path.normpath(root / source.location))
    return None


def _installed(state: State, entry: LockedExtension) -> Installed:
    wish = state.wishes.get(entry.name)
    return Installed(
        candidate=locked_candidate(entry, state.project.root),
        facts=Facts(
            requires=tuple(ExtensionRequirement.parse(text) for text in entry.requires),
            host_range=entry.host_range or None,
            requires_python=entry.requires_python or None,
        ),
        requirement=ExtensionRequirement(slug=entry.name, specifier=wish.version) if wish else None,
        pinned=entry.pinned,
        replaceable=entry.source.kind not in _IN_PLACE,
    )
