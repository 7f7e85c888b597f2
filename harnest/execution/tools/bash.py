"""The tool ``bash``: a command of the model's, in the backend."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harnest.execution.backend import DescribedBackend, LocatedBackend
from harnest.execution.errors import ExecutionError
from harnest.execution.tools.names import show_name
from harnest.execution.tools.parameters import Parameter
from harnest.execution.tools.text import count
from harnest.execution.tools.tool import Tool

if TYPE_CHECKING:
    from harnest.execution.result import ExecutionResult

__all__ = ["BashOutcome", "BashTool"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BashOutcome:
    """How a command ended.

    Attributes:
        result: What the backend says.
        applied: The time-out that applied, in seconds; None if the backend names none.
        asked: The time-out that the model asked for, if any.
    """

    result: ExecutionResult
    applied: int | None = None
    asked: int | None = None

    @property
    def text(self) -> str:
        """Output, error output, and one line about everything else that matters."""
        parts = [self.result.stdout.removesuffix("\n")] if self.result.stdout else []
        if self.result.stderr:
            parts.append("STDERR:\n" + self.result.stderr.removesuffix("\n"))
        parts = parts or ["(no output)"]
        facts = self._facts()
        return "\n".join([*parts, f"[{'; '.join(facts)}]"] if facts else parts)

    def _facts(self) -> list[str]:
        facts = []
        if self.result.timed_out:
            facts.append(self._late())
        if self.result.exit_code is None:
            facts += [] if self.result.timed_out else ["ended without an exit code"]
        elif self.result.exit_code:
            facts.append(f"exit code {self.result.exit_code}")
        if self.result.memory_exceeded:
            facts.append("memory limit exceeded")
        if self.result.truncated:
            facts.append("output truncated")
        if self.result.denials:
            facts.append("denied: " + ", ".join(" ".join(d.split()) for d in self.result.denials))
        return facts

    def _late(self) -> str:
        if self.applied is None:
            return "timed out by the backend's own limit"
        capped = self.asked is not None and self.asked > self.applied
        limit = f", the limit; {self.asked} seconds were asked for" if capped else ""
        return f"timed out after {count(self.applied, 'second')}{limit}"


class BashTool(Tool):
    """Runs a command by the backend's shell."""

    name = "bash"
    parameters = (
        Parameter(
            name="command",
            kind="string",
            required=True,
            description="The command, one or more lines.",
        ),
        Parameter(
            name="timeout",
            kind="integer",
            minimum=1,
            description="Seconds after which to end the command; the limit holds all the same.",
        ),
    )

    @property
    def description(self) -> str:
        """Names the shell, the directory and the limit that apply."""
        backend = self.backend
        shell, limit = "/bin/sh", "the backend's own limit"
        if isinstance(backend, DescribedBackend):
            shell, limit = backend.shell, count(backend.timeout_seconds, "second")
        dialect = "" if shell.endswith("bash") else " Only what that shell understands works."
        return (
            f"Run a command by `{shell} -c` in {self._directory()}.{dialect} Each call is a new "
            "shell with an empty standard input, and what it leaves running is ended. It ends "
            f"after {limit} at the latest. The answer is its output, its error output behind "
            "STDERR:, and a last line in brackets if it failed, was late, or lost output."
        )

    async def _run(self, **arguments: Any) -> BashOutcome:
        asked: int | None = arguments["timeout"]
        limit = None
        if isinstance(self.backend, DescribedBackend):
            limit = self.backend.timeout_seconds
        given = [seconds for seconds in (asked, limit) if seconds is not None]
        applied = min(given) if given else None
        result = await self.backend.execute_command(arguments["command"], timeout=applied)
        return BashOutcome(result=result, applied=applied, asked=asked)

    def _directory(self) -> str:
        try:
            if isinstance(self.backend, LocatedBackend):
                return f"the directory {_shown(self.backend.inside_directory)}"
            if self.backend.owns_filesystem:
                return f"the directory {_shown(self.backend.resolve_path('.'))}"
        except ExecutionError:
            pass  # not open yet, which the first call will say: its directory has no path so far
        return "the work directory"


def _shown(path: str) -> str:
    return show_name(os.fsencode(path))
