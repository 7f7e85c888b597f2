"""Tree: which extension requires which, from what the user asked for downward."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnest_ext.manager.ranges import satisfies
from harnest_ext.manager.state import split_requirement

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnest_ext.manager.details import ExtensionDetails, Listing

__all__ = ["Node", "trees"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One extension where somebody requires it.

    Attributes:
        name: Its name.
        version: Its version; empty when it is not installed.
        requirement: Range that the one above asks for; empty for any and for roots.
        satisfied: Whether what is installed is in that range.
        repeated: Whether it stands above itself, so that what it requires is not told again.
        requires: What it requires.
    """

    name: str
    version: str
    requirement: str = ""
    satisfied: bool = True
    repeated: bool = False
    requires: tuple[Node, ...] = ()


def trees(listing: Listing) -> tuple[Node, ...]:
    """Return a tree for each extension that was asked for or that nobody requires."""
    by_name = {item.name: item for item in listing.extensions}
    roots = [item for item in listing.extensions if item.requested or not item.required_by]
    covered = {name for root in roots for name in _below(by_name, root.name, set())}
    # In a ring nobody is a root; its members are shown all the same.
    roots += [item for item in listing.extensions if item.name not in covered]
    return tuple(_node(by_name, item.name, "", ()) for item in roots)


def _below(items: Mapping[str, ExtensionDetails], name: str, seen: set[str]) -> set[str]:
    if name not in seen:
        seen.add(name)
        for requirement in items[name].requires if name in items else ():
            _below(items, split_requirement(requirement)[0], seen)
    return seen


def _node(
    items: Mapping[str, ExtensionDetails], name: str, specifier: str, above: tuple[str, ...]
) -> Node:
    item = items.get(name)
    version = item.version if item else ""
    repeated = name in above
    requires = () if item is None or repeated else item.requires
    return Node(
        name=name,
        version=version,
        requirement=specifier,
        satisfied=bool(version) and satisfies(version, specifier),
        repeated=repeated,
        requires=tuple(
            _node(items, *split_requirement(requirement), above=(*above, name))
            for requirement in requires
        ),
    )
