"""How long a program takes to run in the process sandbox, beside the interpreter alone."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

from benchmarks.measure import Comparison, program

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.installation import Installation

CODE = "print(1)"


def comparisons(scratch: Path, installation: Installation) -> Iterator[Comparison]:
    """Yield one execution by a managed process sandbox, beside the interpreter by subprocess."""
    agent = scratch / "demo"
    program(installation.program, "init", agent)()
    from harnest import context  # noqa: PLC0415 - imported when this is measured
    from harnest_ext.runtime import AgentRuntime  # noqa: PLC0415 - likewise

    with ExitStack() as stack:
        runtime = stack.enter_context(AgentRuntime(agent))
        stack.enter_context(
            runtime.invocation(agent_name="assistant", user_id="ada", session_id="one")
        )
        sandbox = context.sandboxes["python"]

        def ours() -> None:
            result = sandbox.execute(CODE)
            if result.stdout != "1\n":
                sys.exit(f"the sandbox gave {result}")

        yield Comparison(
            name="process: print(1)",
            ours=ours,
            others={"the interpreter": program(sys.executable, "-I", "-c", CODE)},
            reach={"the interpreter": 1.5},
            rounds=51,
        )
