"""Rings among the chosen releases, and the order in which they are installed without one."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from harnest_ext.identity import Slug

__all__ = ["find_ring", "installation_order"]


def find_ring(edges: Mapping[Slug, Collection[Slug]]) -> tuple[Slug, ...]:
    """Return a ring, beginning and ending with its first name by alphabet; empty if none.

    Args:
        edges: For each name, the names that it requires.
    """
    try:
        TopologicalSorter(_sorted(edges)).prepare()
    except CycleError as error:
        ring: list[Slug] = list(reversed(error.args[1]))[:-1]
        first = ring.index(min(ring))
        return (*ring[first:], *ring[:first], ring[first])
    return ()


def installation_order(edges: Mapping[Slug, Collection[Slug]]) -> tuple[Slug, ...]:
    """Return every name after all that it requires; ties by name.

    Args:
        edges: For each name, the names that it requires; without a ring.
    """
    sorter = TopologicalSorter(_sorted(edges))
    sorter.prepare()
    order: list[Slug] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        order.extend(ready)
        sorter.done(*ready)
    return tuple(order)


def _sorted(edges: Mapping[Slug, Collection[Slug]]) -> dict[Slug, list[Slug]]:
    return {name: sorted(edges[name]) for name in sorted(edges)}
