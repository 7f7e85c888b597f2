"""Broken tiers and workspaces, each with the promises of the workspace suite that it breaks.

Most are the same sound engine with one bad habit. The engine is that of the guide for authors of
tiers: programs are processes of this host, under the shared supervisor.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from harnest.execution import (
    EngineResult,
    ExecutionResult,
    Guarantee,
    Workspace,
    WorkspaceConfig,
)
from harnest.execution.local import (
    Capture,
    LocalProgram,
    ProgramBounds,
    answered,
    effective,
    run_local,
    sealed,
)
from harnest.execution.local.calls import named_limits
from harnest.sandbox import control
from harnest_ext.conformance import WorkspaceFeature

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnest.execution import ExecutionCall, HookManager

__all__ = ["ANIMALS", "Animal", "Sound"]

PYTHON = "import sys; sys.path.append('.'); exec(open(sys.argv.pop()).read())"
NUMBERS = itertools.count()


class Sound:
    """An engine that keeps every promise of a tier that takes nothing away."""

    guarantees: tuple[Guarantee, ...] = (
        Guarantee(name="access", promise="yours", mechanism="none", holds=True),
    )

    def __init__(self, config: WorkspaceConfig, directory: Path) -> None:
        self.config = config
        self.directory = str(directory)
        self.bounds = ProgramBounds(memory_bytes=config.max_memory_mb << 20)
        self.limits = named_limits(config)

    def run(self, call: ExecutionCall) -> EngineResult:
        """Carry out one call."""
        code = call.text.encode() if call.kind == "execute" else None
        with sealed(self.input(call)) as stdin, sealed(code) as source:
            capture = Capture(self.config.max_output_bytes)
            start = time.monotonic()
            with control.execute(call.timeout_seconds) as scope:
                program = LocalProgram(
                    argv=self.line(call, source),
                    work=self.directory,
                    environment=self.environment(),
                    limits=effective(self.limits),
                    stdin=stdin,
                    pass_fds=(source,),
                )
                ended = run_local(program, group=self.bounds.group(), capture=capture, scope=scope)
            return answered(ended, capture, seconds=time.monotonic() - start)

    def input(self, call: ExecutionCall) -> bytes | None:
        """What the call reads."""
        return call.stdin

    def line(self, call: ExecutionCall, source: int) -> tuple[str, ...]:
        """The command line of a call whose code can be read from a descriptor."""
        if call.kind == "execute":
            return (sys.executable, "-I", "-c", PYTHON, f"/dev/fd/{source}")
        return (self.config.shell, "-c", f" {call.text}")

    def environment(self) -> dict[str, str]:
        """The environment of a call."""
        return {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **self.config.environment}

    def close(self) -> None:
        """Nothing is kept."""


class Changed(Sound):
    """Changes what came of a call."""

    def run(self, call: ExecutionCall) -> EngineResult:
        """Carry it out and tell something else."""
        result = super().run(call)
        values = {name: getattr(result, name) for name in EngineResult.__dataclass_fields__}
        return EngineResult(**(values | self.change(result)))

    def change(self, result: EngineResult) -> dict[str, Any]:
        """What is told instead."""
        raise NotImplementedError


class Mute(Changed):
    """Tells no output."""

    def change(self, result: EngineResult) -> dict[str, Any]:
        return {"stdout": b"", "stderr": b""}


class Text(Changed):
    """Takes output for text of lines."""

    def change(self, result: EngineResult) -> dict[str, Any]:
        return {"stdout": result.stdout.decode("utf-8", "ignore").encode()}


class TimeoutByNumber(Changed):
    """Takes an exit code for a time-out."""

    def change(self, result: EngineResult) -> dict[str, Any]:
        return {"timed_out": result.timed_out or result.exit_code in {124, 152}}


class MemoryByGuess(Changed):
    """Takes an exit code or a word for a lack of memory."""

    def change(self, result: EngineResult) -> dict[str, Any]:
        return {"memory_exceeded": result.exit_code == 137 or b"MemoryError" in result.stderr}


class Quick(Changed):
    """Never takes any time."""

    def change(self, result: EngineResult) -> dict[str, Any]:
        return {"execution_time_ms": 1}


class Forgetful(Changed):
    """Loses the output of what timed out."""

    def change(self, result: EngineResult) -> dict[str, Any]:
        return {"stdout": b"", "stderr": b""} if result.timed_out else {}


class Patient(Changed):
    """Comes back long after a deadline."""

    def change(self, result: EngineResult) -> dict[str, Any]:
        if result.timed_out:
            time.sleep(1.5)  # the habit itself
        return {}


class Listing(Changed):
    """Tells every name in the directory as made by the call, as text."""

    def change(self, result: EngineResult) -> dict[str, Any]:
        names = [os.fsencode(path.name) for path in Path(self.directory).iterdir()]
        return {"files_created": tuple(sorted(name.decode(errors="replace") for name in names))}


class Amnesiac(Changed):
    """Tells no file at all."""

    def change(self, result: EngineResult) -> dict[str, Any]:
        return {"files_created": ()}


class Strict(Changed):
    """Calls output truncated that just fits."""

    def change(self, result: EngineResult) -> dict[str, Any]:
        full = len(result.stdout) + len(result.stderr) >= self.config.max_output_bytes
        return {"truncated": result.truncated or full}


class Boundless(Sound):
    """Keeps to no bound."""

    def __init__(self, config: WorkspaceConfig, directory: Path) -> None:
        super().__init__(config, directory)
        self.bounds = ProgramBounds()
        self.limits = {}


class Crowded(Sound):
    """Lets a call have two thousand processes."""

    def __init__(self, config: WorkspaceConfig, directory: Path) -> None:
        super().__init__(config, directory)
        self.bounds = ProgramBounds(processes=2000)


class Verbose(Sound):
    """Keeps more output than it may."""

    def __init__(self, config: WorkspaceConfig, directory: Path) -> None:
        super().__init__(config, directory)
        options = {"tier": config.tier, "max_output_bytes": config.max_output_bytes * 2}
        self.config = WorkspaceConfig(**options)


class CodeFile(Sound):
    """Writes code to the same file of the work directory each time, following links."""

    def line(self, call: ExecutionCall, source: int) -> tuple[str, ...]:
        if call.kind != "execute":
            return super().line(call, source)
        path = Path(self.directory, "code.py")
        path.write_text(call.text)
        limit = time.monotonic() + 1
        while path.read_text() == call.text and time.monotonic() < limit:
            time.sleep(0.005)  # meanwhile another call, if there is one, writes to it
        return (sys.executable, "-I", str(path))


class Argument(Sound):
    """Hands code over as an argument, which has a bound, and searches the work directory first."""

    def line(self, call: ExecutionCall, source: int) -> tuple[str, ...]:
        if call.kind != "execute":
            return (self.config.shell, "-c", call.text)
        return (sys.executable, "-c", call.text)


class Deaf(Sound):
    """Hands over no input."""

    def input(self, call: ExecutionCall) -> bytes | None:
        return None


class Inherited(Sound):
    """Hands over the environment of this process."""

    def environment(self) -> dict[str, str]:
        return dict(os.environ)


class Elsewhere(Sound):
    """Runs calls in another directory, the same for all."""

    PLACE: ClassVar[list[str]] = []

    def __init__(self, config: WorkspaceConfig, directory: Path) -> None:
        super().__init__(config, directory)
        if not self.PLACE or not Path(self.PLACE[0]).is_dir():
            self.PLACE[:] = [self.directory]
        self.directory = self.PLACE[0]


class Renamed(Sound):
    """Says that programs see the directory where they don't, and makes a link of the host's."""

    def __init__(self, config: WorkspaceConfig, directory: Path) -> None:
        super().__init__(config, directory)
        self.host, self.directory = self.directory, "/nowhere"

    def run(self, call: ExecutionCall) -> EngineResult:
        self.directory = self.host
        try:
            return super().run(call)
        finally:
            self.directory = "/nowhere"


class OneByOne(Sound):
    """Carries out one call after the other."""

    def __init__(self, config: WorkspaceConfig, directory: Path) -> None:
        super().__init__(config, directory)
        self.lock = threading.Lock()

    def run(self, call: ExecutionCall) -> EngineResult:
        with self.lock:
            return super().run(call)


class Touchy(Sound):
    """Ends every call when one is cancelled."""

    def __init__(self, config: WorkspaceConfig, directory: Path) -> None:
        super().__init__(config, directory)
        self.scopes: set[Any] = set()

    def run(self, call: ExecutionCall) -> EngineResult:
        with control.execute(call.timeout_seconds) as scope:
            self.scopes.add(scope)
            try:
                return super().run(call)
            finally:
                for other in self.scopes:
                    other.abandon()


class Nameless(Sound):
    """Promises nothing."""

    guarantees = ()


class Fallback(Sound):
    """Takes another shell than the one that is configured and not there."""

    def line(self, call: ExecutionCall, source: int) -> tuple[str, ...]:
        if call.kind == "execute":
            return super().line(call, source)
        return ("/bin/sh", "-c", f" {call.text}")


class Naive(Sound):
    """Runs a subprocess, kills it alone, and waits for its pipes."""

    def __init__(self, config: WorkspaceConfig, directory: Path) -> None:
        super().__init__(config, directory)
        self.started: list[subprocess.Popen[bytes]] = []

    def run(self, call: ExecutionCall) -> EngineResult:
        scope = control.current()
        assert scope is not None
        line = (
            (sys.executable, "-c", call.text)
            if call.kind == "execute"
            else ("/bin/sh", "-c", call.text)
        )
        process = subprocess.Popen(
            line,
            cwd=self.directory,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            process_group=0,
        )
        self.started.append(process)
        assert process.stdin is not None
        if call.stdin is not None:
            process.stdin.write(call.stdin)  # fails when nobody reads it
            process.stdin.flush()
        while process.poll() is None and scope.remaining():
            scope.check_wanted()  # raises, and leaves the program to itself
            time.sleep(0.01)
        late = process.poll() is None
        process.kill()
        out, err = _read(process, 3)
        code = None if late else process.returncode
        return EngineResult(
            stdout=out,
            stderr=err,
            exit_code=code if code is None or code >= 0 else 128 - code,
            timed_out=late,
            execution_time_ms=1,
        )

    def close(self) -> None:
        """End, late, what was left; the test would leave it to the machine otherwise."""
        for process in self.started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe is not None:
                    with contextlib.suppress(BrokenPipeError):
                        pipe.close()


def _read(process: subprocess.Popen[bytes], seconds: float) -> tuple[bytes, bytes]:
    try:
        return process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired as expired:
        return expired.stdout or b"", expired.stderr or b""


class Lenient(Workspace):
    """Takes whatever it is given for something that could be meant."""

    async def execute_command(
        self,
        command: str,
        *,
        timeout: Any = None,  # noqa: ASYNC109 - the port's
        stdin: bytes | None = None,
    ) -> ExecutionResult:
        if not isinstance(timeout, int) or timeout < 1:
            timeout = None
        return await super().execute_command(command or ":", timeout=timeout, stdin=stdin)

    async def execute(
        self,
        code: str,
        language: str = "python",
        *,
        timeout: Any = None,  # noqa: ASYNC109 - the port's
    ) -> ExecutionResult:
        return await super().execute(code if code.strip() else "pass", timeout=timeout)

    def resolve_path(self, path: str, *, write: bool = False) -> str:
        return super().resolve_path(path or ".", write=write) if isinstance(path, str) else ""


class Generous(Workspace):
    """Lets a call have twenty times as long as is configured."""

    def __init__(self, config: WorkspaceConfig, *, hooks: HookManager | None = None) -> None:
        longer = dataclasses.replace(config, timeout_seconds=config.timeout_seconds * 20)
        super().__init__(longer, hooks=hooks)


class Lexical(Workspace):
    """Judges a path by its text, and gives it back as it is."""

    def resolve_path(self, path: str, *, write: bool = False) -> str:
        if os.path.normpath(path).startswith(".."):
            raise PermissionError(path)
        return path


class Secretive(Workspace):
    """Tells nobody."""

    def __init__(self, config: WorkspaceConfig, *, hooks: HookManager | None = None) -> None:
        super().__init__(config)


class Hoarder(Workspace):
    """Keeps a copy of its work directory in its place."""

    async def close(self) -> None:
        place = self._open.directory if self._open is not None else None
        await super().close()
        if place is not None and not place.exists():
            place.mkdir()
            LEFT.append(place)


class Sweeper(Workspace):
    """Removes a directory of the caller's."""

    async def close(self) -> None:
        place = self.config.directory
        await super().close()
        if place is not None:
            shutil.rmtree(place, ignore_errors=True)


class Clinging(Workspace):
    """Lets go on what runs when it is closed; only a second time does it close."""

    async def close(self) -> None:
        if self._closed:
            await super().close()
        self._closed = True


class Undead(Workspace):
    """Runs what it is given though it is closed."""

    async def execute(self, *_: Any, **__: Any) -> ExecutionResult:
        return ExecutionResult(exit_code=0)

    execute_command = execute


LEFT: list[Path] = []
"""Directories that an animal left behind, for the test to remove."""


@dataclass(frozen=True, kw_only=True)
class Animal:
    """A tier or workspace under test that is known to be broken.

    Attributes:
        engine: Its engine.
        make: Its workspace.
        options: Options of its configuration.
        slack_seconds: Added to every bound on time: less than nothing for one that is late, so that
            its lateness need not be long.
        breaks: The checks that must fail.
        lacks: Features that it says not to offer.
    """

    engine: type[Sound] = Sound
    make: Callable[..., Workspace] = Workspace
    options: dict[str, Any] = field(default_factory=dict)
    breaks: tuple[str, ...]
    lacks: tuple[WorkspaceFeature, ...] = ()
    slack_seconds: float = 0.0


ANIMALS: dict[str, Animal] = {
    "open": Animal(breaks=("access.isolation", "access.allowed-paths", "access.network-off")),
    "boastful": Animal(breaks=("access.network-promise",), lacks=(WorkspaceFeature.NETWORK_OFF,)),
    "mute": Animal(
        engine=Mute,
        breaks=("outcomes.python", "outcomes.command", "outcomes.traceback", "input.empty"),
    ),
    "text": Animal(engine=Text, breaks=("outcomes.bytes", "input.bytes")),
    "numbers": Animal(engine=TimeoutByNumber, breaks=("outcomes.code-124", "bounds.cpu")),
    "guess": Animal(engine=MemoryByGuess, breaks=("outcomes.signal", "bounds.memory-not")),
    "quick": Animal(engine=Quick, breaks=("outcomes.time",)),
    "forgetful": Animal(engine=Forgetful, breaks=("deadlines.partial-output",)),
    "patient": Animal(
        engine=Patient,
        breaks=("deadlines.partial-output", "deadlines.stubborn"),
        slack_seconds=-3.0,
    ),
    "listing": Animal(engine=Listing, breaks=("files.difference", "files.links", "files.names")),
    "amnesiac": Animal(engine=Amnesiac, breaks=("deadlines.next-call", "files.difference")),
    "strict": Animal(engine=Strict, breaks=("output.exact",)),
    "boundless": Animal(
        engine=Boundless,
        breaks=("bounds.memory", "bounds.memory-of-children", "bounds.file-size"),
    ),
    "crowded": Animal(engine=Crowded, breaks=("bounds.processes",)),
    "addresses": Animal(options={"limit_address_space": True}, breaks=("bounds.node",)),
    "verbose": Animal(engine=Verbose, breaks=("output.flood", "output.both")),
    "code-file": Animal(
        engine=CodeFile, breaks=("code.no-file", "code.replaced", "concurrency.code")
    ),
    "argument": Animal(engine=Argument, breaks=("code.size", "outcomes.import", "outcomes.shell")),
    "deaf": Animal(engine=Deaf, breaks=("input.bytes", "input.large", "concurrency.input")),
    "inherited": Animal(engine=Inherited, breaks=("access.environment",)),
    "elsewhere": Animal(engine=Elsewhere, breaks=("concurrency.workspaces",)),
    "renamed": Animal(engine=Renamed, breaks=("paths.backend",)),
    "one-by-one": Animal(
        engine=OneByOne, options={"timeout_seconds": 2}, breaks=("concurrency.parallel",)
    ),
    "touchy": Animal(engine=Touchy, breaks=("cancelling.alone",)),
    "nameless": Animal(engine=Nameless, breaks=("access.guarantees",)),
    "fallback": Animal(engine=Fallback, breaks=("closing.no-fallback",)),
    "naive": Animal(
        engine=Naive,
        options={"timeout_seconds": 5},
        breaks=(
            "access.environment",
            "cancelling.ends",
            "cancelling.timeout",
            "cancelling.twice",
            "deadlines.detached",
            "ending.background",
            "ending.deadline",
            "ending.detached",
            "input.unread",
        ),
        slack_seconds=-3.0,
    ),
    "lenient": Animal(
        make=Lenient, breaks=("outcomes.refusals", "deadlines.values", "paths.values")
    ),
    "generous": Animal(make=Generous, breaks=("deadlines.not-extended",)),
    "lexical": Animal(make=Lexical, breaks=("paths.inside", "paths.outside")),
    "secretive": Animal(make=Secretive, breaks=("events.every-call", "events.cancelled")),
    "hoarder": Animal(make=Hoarder, breaks=("closing.removed", "files.owner")),
    "sweeper": Animal(make=Sweeper, breaks=("closing.kept",)),
    "clinging": Animal(make=Clinging, options={"timeout_seconds": 2}, breaks=("closing.running",)),
    "undead": Animal(make=Undead, breaks=("closing.after", "access.directory")),
}
