"""Events: one for every call, however it ends, and no listener breaks a call."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from harnest.execution import HookEvent, HookManager
from harnest_ext.conformance.checks import expect
from harnest_ext.conformance.workspace.raising import raises
from harnest_ext.conformance.workspace_bench import WorkspaceBench, WorkspaceGroup

if TYPE_CHECKING:
    from harnest.execution import HookContext

__all__ = ["GROUP"]

GROUP = WorkspaceGroup("events")

KEYS = ["denials", "execution_time_ms", "exit_code", "kind", "tier", "timed_out"]


def _listening() -> tuple[HookManager, list[dict[str, Any]]]:
    hooks, heard = HookManager(), list[dict[str, Any]]()

    async def hear(context: HookContext) -> None:
        await asyncio.sleep(0)
        heard.append(dict(context.data))

    def fail(context: HookContext) -> None:
        raise RuntimeError(context.event)

    hooks.on(HookEvent.SANDBOX_EXEC, fail)
    hooks.on(HookEvent.SANDBOX_EXEC, hear)
    return hooks, heard


@GROUP.promise("every-call")
async def every_call(bench: WorkspaceBench) -> None:
    """Each call gives one event with exactly six facts, though another listener fails."""
    hooks, heard = _listening()
    async with bench.workspace(hooks=hooks) as workspace:
        await workspace.execute("raise SystemExit(3)")
        await workspace.execute_command("exit 4")
        await workspace.execute_command("sleep 600", timeout=1)
    expect("keys", [sorted(event) for event in heard], [KEYS] * 3)
    kinds = [(event["kind"], event["exit_code"], event["timed_out"]) for event in heard]
    wanted = [
        ("execute", 3, False),
        ("execute_command", 4, False),
        ("execute_command", None, True),
    ]
    expect("events", kinds, wanted)
    expect("times", all(event["execution_time_ms"] >= 1 for event in heard), wanted=True)
    expect("tier", {event["tier"] for event in heard}, {workspace.tier})


@GROUP.promise("cancelled")
async def cancelled(bench: WorkspaceBench) -> None:
    """A cancelled call gives its event too."""
    hooks, heard = _listening()
    async with bench.workspace(hooks=hooks) as workspace:
        task = asyncio.create_task(workspace.execute_command("echo x > beat; sleep 600"))
        await bench.beating(workspace)
        task.cancel()
        await raises("await", asyncio.CancelledError, task)
    expect("events", [(e["exit_code"], e["timed_out"]) for e in heard], [(None, False)])
