"""An agent that writes, runs and mends a program, with tools bound to a workspace.

::

    python agent.py --tier docker --file-tools backend

Where its commands run is one argument; where its files are is another. The agent, its loop and its
tools are the same in every tier.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scripted_model import ScriptedModel

from harnest.execution import (
    ExecutionError,
    HookEvent,
    HookManager,
    Workspace,
    WorkspaceConfig,
)
from harnest.execution.tools import WorkspaceTools
from harnest_ext.runtime import AgentRuntime

if TYPE_CHECKING:
    from scripted_model import Model

    from harnest.execution import HookContext

PROJECT = Path(__file__).resolve().parent
TIERS = ("process", "bubblewrap", "docker", "seatbelt")
MAX_TURNS = 20
TASK = "Write a program that prints the squares of the numbers below 5."


async def work(model: Model, tools: WorkspaceTools, task: str) -> str:
    """Let the model call tools until it answers, and return the answer.

    Raises:
        RuntimeError: It did not come to an end.
    """
    offered = [
        {"name": tool.name, "description": tool.description, "parameters": tool.schema}
        for tool in tools
    ]
    messages: list[dict[str, object]] = [{"role": "user", "content": task}]
    for _ in range(MAX_TURNS):
        reply = await model.respond(messages, offered)
        if reply.call is None:
            return reply.text
        print(f"[assistant] {reply.text}\n[{reply.call.name}] {reply.call.summary}")
        # Whatever goes wrong is text for the model, which may try something else.
        answer = await tools.answer(reply.call.name, reply.call.arguments)
        print("\n".join(f"    {line}" for line in answer.text.splitlines()))
        messages += [
            {"role": "assistant", "content": reply.text, "call": reply.call},
            {"role": "tool", "content": answer.text},
        ]
    raise RuntimeError(f"the model went on calling tools after {MAX_TURNS} turns")


async def run(options: argparse.Namespace) -> None:
    """Open the workspace and let the agent work in it."""
    hooks = HookManager()
    ran: list[HookContext] = []
    hooks.on(HookEvent.SANDBOX_EXEC, ran.append)
    config = WorkspaceConfig(
        tier=options.tier,
        file_tools=options.file_tools,
        timeout_seconds=20,
        image=options.image,
    )
    # The workspace is ours: the tools are bound to it and leave it open.
    async with Workspace(config) as workspace, WorkspaceTools(workspace, hooks=hooks) as tools:
        # A real model goes here: anything that takes tool schemas and asks for calls.
        print(f"[assistant] {await work(ScriptedModel(), tools, options.task)}")
        made = sorted(path.name for path in workspace.directory.iterdir())
    print(f"[workspace] {', '.join(made)}; {len(ran)} executions in the tier {options.tier}")


async def main() -> int:
    """Read the command line, activate the project's extensions, and run the agent."""
    options = arguments()
    async with AgentRuntime(PROJECT, on_broken="skip"):
        try:
            await run(options)
        except ExecutionError as error:
            print(f"The agent can't work here: {error}", file=sys.stderr)
            return 1
    return 0


def arguments() -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "task", nargs="?", default="Write a program that prints the squares below 5."
    )
    parser.add_argument("--tier", choices=TIERS, default="process", help="default: process")
    parser.add_argument(
        "--file-tools",
        choices=("host", "backend"),
        default="host",
        help="where file tools work: on this host (default) or inside the tier",
    )
    parser.add_argument("--image", help="image of the docker tier; it must have a Python")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
