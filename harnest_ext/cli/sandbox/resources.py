"""How what providers keep outside of this process is shown: as rows and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.cli.output import Table
from harnest_ext.cli.sandbox.asking import seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harnest.sandbox.optional import SandboxResource

__all__ = ["Seen", "merged", "resource_shape", "resource_table"]

Seen = dict[tuple[str, str, str], "tuple[SandboxResource, list[str]]"]
"""Resources by provider, kind and identifier, each with the sandboxes whose provider told it."""


def merged(told: Iterable[tuple[str, str, Sequence[SandboxResource]]]) -> Seen:
    """Return resources without repetitions: sandboxes of one provider see the same host.

    Args:
        told: Sandbox, provider and what the provider told.
    """
    seen: Seen = {}
    for sandbox, provider, resources in told:
        for resource in resources:
            key = (provider, resource.kind, resource.resource_id)
            seen.setdefault(key, (resource, []))[1].append(sandbox)
    return seen


def resource_shape(seen: Seen) -> list[dict[str, object]]:
    """Return the JSON shape of resources."""
    return [
        {
            "provider": provider,
            "kind": kind,
            "id": identifier,
            "owner": resource.owner,
            "owner_alive": resource.owner_alive,
            "age_seconds": resource.age_seconds,
            "state": resource.state,
            "sandboxes": sandboxes,
        }
        for (provider, kind, identifier), (resource, sandboxes) in seen.items()
    ]


def resource_table(seen: Seen, *, empty: str) -> Table:
    """Return resources as a table."""
    return Table(
        columns=("PROVIDER", "KIND", "ID", "OWNER", "AGE", "STATE"),
        rows=tuple(
            (
                provider,
                kind,
                identifier,
                f"{resource.owner or 'unknown'}{_ALIVE[resource.owner_alive]}",
                seconds(resource.age_seconds),
                resource.state,
            )
            for (provider, kind, identifier), (resource, _) in seen.items()
        ),
        empty=empty,
    )


_ALIVE = {True: " (running)", False: " (gone)", None: ""}
