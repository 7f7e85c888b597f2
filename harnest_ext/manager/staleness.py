"""Whether the lock is what the user's wishes come to, or how it falls behind them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from harnest_ext.manager.ranges import satisfies
from harnest_ext.manager.state import required_names, split_requirement
from harnest_ext.store.lock import SourceKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from harnest_ext.identity import Slug
    from harnest_ext.store.lock import LockedExtension, LockFile
    from harnest_ext.store.wishes import Wish

__all__ = ["reachable", "staleness"]


def staleness(lock: LockFile, wishes: Mapping[Slug, Wish], root: Path) -> tuple[str, ...]:
    """Return a sentence for each way in which ``lock`` falls behind ``wishes``; none if it fits.

    Args:
        lock: What is locked.
        wishes: What was asked for.
        root: The project, which paths of both are relative to.
    """
    return (
        *_unlike_wishes(lock, wishes, root),
        *_unsatisfied(lock),
        *(
            f"'{name}' is locked, and neither asked for nor required."
            for name in sorted(lock.entries.keys() - reachable(lock, wishes))
        ),
    )


def reachable(lock: LockFile, wishes: Iterable[str]) -> frozenset[str]:
    """Return the names in ``lock`` that are wished for, or required by one that is, and so on."""
    seen: set[str] = set()
    waiting = list(wishes)
    while waiting:
        name = waiting.pop()
        entry = lock.get(name)
        if entry is not None and name not in seen:
            seen.add(name)
            waiting.extend(required_names(entry))
    return frozenset(seen)


def _unlike_wishes(lock: LockFile, wishes: Mapping[Slug, Wish], root: Path) -> Iterator[str]:
    for name, wish in wishes.items():
        entry = lock.get(name)
        if entry is None:
            yield f"'{name}' is asked for and not locked."
        elif not satisfies(entry.version, wish.version):
            yield f"'{name}' is locked at {entry.version}, and {wish.version} is asked for."
        elif not _from_where_asked(entry, wish, root):
            yield f"'{name}' is locked from {entry.source.location}, which is not asked for."


def _from_where_asked(entry: LockedExtension, wish: Wish, root: Path) -> bool:
    in_place = entry.source.kind in {SourceKind.FOLDER, SourceKind.WHEEL, SourceKind.LINKED}
    if wish.path:
        # However the user writes the path: with a dot, a slash at the end, absolute.
        places = (os.path.realpath(root / path) for path in (entry.source.location, wish.path))
        same = len(set(places)) == 1
        return in_place and same and entry.linked is wish.link
    if wish.index:
        return entry.source.kind is SourceKind.INDEX
    if wish.registry:
        return entry.source.kind is SourceKind.REGISTRY
    return not in_place


def _unsatisfied(lock: LockFile) -> Iterator[str]:
    for entry in lock.entries.values():
        for requirement in entry.requires:
            name, specifier = split_requirement(requirement)
            found = lock.get(name)
            if found is None or not satisfies(found.version, specifier):
                have = found.version if found else "nothing"
                yield f"'{entry.name}' requires {requirement}, and {have} is locked."
