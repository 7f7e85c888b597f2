"""``harnest sandbox list``: what the project declares, by which provider, for whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from harnest_ext.cli.options import common, examples
from harnest_ext.cli.output import Table
from harnest_ext.cli.sandbox.project import loaded
from harnest_ext.runtime.grants import undeclared_grants

if TYPE_CHECKING:
    from pathlib import Path

    from harnest.sandbox import Sandbox, SandboxNetworkPolicy
    from harnest_ext.cli.output import Output
    from harnest_ext.runtime.running import Running

__all__ = ["command"]


@click.command("list", epilog=examples("harnest sandbox list", "harnest sandbox list --json"))
@common
def command(*, project: Path | None, output: Output) -> None:
    """List the declared sandboxes with provider, network policy, deadline and grants."""
    with loaded(project) as running:
        for problems in running.active.plan.skipped.values():
            for problem in problems:
                output.warn(problem.message)
        rows = [_row(name, sandbox, running) for name, sandbox in running.catalog.declared.items()]
        broken = running.catalog.broken
        grants = undeclared_grants(running)
    for problem in (*broken.values(), *grants):
        output.warn(problem.message)
    told = [{"name": name, "error": problem.to_dict()} for name, problem in broken.items()]
    output.result({"sandboxes": rows, "broken": told}, _table(rows))


def _row(name: str, sandbox: Sandbox, running: Running) -> dict[str, object]:
    agents = running.config.agents.values()
    return {
        "name": name,
        "provider": sandbox.backend,
        "network": _network(sandbox.network_policy),
        "timeout_seconds": sandbox.timeout_seconds,
        "granted_to": [agent.name for agent in agents if name in agent.sandboxes],
    }


def _network(policy: SandboxNetworkPolicy | None) -> dict[str, object] | None:
    if policy is None:
        return None
    return {
        "mode": policy.mode.value,
        "allow_hosts": list(policy.allow_hosts),
        "allow_ports": list(policy.allow_ports),
        "block_private_networks": policy.block_private_networks,
    }


def _table(rows: list[dict[str, object]]) -> Table:
    return Table(
        columns=("NAME", "PROVIDER", "NETWORK", "TIMEOUT", "GRANTED TO"),
        rows=tuple(_cells(row) for row in rows),
        empty="No sandbox is declared: put a file sandbox/<name>.py into the project.",
    )


def _cells(row: dict[str, object]) -> tuple[str, ...]:
    network, timeout, granted = row["network"], row["timeout_seconds"], row["granted_to"]
    return (
        str(row["name"]),
        str(row["provider"]),
        str(network["mode"]) if isinstance(network, dict) else "not limited",
        f"{timeout} s" if timeout is not None else "the provider's",
        ", ".join(map(str, granted)) if isinstance(granted, list) and granted else "nobody",
    )
