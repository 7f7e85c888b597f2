"""Starting and stopping of loaded extensions: in order, in reverse, each at most once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.errors import LoadError
from harnest_ext.runtime import rules
from harnest_ext.runtime.safely import type_name

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from harnest.extensions import ExtensionStartContext
    from harnest_ext.problem import Problem
    from harnest_ext.runtime.loading import LoadedExtension

__all__ = ["LifeCycle"]


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
                await _uninterrupted(self.stop())
                raise
        if failure is not None:
            later = await _uninterrupted(self.stop())
            raise LoadError((failure, *later), unchanged="Everything that had started was stopped.")

    async def stop(self) -> list[Problem]:
        """Stop what was attempted, in reverse; return what failed."""
        problems = []
        while self._attempted:
            problem = await self._stop(self._attempted.pop())
            if problem is not None:
                problems.append(problem)
        return problems

    async def _start(self, each: LoadedExtension) -> Problem | None:
        slug = each.candidate.slug
        try:
            await each.extension.start(self._context(each))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the extension's own code
            return rules.START_FAILED.problem(
                f"The extension {slug!r} could not be started: {type_name(error)}.",
                path=slug,
                got=type_name(error),
            )
        return None

    async def _stop(self, each: LoadedExtension) -> Problem | None:
        slug = each.candidate.slug
        task = asyncio.create_task(_awaited(each.extension.stop), name=f"stop {slug}")
        failed = await _bounded(task, self._stop_seconds)
        if failed is None:
            return None
        return rules.STOP_FAILED.problem(
            f"The extension {slug!r} did not stop: {failed}.", path=slug, got=failed
        )


async def _awaited(call: Callable[[], Awaitable[None]]) -> None:
    await call()


async def _bounded(task: asyncio.Task[None], seconds: float) -> str | None:
    await asyncio.wait({task}, timeout=seconds)
    if not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=limits.CANCELLED_STOP_SECONDS)
        task.add_done_callback(_forget)
        return f"it took longer than {seconds:g} seconds"
    return _forget(task)


def _forget(task: asyncio.Task[None]) -> str | None:
    # Asking for the exception keeps the loop from logging it with its text.
    if task.cancelled():
        return "CancelledError"
    error = task.exception()
    return None if error is None else type_name(error)


async def _uninterrupted(stopping: Awaitable[list[Problem]]) -> list[Problem]:
    # Each stop is bounded, so waiting for all of them through further cancellations is too.
    task = asyncio.ensure_future(stopping)
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            continue
    return task.result()
