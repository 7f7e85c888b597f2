"""Starting and stopping of loaded extensions: in order, in reverse, each at most once."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from harnest_ext import limits
from harnest_ext.errors import LoadError
from harnest_ext.runtime import rules
from harnest_ext.runtime.safely import ends_caller, place_in, type_name

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from harnest.extensions import ExtensionStartContext
    from harnest_ext.problem import Problem
    from harnest_ext.runtime.loading import LoadedExtension

__all__ = ["LifeCycle", "finished"]

_T = TypeVar("_T")


class LifeCycle:
    """The life of one set of extensions.

    Args:
        loaded: In starting order.
        context: Makes the start context of each.
        stop_seconds: What one ``stop`` may take, see ``limits.EXTENSION_STOP_SECONDS``.
    """

    def __init__(
        self,
        loaded: Sequence[LoadedExtension],
        context: Callable[[LoadedExtension], ExtensionStartContext],
        *,
        stop_seconds: float = limits.EXTENSION_STOP_SECONDS,
    ) -> None:
        self._waiting = list(loaded)
        self._attempted: list[LoadedExtension] = []
        self._stopping: LoadedExtension | None = None
        self._context = context
        self._stop_seconds = stop_seconds

    async def start(self) -> None:
        """Start every extension; a failure stops those that were attempted, in reverse.

        Raises:
            LoadError: The first failure, then those of the stops, by type.
            BaseException: A cancellation or an interrupt, itself, after the same stops.
        """
        failure = None
        while self._waiting and failure is None:
            each = self._waiting.pop(0)
            self._attempted.append(each)
            try:
                failure = await self._start(each)
            except BaseException:
                with suppress(asyncio.CancelledError):
                    await finished(self.stop())
                raise
        if failure is not None:
            later = await finished(self.stop())
            raise LoadError((failure, *later), unchanged="Everything that had started was stopped.")

    async def stop(self) -> list[Problem]:
        """Stop what was attempted, in reverse; return what failed."""
        problems = []
        while self._attempted:
            self._stopping = self._attempted.pop()
            problem = await self._stop(self._stopping)
            if problem is not None:
                problems.append(problem)
        self._stopping = None
        return problems

    @property
    def unstopped(self) -> tuple[str, ...]:
        """Names of what was started and did not stop yet; first the one that is about to."""
        stopping = [] if self._stopping is None else [self._stopping]
        return tuple(each.candidate.slug for each in (*stopping, *reversed(self._attempted)))

    async def _start(self, each: LoadedExtension) -> Problem | None:
        slug = each.candidate.slug
        try:
            await each.extension.start(self._context(each))
        except BaseException as error:
            if ends_caller(error):
                raise
            path, line = place_in(error, each.candidate.folder)
            return rules.START_FAILED.problem(
                f"The extension {slug!r} could not be started: {type_name(error)}.",
                path=str(path),
                line=line,
                got=type_name(error),
            )
        return None

    async def _stop(self, each: LoadedExtension) -> Problem | None:
        slug = each.candidate.slug
        task = asyncio.create_task(_awaited(each.extension.stop), name=f"stop {slug}")
        failed = await _bounded(task, self._stop_seconds)
        if failed is None:
            return None
        path, line = each.candidate.folder, None
        if isinstance(failed, BaseException):
            path, line = place_in(failed, path)
            failed = type_name(failed)
        return rules.STOP_FAILED.problem(
            f"The extension {slug!r} did not stop: {failed}.",
            path=str(path),
            line=line,
            got=failed,
        )


async def finished(work: Awaitable[_T]) -> _T:
    """Await bounded work to its end, however often the task is cancelled meanwhile.

    Args:
        work: What ends by itself.

    Raises:
        asyncio.CancelledError: The task was cancelled; the work has ended.
    """
    task = asyncio.ensure_future(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        raise asyncio.CancelledError
    return task.result()


async def _awaited(call: Callable[[], Awaitable[None]]) -> BaseException | None:
    # Caught here: an exit that leaves a task ends the event loop with it.
    try:
        await call()
    except asyncio.CancelledError:
        raise
    except BaseException as error:  # noqa: BLE001 - the extension's own code
        return error
    return None


async def _bounded(
    task: asyncio.Task[BaseException | None], seconds: float
) -> BaseException | str | None:
    await asyncio.wait({task}, timeout=seconds)
    if not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=limits.CANCELLED_STOP_SECONDS)
        return f"it took longer than {seconds:g} seconds"
    return "CancelledError" if task.cancelled() else task.result()
