"""Talking with a supervisor while its program runs: code in, output out, an eye on the control."""

from __future__ import annotations

import enum
import selectors
from typing import TYPE_CHECKING

from harnest.execution.local import limits
from harnest.sandbox.optional import OutputStream

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnest.execution.local.capture import Capture
    from harnest.execution.local.child import Child
    from harnest.sandbox.scope import SandboxControl

__all__ = ["Cause", "converse"]


class Cause(enum.Enum):
    """Why the host told the supervisor to stop."""

    NONE = enum.auto()
    DEADLINE = enum.auto()
    OUTPUT = enum.auto()


def converse(child: Child, capture: Capture, scope: SandboxControl) -> Cause:
    """Drive an execution to its end, at the latest to the scope's deadline.

    Args:
        child: The supervisor, just started.
        capture: Where the output goes.
        scope: Deadline and cancellation.

    Returns:
        Why the program was told to stop; it may have ended by itself at the same moment.

    Raises:
        SandboxCancelledError: The scope was cancelled; leaving the child's block ends everything.
        ValueError: The report is no report.
    """
    cause = Cause.NONE
    with selectors.DefaultSelector() as selector:
        _register(selector, child, capture)
        while not child.reporter.over and not child.overdue and child.report in _open(selector):
            for key, _ in selector.select(_pause(scope)):
                if key.data():
                    selector.unregister(key.fileobj)
            if cause is Cause.NONE:
                cause = _cause(capture, scope)
                if cause is not Cause.NONE:
                    child.stop()
    child.end()
    _drain(child, capture)
    return cause


def _register(selector: selectors.BaseSelector, child: Child, capture: Capture) -> None:
    def reads(descriptor: int, stream: OutputStream) -> Callable[[], bool]:
        return lambda: _transfer(child, descriptor, capture, stream)

    selector.register(child.stdin, selectors.EVENT_WRITE, child.send)
    selector.register(child.report, selectors.EVENT_READ, child.listen)
    for descriptor, stream in _streams(child):
        selector.register(descriptor, selectors.EVENT_READ, reads(descriptor, stream))


def _streams(child: Child) -> tuple[tuple[int, OutputStream], ...]:
    return (child.stdout, OutputStream.STDOUT), (child.stderr, OutputStream.STDERR)


def _open(selector: selectors.BaseSelector) -> set[int]:
    return {key.fd for key in selector.get_map().values()}


def _transfer(child: Child, descriptor: int, capture: Capture, stream: OutputStream) -> bool:
    data = child.read(descriptor)
    if data:
        capture.feed(stream, data)
    return data == b""


def _pause(scope: SandboxControl) -> float:
    remaining = scope.remaining()
    return limits.POLL_SECONDS if remaining is None else min(limits.POLL_SECONDS, remaining)


def _cause(capture: Capture, scope: SandboxControl) -> Cause:
    try:
        scope.check()
    except TimeoutError:
        return Cause.DEADLINE
    return Cause.OUTPUT if capture.overflowed else Cause.NONE


def _drain(child: Child, capture: Capture) -> None:
    """Take what is still in the pipes: nothing that could write to them is left.

    If something could not be killed and holds them, what there is now is taken; a writer faster
    than us is cut off by the budget.
    """
    for descriptor, stream in _streams(child):
        while (data := child.read(descriptor)) and not capture.dropped[stream]:
            capture.feed(stream, data)
    capture.close()
