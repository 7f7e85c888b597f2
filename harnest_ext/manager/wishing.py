"""What is written down of what the user asked for by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.manager.incoming import source_of
from harnest_ext.manifest.requirement import normal_specifier
from harnest_ext.sources.settings import SHIPPED
from harnest_ext.store.lock import SourceKind
from harnest_ext.store.wishes import Wish

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnest_ext.identity import Slug
    from harnest_ext.manager.setting import Setting
    from harnest_ext.manager.state import State
    from harnest_ext.manifest import ExtensionRequirement
    from harnest_ext.resolution import Candidate, Resolution

__all__ = ["wishes_by_name"]


def wishes_by_name(
    setting: Setting,
    state: State,
    wanted: Sequence[ExtensionRequirement],
    resolution: Resolution,
) -> dict[Slug, Wish]:
    """Return the wish for each name in ``wanted``.

    A wish that was there is kept when nothing new was said and what is installed stays. A release
    that a plain look-up of the name would not find again is wished for with its place.
    """
    ranges: dict[Slug, list[str]] = {}
    for requirement in wanted:
        ranges.setdefault(requirement.slug, []).append(requirement.specifier)
    wishes: dict[Slug, Wish] = {}
    for name, specifiers in ranges.items():
        together = normal_specifier(",".join(filter(None, specifiers)))
        candidate = resolution.selected[name].candidate
        have = state.wishes.get(name)
        if candidate.installed:
            wishes[name] = _kept(have, together)
        else:
            specifier = together or (have.version if have else "")
            wishes[name] = _found(setting, candidate, specifier)
    return wishes


def _kept(have: Wish | None, specifier: str) -> Wish:
    if have is None or not specifier or have.path:
        return have or Wish(version=specifier)
    return Wish(version=specifier, registry=have.registry, index=have.index)


def _found(setting: Setting, candidate: Candidate, specifier: str) -> Wish:
    source = source_of(candidate, setting.project.root)
    if source.kind is SourceKind.REGISTRY and source.location != SHIPPED:
        return Wish(version=specifier, registry=source.location)
    # An index answers for a name that a registry has only when somebody insisted on it.
    insisted = source.kind is SourceKind.INDEX and candidate.slug in setting.lookup.known()
    return Wish(version=specifier, index=insisted)
