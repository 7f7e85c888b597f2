"""What several tests of the bubblewrap extension share."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harnest.execution import ExecutionCall, WorkspaceConfig
from harnest.sandbox import SandboxContext, SandboxRequest, control
from harnest_ext.conformance.timing import Deadlines

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnest.execution import EngineResult, WorkspaceEngine

__all__ = ["SOMEONE", "Room", "alive", "marked", "request", "until"]

SOMEONE = SandboxContext(agent_name="a", user_id="u", session_id="s", invocation_id="i")


@dataclass(frozen=True, slots=True)
class Room:
    """A workspace's engine and its directory on the host."""

    engine: WorkspaceEngine
    directory: Path

    @classmethod
    def open(cls, directory: Path, **options: Any) -> Room:
        """A room with these options of the configuration."""
        from harnest_extension_bubblewrap.extension import bubblewrap  # noqa: PLC0415 - see conftest

        config = WorkspaceConfig(tier="bubblewrap", **options)
        return cls(bubblewrap.workspace(config, directory), directory)

    def python(self, code: str, *, timeout: int = 60) -> EngineResult:
        """Run a program."""
        return self._run(ExecutionCall(kind="execute", text=code, timeout_seconds=timeout))

    def shell(self, command: str, *, timeout: int = 60, stdin: bytes | None = None) -> EngineResult:
        """Run a command."""
        return self._run(
            ExecutionCall(
                kind="execute_command", text=command, timeout_seconds=timeout, stdin=stdin
            )
        )

    def late(self, run: Callable[..., EngineResult], program: str) -> EngineResult:
        """The result of what its deadline ended once it had made the file ``begun``."""
        deadlines = Deadlines()
        begun = self.directory / "begun"
        for seconds in deadlines:
            begun.unlink(missing_ok=True)
            result = run(program, timeout=seconds)
            deadlines.too_short = not begun.exists()
        return result

    def tell(self, code: str) -> Any:
        """What a program, which must succeed, prints as JSON."""
        result = self.python(code)
        assert result.exit_code == 0, result.stderr.decode()
        return json.loads(result.stdout)

    def _run(self, call: ExecutionCall) -> EngineResult:
        with control.execute(call.timeout_seconds):
            return self.engine.run(call)


def request(code: str, **options: Any) -> SandboxRequest:
    """A request for a program."""
    return SandboxRequest(code=code, **options)


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def marked(mark: str) -> list[int]:
    """The living processes of this host whose command line holds a text."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                line = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if mark.encode() in line and alive(int(folder.name)):
                found.append(int(folder.name))
    return found


def until(condition: Callable[[], bool], seconds: float = 60.0) -> bool:
    """Whether a condition came true within some seconds."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if condition():
            return True
        time.sleep(0.01)
    return condition()
