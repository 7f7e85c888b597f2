"""A tool for the agent's model: run Python code and see what it printed."""

from __future__ import annotations

from typing import TypedDict

from harnest import context


class Outcome(TypedDict):
    """What the model gets to see of one run."""

    status: str
    exit_code: int | None
    stdout: str
    stderr: str


async def run_python(code: str) -> Outcome:
    """Run a Python program in the sandbox and return its output.

    Args:
        code: Source text of a complete program; print what you want to see.
    """
    result = await context.sandboxes["python"].aexecute(code)
    return Outcome(
        status=result.status.value,
        exit_code=result.exit_code,
        stdout=result.stdout,
        stderr=result.stderr,
    )
