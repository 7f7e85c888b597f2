"""One command of the caller's, from its start to the end of everything that it started."""

from __future__ import annotations

import math
import secrets
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harnest.execution import BackendError
from harnest.sandbox.optional import OutputStream

from .. import limits
from ..errors import GatewayRefusedError
from ..gateway.port import Exec, Phase, Stream
from . import scripts
from .pump import Pump

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harnest.execution.local import Capture
    from harnest.sandbox.scope import SandboxControl

    from .box import Box

__all__ = ["Command", "Ended", "run"]

_FOREVER = 10**6
_OVER = {Phase.COMPLETED, Phase.DELETING, Phase.STOPPED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What to run.

    Attributes:
        arguments: The program and its arguments.
        last: One more argument, which may be longer than a gateway takes; None for none.
        stdin: Its input, of any length.
        environment: Its own variables.
        directory: Where it runs.
    """

    arguments: Sequence[str] = field(repr=False)
    directory: str
    last: str | None = field(default=None, repr=False)
    stdin: bytes = field(default=b"", repr=False)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How it ended; nothing of it is running.

    Attributes:
        exit_code: Its own exit code; None if it was ended.
        timed_out: Whether its deadline ended it.
        started: Whether it was begun.
        milliseconds: From its start to its end.
    """

    exit_code: int | None
    timed_out: bool
    started: bool = True
    milliseconds: int = 1


class _Killed(Exception):
    """The gateway gave the command up before we did."""


def run(box: Box, command: Command, capture: Capture, scope: SandboxControl) -> Ended:
    """Run a command to its end, the scope's deadline, or more output than is taken.

    Args:
        box: Where.
        command: What.
        capture: Where its output goes; what its sink raises ends the command and is raised.
        scope: Deadline and cancellation.

    Raises:
        BackendError: The gateway failed, or what was started could not be ended.
        SandboxCancelledError: The scope was cancelled; everything of the command has ended.
    """
    folder, token = box.folder(), secrets.token_hex(16)
    try:
        call = _prepared(box, command, folder, token, scope)
        scope.check()
    except BaseException as error:
        box.helper(scripts.DISCARD, folder, seconds=limits.KILL_SECONDS)
        if isinstance(error, TimeoutError):
            return Ended(exit_code=None, timed_out=True, started=False)
        raise
    begin = time.monotonic()
    pump = Pump(box.gateway.start_exec(call, call.timeout_seconds + limits.RPC_SECONDS))
    try:
        code = _watched(box, pump, folder, capture, scope)
    except (TimeoutError, _Killed):
        _end(box, pump, folder, token, capture)
        return Ended(exit_code=None, timed_out=True, milliseconds=_since(begin))
    except BaseException:
        _end(box, pump, folder, token, None)
        raise
    finally:
        pump.close()
    if code is None:
        _kill(box, folder, token)
    return Ended(exit_code=code, timed_out=False, milliseconds=_since(begin))


def _prepared(box: Box, command: Command, folder: str, token: str, scope: SandboxControl) -> Exec:
    arguments, stdin = list(command.arguments), command.stdin
    if command.last is not None:
        if len(command.last.encode()) > limits.INLINE_COMMAND_BYTES:
            box.stage(folder, "command", command.last.encode(), scope.check)
        else:
            arguments.append(command.last)
    if len(stdin) > limits.PIECE_BYTES:
        box.stage(folder, "stdin", stdin, scope.check)
        stdin = b""
    remaining = scope.remaining()
    seconds = _FOREVER if remaining is None else math.ceil(remaining)
    return Exec(
        sandbox=box.name,
        command=(
            "/bin/sh",
            "-c",
            scripts.RUNNER,
            "harnest",
            folder,
            token,
            command.directory,
            *arguments,
        ),
        stdin=stdin,
        environment=command.environment,
        directory="/",
        timeout_seconds=seconds + limits.GATEWAY_SLACK_SECONDS,
    )


def _watched(
    box: Box, pump: Pump, folder: str, capture: Capture, scope: SandboxControl
) -> int | None:
    """Take output until the end; return its exit code, or None if it wrote too much."""
    while True:
        scope.check()
        remaining = scope.remaining()
        wait = limits.SLICE_SECONDS if remaining is None else min(limits.SLICE_SECONDS, remaining)
        try:
            event = pump.next(wait)
        except EOFError as error:
            raise BackendError(f"{error}; what became of it is not known") from None
        if event is None:
            continue
        if event.stream is Stream.EXIT:
            return _own_code(box, folder, event.exit_code)
        capture.feed(OutputStream(event.stream), event.data)
        if capture.overflowed:
            return None


def _own_code(box: Box, folder: str, code: int) -> int:
    if code not in scripts.OWN_CODES:
        return code
    said = box.helper(scripts.STATUS, folder, seconds=limits.STATUS_SECONDS).decode().split()
    if said == ["exit", str(code)]:
        return code
    if said[:1] == ["refused"]:
        raise BackendError(f"the command could not be started in the sandbox: {said[1:]}")
    if code == scripts.TIMED_OUT:
        raise _Killed
    raise BackendError("the command could not be started in the sandbox")


def _end(box: Box, pump: Pump, folder: str, token: str, capture: Capture | None) -> None:
    """End everything of the command; take what it wrote before, if somebody wants it."""
    _kill(box, folder, token)
    if capture is None:
        return
    limit = time.monotonic() + limits.DRAIN_SECONDS
    while (left := limit - time.monotonic()) > 0:
        try:
            event = pump.next(left)
        except (EOFError, GatewayRefusedError):
            return  # it was ended: how its stream ends says nothing more
        if event is None or event.stream is Stream.EXIT:
            return
        capture.feed(OutputStream(event.stream), event.data)


def _kill(box: Box, folder: str, token: str) -> None:
    try:
        box.helper(scripts.KILLER, folder, token, seconds=limits.KILL_SECONDS)
    except GatewayRefusedError as error:
        if not _is_over(box):
            raise BackendError(
                f"a command in the sandbox {box.name} could not be ended and may still run: {error}"
            ) from None


def _is_over(box: Box) -> bool:
    """Return whether the sandbox has ended, and every command with it."""
    try:
        return box.gateway.get(box.name, limits.RPC_SECONDS).phase in _OVER
    except GatewayRefusedError as error:
        return error.code == "NOT_FOUND"


def _since(begin: float) -> int:
    return max(1, round((time.monotonic() - begin) * 1000))
