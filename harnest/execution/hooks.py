"""Who is told of every execution."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypedDict

from harnest.execution import limits
from harnest.logging import get_logger

__all__ = ["HookContext", "HookEvent", "HookManager", "Listener", "SandboxExecData"]

_LOG = get_logger("execution.hooks")


class HookEvent(enum.StrEnum):
    """What can be observed."""

    SANDBOX_EXEC = "sandbox_exec"
    """A call of ``execute`` or ``execute_command`` is over, however it ended, refused ones too."""


class SandboxExecData(TypedDict):
    """What an event of :attr:`HookEvent.SANDBOX_EXEC` says, and nothing beside it.

    The values are those of the :class:`~harnest.execution.ExecutionResult`. A call that raised has
    none, so its ``exit_code`` is None; ``execution_time_ms`` is 0 if nothing was run, as for wrong
    arguments, and never otherwise.
    """

    kind: Literal["execute", "execute_command"]
    tier: str
    exit_code: int | None
    timed_out: bool
    execution_time_ms: int
    denials: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HookContext:
    """One event.

    Attributes:
        event: Which.
        data: What it says; a copy of the listener's own.
    """

    event: HookEvent
    data: SandboxExecData


Listener: TypeAlias = Callable[[HookContext], Awaitable[None] | None]
"""A function or coroutine function that takes the event."""


@dataclass(frozen=True, slots=True, eq=False)
class _Registration:
    """One time that a listener was added: the same one may be added again."""

    listener: Listener


class HookManager:
    """The listeners of any number of backends, told in the order in which they came.

    A listener that raises is logged by the type of its exception and changes nothing: neither the
    execution nor what other listeners are told. An asynchronous one is given up after
    :data:`~harnest.execution.limits.LISTENER_SECONDS`; a plain function runs in the event loop.
    """

    def __init__(self) -> None:
        self._registered: dict[HookEvent, list[_Registration]] = {event: [] for event in HookEvent}

    def on(self, event: HookEvent | str, listener: Listener) -> Callable[[], None]:
        """Add a listener; added twice it is told twice.

        Args:
            event: Which events it wants.
            listener: What to call.

        Returns:
            A function that takes this registration back; calling it again changes nothing.

        Raises:
            TypeError: It can't be called.
            ValueError: There is no such event.
        """
        if not callable(listener):
            raise TypeError(f"a listener must be callable, not {type(listener).__name__}")
        registered = self._registered[_known(event)]
        entry = _Registration(listener)
        registered.append(entry)

        def unsubscribe() -> None:
            if entry in registered:
                registered.remove(entry)

        return unsubscribe

    def off(self, event: HookEvent | str, listener: Listener) -> None:
        """Take back every registration of a listener; one that was never added is no error.

        Args:
            event: Which events it no longer wants.
            listener: What was given to :meth:`on`.

        Raises:
            ValueError: There is no such event.
        """
        registered = self._registered[_known(event)]
        registered[:] = [entry for entry in registered if entry.listener != listener]

    async def emit(self, event: HookEvent | str, data: SandboxExecData) -> None:
        """Tell every listener, one after the other.

        Args:
            event: What happened.
            data: What there is to say; each listener gets a copy.

        Raises:
            ValueError: There is no such event.
        """
        known = _known(event)
        for entry in tuple(self._registered[known]):
            context = HookContext(event=known, data=data.copy())
            failure = await _told(entry.listener, context)
            if failure:
                # In the text as well: where no logging is set up, it is all that is printed.
                text = f"listener of {known.value} failed with {failure}"
                _LOG.warning(text, event=known.value, error=failure)


def _known(event: HookEvent | str) -> HookEvent:
    try:
        return HookEvent(event)
    except ValueError:
        names = ", ".join(known.value for known in HookEvent)
        raise ValueError(f"event must be one of: {names}; not {event!r:.80}") from None


async def _told(listener: Listener, context: HookContext) -> str:
    """Call one listener; return the type of what it failed with, or an empty text."""
    import asyncio  # noqa: PLC0415 - whoever emits has it; whoever only imports this may not

    try:
        answer = listener(context)
        if not inspect.isawaitable(answer):
            return ""
        # In a task of its own: whatever ends it, its own cancellation too, ends nothing else.
        task = asyncio.ensure_future(answer)
    except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - third-party code; an observer changes nothing
        return type(error).__name__
    try:
        await asyncio.wait([task], timeout=limits.LISTENER_SECONDS)
    finally:
        if not task.done():
            task.cancel()
    if not task.done() or task.cancelled():
        return "TimeoutError" if not task.done() else "CancelledError"
    failure = task.exception()
    return "" if failure is None else type(failure).__name__
