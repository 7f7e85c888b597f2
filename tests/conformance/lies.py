"""Workspaces that break a promise in one point: each is what one assertion of a check is there for.

All are the sound engine below a workspace that tells something else of one call, or does something
else beside it.
"""

from __future__ import annotations

import asyncio
import copy
import re
import subprocess
import time
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harnest.execution import (
    ExecutionResult,
    HookManager,
    TierUnavailableError,
    Workspace,
    WorkspaceConfig,
)
from harnest_ext.conformance import WorkspaceFeature
from tests.support.waiting import until

from .tiers import Animal, Sound

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

__all__ = ["BEATING", "LIARS"]

BEATING: list[subprocess.Popen[bytes]] = []
"""What was left running, for the test to end."""

HASTE_SECONDS = -9.5
"""Slack of the late: their lateness need not be long then."""
LATE_SECONDS = 1.0


@dataclass(frozen=True, kw_only=True)
class Lie:
    """What is told of a call in place of the truth.

    Attributes:
        of: Which calls: an expression that is found in their text.
        changes: Values of the result.
        number: Which of them, from 1; 0 for all.
        instead: The call is not carried out, and no check of it is made.
        late: It comes back late.
        then: Does something after it; is given the work directory and the call's text.
    """

    of: str
    changes: dict[str, Any]
    number: int = 0
    instead: bool = False
    late: bool = False
    then: Callable[[Path, str], object] = lambda _folder, _text: None


class Lying(Workspace):
    """Tells lies.

    Args:
        config: Its configuration.
        hooks: Told the truth.
        lies: What it tells.
    """

    def __init__(
        self,
        config: WorkspaceConfig,
        *,
        hooks: HookManager | None = None,
        lies: tuple[Lie, ...] = (),
    ) -> None:
        super().__init__(config, hooks=hooks)
        self._lies = lies
        self._seen = dict.fromkeys(range(len(lies)), 0)

    async def execute_command(self, command: str, **options: Any) -> ExecutionResult:
        return await self._told(command, partial(super().execute_command, command, **options))

    async def execute(self, code: str, *arguments: Any, **options: Any) -> ExecutionResult:
        return await self._told(code, partial(super().execute, code, *arguments, **options))

    def resolve_path(self, path: str, *, write: bool = False) -> str:
        lie = self._lie(path) if isinstance(path, str) else None
        return super().resolve_path(path, write=write) if lie is None else "/elsewhere"

    async def _told(
        self, text: str, truth: Callable[[], Awaitable[ExecutionResult]]
    ) -> ExecutionResult:
        lie = self._lie(text)
        if lie is None:
            return await truth()
        result = ExecutionResult(exit_code=0) if lie.instead else copy.copy(await truth())
        if lie.late:
            await asyncio.sleep(LATE_SECONDS)
        if self._open is not None:
            lie.then(self.directory, text)
        for name, value in lie.changes.items():
            object.__setattr__(result, name, value)
        return result

    def _lie(self, text: str) -> Lie | None:
        for place, lie in enumerate(self._lies):
            if re.search(lie.of, text):
                self._seen[place] += 1
                if lie.number in (0, self._seen[place]):
                    return lie
        return None


class Numb(Workspace):
    """Lets no cancellation out: its calls return."""

    async def execute_command(self, command: str, **options: Any) -> ExecutionResult:
        try:
            return await super().execute_command(command, **options)
        except asyncio.CancelledError:
            return ExecutionResult()


class Hesitant(Workspace):
    """Thinks for a while before it lets a cancellation out, and before it closes."""

    async def execute_command(self, command: str, **options: Any) -> ExecutionResult:
        try:
            return await super().execute_command(command, **options)
        except asyncio.CancelledError:
            time.sleep(LATE_SECONDS)  # noqa: ASYNC251 - the habit itself
            raise

    async def close(self) -> None:
        await asyncio.sleep(LATE_SECONDS)
        await super().close()


class Telling(Workspace):
    """Tells its listeners something else.

    Args:
        config: Its configuration.
        hooks: Whom it tells.
        change: What.
    """

    def __init__(
        self,
        config: WorkspaceConfig,
        *,
        hooks: HookManager | None = None,
        change: dict[str, Any],
    ) -> None:
        told = HookManager()
        if hooks is not None:
            told.emit = lambda event, data: hooks.emit(event, data | change)  # type: ignore[assignment, method-assign, operator]
        super().__init__(config, hooks=told)


class Shown(WorkspaceConfig):
    """A configuration that shows everything."""

    def __repr__(self) -> str:
        return repr(dict(self.environment))


class Open(Workspace):
    """Shows what it was made with."""

    def __init__(self, config: WorkspaceConfig, *, hooks: HookManager | None = None) -> None:
        values = {item.name: getattr(config, item.name) for item in fields(config)}
        super().__init__(Shown(**values), hooks=hooks)


class Modest(Workspace):
    """Says that tools work on the host."""

    @property
    def owns_filesystem(self) -> bool:
        """Whether they work inside."""
        return False

    def resolve_path(self, path: str, *, write: bool = False) -> str:
        truth = Workspace(self.config)
        truth._open = self._open
        return truth.resolve_path(path, write=write)


class Haunted(Workspace):
    """Leaves something running when it is closed."""

    async def close(self) -> None:
        place = self.config.directory
        await super().close()
        assert place is not None
        _beat(Path(place))


def _beat(folder: Path) -> None:
    beats = ["/bin/sh", "-c", "while echo x >> beat; do :; done"]
    path = folder / "beat"
    before = path.stat().st_size if path.exists() else 0
    BEATING.append(subprocess.Popen(beats, cwd=folder, stderr=subprocess.DEVNULL))
    until(lambda: path.stat().st_size > before if path.exists() else False)


class Restarting(Workspace):
    """Can be started again, it says."""

    async def start(self) -> None:
        if not self._closed:
            await super().start()


class Reviving(Workspace):
    """Runs what it is given though its tier is not available."""

    async def start(self) -> None:
        raise TierUnavailableError("animal", "it is tired", "Let it sleep.")

    async def execute_command(self, *_: Any, **__: Any) -> ExecutionResult:
        return ExecutionResult(exit_code=1)


class Twice(Sound):
    """Promises everything twice."""

    guarantees = Sound.guarantees * 2


def telling(*lies: Lie, of: str, late: bool = False) -> Animal:
    """Return what breaks one check by lies."""
    slack = HASTE_SECONDS if late else 0.0
    return Animal(make=partial(Lying, lies=lies), breaks=(of,), slack_seconds=slack)


def told(of: str, call: str, **changes: Any) -> Animal:
    """Return what tells something else of some calls of a check."""
    return telling(Lie(of=call, changes=changes), of=of)


def made_up(of: str, call: str, **changes: Any) -> Animal:
    """Return what answers some calls of a check without carrying them out."""
    return telling(Lie(of=call, changes=changes, instead=True), of=of)


def late(of: str, call: str, number: int = 0, **changes: Any) -> Animal:
    """Return what answers a call of a check too late, otherwise as it should."""
    lie = Lie(of=call, changes=changes, number=number, instead=True, late=True)
    return telling(lie, of=of, late=True)


def spoiled(of: str, call: str, then: Callable[[Path, str], object], **changes: Any) -> Animal:
    """Return what does something after a call, and tells something else of it."""
    return telling(Lie(of=call, changes=changes, then=then), of=of)


def _quoted(text: str) -> Path:
    found = re.search("'(/[^']*)'", text)
    assert found is not None
    return Path(found[1])


def _rewritten(folder: Path, _text: str) -> None:
    (folder / "d").chmod(0o700)
    (folder / "d" / "f").write_text("other")


LIARS: dict[str, Animal] = {
    "other code of a traceback": told("outcomes.traceback", "1 / 0", exit_code=2),
    "other bytes": told("outcomes.bytes", "printf", stdout_bytes=b"x"),
    "other text": told("outcomes.bytes", "printf", stdout=""),
    "no time": told("outcomes.time", "^:$", execution_time_ms=0),
    "any language": made_up("outcomes.refusals", "^1$"),
    "blank code": made_up("outcomes.refusals", "^ $"),
    "blank command": made_up("outcomes.refusals", "^$"),
    "a NUL": made_up("outcomes.refusals", "\0"),
    "a lone surrogate": made_up("outcomes.refusals", "\ud800"),
    "no end of input": late("input.empty", "^cat", stdout="-\n"),
    "input of a command": told("input.empty", "^cat", stdout="x-\n"),
    "input of a program": told("input.empty", "stdin.read", stdout="'x'\n"),
    "other input": told("input.large", "sha256sum", stdout="0 -\n"),
    "half of the input": spoiled(
        "input.large", "sha256sum", lambda folder, _: (folder / "file").write_bytes(b"")
    ),
    "unread input": told("input.unread", "echo done", stdout=""),
    "waiting to be read": late("input.unread", "echo done", stdout="done\n"),
    "code of the late": told("deadlines.partial-output", ": > begun", exit_code=124),
    "silence of the stubborn": told("deadlines.stubborn", "SIG_IGN", stdout=""),
    "silence of the detached": told("deadlines.detached", "setsid", stdout=""),
    "not late": told("deadlines.next-call", "sleep 600", timed_out=False),
    "silence of the next": told("deadlines.next-call", "^cat note", stdout=""),
    "numb": Animal(
        make=Numb,
        breaks=(
            "cancelling.ends",
            "cancelling.twice",
            "cancelling.timeout",
            "cancelling.alone",
            "events.cancelled",
        ),
    ),
    "hesitant": Animal(
        make=Hesitant,
        breaks=("cancelling.ends", "cancelling.twice", "cancelling.timeout", "closing.running"),
        slack_seconds=HASTE_SECONDS,
    ),
    "silence of the other": told("cancelling.alone", "-e go", stdout=""),
    "silence beside a job": told("ending.background", "echo done", stdout=""),
    "waiting for a job": late("ending.background", "echo done", stdout="done\n"),
    "silence beside the detached": told("ending.detached", "setsid", stdout=""),
    "waiting for the detached": late("ending.detached", "setsid", stdout="done\n"),
    "a job after a deadline": spoiled(
        "ending.deadline", "sleep 600", lambda folder, _: _beat(folder)
    ),
    "no deadline": told("ending.deadline", "sleep 600", timed_out=False),
    "silence of the first": told("concurrency.workspaces", "echo on", stdout=""),
    "a file of a program": told("code.no-file", "listdir", stdout="['code.py']\n"),
    "a file of a command": told("code.no-file", "^ls -A", stdout="code\n"),
    "silence of the replacing": told("code.replaced", "replaced", stdout=""),
    "silence of the next program": told("code.replaced", "next", stdout=""),
    "silence of the next command": told("code.replaced", "^cat$", stdout=""),
    "cut code": told("code.size", "aaaa", stdout="1\n"),
    "a flood for long": late(
        "output.flood", "^yes$", truncated=True, exit_code=None, stdout_bytes=b"y\n" * 5000
    ),
    "a flood that ends": told("output.flood", "^yes$", exit_code=0),
    "a flood that is late": told("output.flood", "^yes$", timed_out=True),
    "whole floods": told("output.both", "yes", truncated=False),
    "cut at the budget": told("output.exact", "print", stdout_bytes=b"x"),
    "no file first": told("files.difference", "^mkdir", files_created=()),
    "no file after": told("files.difference", "^rm", files_created=()),
    "a file that was read": told("files.difference", "^cat", files_created=("new",)),
    "rewritten": spoiled("files.owner", "chmod 0 d", _rewritten),
    "memory untold": told("bounds.memory", "500 << 20", memory_exceeded=False),
    "memory had": told("bounds.memory", "500 << 20", stdout="x"),
    "processes had": telling(
        Lie(of="fork", changes={"stdout": ""}, number=1), of="bounds.processes"
    ),
    "processes had later": telling(
        Lie(of="fork", changes={"stdout": ""}, number=2), of="bounds.processes"
    ),
    "successful computing": told("bounds.cpu", "while True", exit_code=0),
    "another file": told("paths.inside", "^out/report"),
    "another absolute file": told("paths.inside", "/a$"),
    "another directory": told("paths.inside", r"^\.$"),
    "modest": Animal(make=Modest, breaks=("paths.backend",)),
    "silence inside": told("paths.backend", "^cat", stdout=""),
    "a way out": told("paths.backend", "^/etc/passwd$"),
    "another variable": told("access.environment", "GIVEN", stdout="other\n"),
    "a variable of the host": told(
        "access.environment", "GIVEN", stdout="it's\nHARNEST_CONFORMANCE_MARK=set\n"
    ),
    "shown": Animal(make=Open, breaks=("access.environment",)),
    "silence without a network": told("access.network-promise", "echo on", stdout=""),
    "a secret": made_up("access.isolation", "cat", stdout="secret"),
    "a written secret": told("access.isolation", "cat", stdout=""),
    "an unread path": made_up("access.allowed-paths", "cat", stdout=""),
    "a written path": told("access.allowed-paths", "cat", stdout="textkept\n"),
    "a path with more": telling(
        Lie(
            of="cat",
            changes={"stdout": "textkept\n"},
            instead=True,
            then=lambda _, text: _quoted(text).with_name("new").touch(),
        ),
        of="access.allowed-paths",
    ),
    "everything twice": Animal(engine=Twice, breaks=("access.guarantees",)),
    "an event with more": Animal(
        make=partial(Telling, change={"command": ""}), breaks=("events.every-call",)
    ),
    "other events": Animal(
        make=partial(Telling, change={"exit_code": 0}), breaks=("events.every-call",)
    ),
    "timeless events": Animal(
        make=partial(Telling, change={"execution_time_ms": 0}), breaks=("events.every-call",)
    ),
    "events of another": Animal(
        make=partial(Telling, change={"tier": "process"}), breaks=("events.every-call",)
    ),
    "other content": telling(
        Lie(
            of="^echo text",
            changes={},
            then=lambda folder, _: (folder / "file").write_text("other"),
        ),
        Lie(of="^cat file", changes={"stdout": "text\n"}),
        of="closing.kept",
    ),
    "silence of the kept": told("closing.kept", "^cat file", stdout=""),
    "haunted": Animal(make=Haunted, breaks=("closing.running",)),
    "eager": telling(Lie(of="print", changes={}, number=1, instead=True), of="closing.after"),
    "undying": made_up("closing.after", "^echo$"),
    "restarting": Animal(make=Restarting, breaks=("closing.after",)),
    "success of nothing": made_up("closing.no-fallback", "^touch"),
    "reviving": Animal(make=Reviving, breaks=("closing.no-fallback",)),
    "failure of something": telling(
        Lie(
            of="^touch",
            changes={"exit_code": 127},
            instead=True,
            then=lambda _, text: _quoted(text).touch(),
        ),
        of="closing.no-fallback",
    ),
    "unconcerned": Animal(
        make=Reviving, breaks=("access.network-promise",), lacks=(WorkspaceFeature.NETWORK_OFF,)
    ),
    "other content by a tool": told("tools.names", r"^cat \./", stdout=""),
    "other sizes by a tool": told("tools.pieces", "^wc", stdout="1 1\n"),
    "another limit": told("tools.limit", "sleep 600", stdout=""),
    "no limit": late("tools.limit", "sleep 600", stdout="on\n", timed_out=True),
    "silence of tools": told("tools.host", "^cat", stdout=""),
    "silence of tools inside": told("tools.backend", "^cat", stdout=""),
}
"""Every lie by what is told."""
