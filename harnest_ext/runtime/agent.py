"""An agent project, opened: its extensions run, its agents' invocations have their grants."""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self

from harnest.extensions import ExtensionStartContext
from harnest_ext import limits
from harnest_ext.errors import LoadError
from harnest_ext.runtime import rules
from harnest_ext.runtime.authority import StartAuthority
from harnest_ext.runtime.background import BackgroundLoop, LoopBlockedError
from harnest_ext.runtime.grants import refuse_agent, undeclared_grants
from harnest_ext.runtime.invocation import Invocation, new_identity
from harnest_ext.runtime.lifecycle import LifeCycle, finished
from harnest_ext.runtime.opening import open_project

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harnest.credentials import CredentialProvider
    from harnest.extensions._start import Framework
    from harnest_ext.distributions import EnvironmentView
    from harnest_ext.problem import Problem
    from harnest_ext.runtime.loading import LoadedExtension
    from harnest_ext.runtime.planning import OnBroken
    from harnest_ext.runtime.running import Running

__all__ = ["AgentRuntime"]


class AgentRuntime:
    """One run of an agent project; a context manager, sync and async.

    ::

        with AgentRuntime(".") as runtime, runtime.invocation(agent_name="assistant"):
            print(context.sandboxes["python"].execute("print(6 * 7)").stdout)

    Used without asyncio it keeps an event loop in a thread of its own, in which the extensions'
    tasks live. It is started once and closed once.

    Args:
        project_dir: The agent project's folder.
        on_broken: ``raise`` refuses a project with a broken extension or sandbox file, ``skip``
            goes on without it and everything that requires it.
        framework: The agent framework that drives it, told to extensions at start.
        credentials: A provider to use instead of the one that ``config.yaml`` chooses.
        environment: What the environment brings; by default what is installed.
    """

    def __init__(
        self,
        project_dir: str | Path,
        *,
        on_broken: OnBroken = "raise",
        framework: Framework = "none",
        credentials: CredentialProvider | None = None,
        environment: EnvironmentView | None = None,
    ) -> None:
        if on_broken not in {"raise", "skip"}:
            raise ValueError("on_broken must be 'raise' or 'skip'")
        if framework not in {"adk", "langgraph", "none"}:
            raise ValueError("framework must be 'adk', 'langgraph' or 'none'")
        self._folder = Path(project_dir)
        self._on_broken: OnBroken = on_broken
        self._framework: Framework = framework
        self._credentials = credentials
        self._environment = environment
        self._running: Running | None = None
        self._life: LifeCycle | None = None
        self._loop: BackgroundLoop | None = None
        self._used = False
        self._changing = threading.Lock()
        self._changer: int | None = None

    @property
    def running(self) -> Running:
        """The opened project.

        Raises:
            LoadError: rule ``runtime.state``: the runtime is not started, or closed.
        """
        if self._running is None:
            raise LoadError(rules.RUNTIME_STATE.problem("The runtime is not running."))
        return self._running

    @property
    def notes(self) -> tuple[Problem, ...]:
        """What a reader should know: what was skipped or shadowed, and grants that lead nowhere."""
        plan = self.running.active.plan
        skipped = (problem for problems in plan.skipped.values() for problem in problems)
        grants = undeclared_grants(self.running)
        return (*plan.notes, *skipped, *self.running.catalog.broken.values(), *grants)

    def start(self) -> None:
        """Open the project and start its extensions; does nothing while it runs.

        Raises:
            HarnestExtensionError: The project can't be used, or rule ``runtime.state``: it was
                closed before.
            LoadError: An extension is broken, failed, or belongs to another running runtime.
        """
        with self._alone():
            if not self._begin():
                return
            running = self._open()
            self._loop = BackgroundLoop()
            try:
                self._loop.run(self._start(running))
            except BaseException:
                self._end_loop(limits.EXTENSION_STOP_SECONDS)
                raise

    async def astart(self) -> None:
        """Do the same in the running event loop."""
        if self._begin():
            await self._start(self._open())

    def close(self) -> None:
        """Revoke every invocation, close every provider, stop every extension. Repeatable.

        Raises:
            LoadError: Something did not close or stop; everything else was. Or rule
                ``runtime.state``: it was started in an event loop, whose extensions only
                :meth:`aclose` can stop.
        """
        with self._alone():
            self._close()

    def _close(self) -> None:
        loop = self._loop
        if loop is None:
            if self._running is not None:
                raise LoadError(
                    rules.RUNTIME_STATE.problem(
                        "A runtime that was started with astart() is closed with aclose()."
                    )
                )
            return
        running, life, seconds = self._running, self._life, limits.EXTENSION_STOP_SECONDS
        try:
            problems = loop.run(self._shut(), patience=seconds)
        except LoopBlockedError:
            problems, seconds = self._left(running, life), 0
        finally:
            problems_of_loop = self._end_loop(seconds)
        _raise([*problems, *problems_of_loop])

    async def aclose(self) -> None:
        """Do the same without blocking the running event loop."""
        if self._loop is not None:
            await asyncio.to_thread(self.close)
        else:
            _raise(await self._shut())

    def invocation(
        self,
        *,
        agent_name: str,
        user_id: str | None = None,
        session_id: str | None = None,
        invocation_id: str | None = None,
    ) -> Invocation:
        """Return an invocation; it begins when it is entered, with ``with`` or ``async with``.

        Args:
            agent_name: One of the agents in ``config.yaml``.
            user_id: Whom it acts for.
            session_id: The conversation that it belongs to.
            invocation_id: Its own identity; made up when it is None.

        Raises:
            ContextResourceError: The project declares no such agent.
            LoadError: The runtime is not running.
            TypeError: A part of the identity is neither str nor None.
        """
        running = self.running
        for part in (agent_name, user_id or "", session_id or "", invocation_id or ""):
            if not isinstance(part, str):
                raise TypeError("the parts of an identity must be str")
        if agent_name not in running.config.agents:
            raise refuse_agent(running, agent_name)
        return Invocation(running, new_identity(agent_name, user_id, session_id, invocation_id))

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        await self.astart()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        # Threads that start or close at once take turns. A signal's handler can't wait for the
        # call that it interrupted.
        if self._changer == threading.get_ident():
            raise LoadError(
                rules.RUNTIME_STATE.problem(
                    "The runtime is being started or closed in this thread."
                )
            )
        with self._changing:
            self._changer = threading.get_ident()
            try:
                yield
            finally:
                self._changer = None

    def _begin(self) -> bool:
        if self._running is not None:
            return False
        if self._used:
            raise LoadError(rules.RUNTIME_STATE.problem("A runtime is not started twice."))
        self._used = True
        return True

    def _open(self) -> Running:
        return open_project(
            self._folder,
            owner=self,
            on_broken=self._on_broken,
            credentials=self._credentials,
            environment=self._environment,
        )

    async def _start(self, running: Running) -> None:
        life = LifeCycle(tuple(running.active.loaded.values()), self._start_context(running))
        try:
            await life.start()
        except BaseException:
            running.release(self)
            raise
        self._running, self._life = running, life

    def _start_context(
        self, running: Running
    ) -> Callable[[LoadedExtension], ExtensionStartContext]:
        def make(each: LoadedExtension) -> ExtensionStartContext:
            return ExtensionStartContext(
                extension_name=each.candidate.slug,
                framework=self._framework,
                root_agent_name=running.config.name,
                authority=StartAuthority(running.authorities, each.candidate.slug),
            )

        return make

    async def _shut(self) -> list[Problem]:
        running, life, self._running = self._running, self._life, None
        if running is None or life is None:
            return []
        problems: list[Problem] = []
        try:
            problems += await asyncio.to_thread(running.close_invocations)
        finally:
            # An interrupt while the providers close must not keep the extensions from stopping.
            try:
                problems += await finished(life.stop())
            finally:
                running.release(self)
        return problems

    def _left(self, running: Running | None, life: LifeCycle | None) -> list[Problem]:
        # What the blocked loop was about to do is done here, but for what has to run in it.
        self._running = None
        if running is None or life is None:
            return []
        problems = running.close_invocations()
        running.release(self)
        names = ", ".join(life.unstopped) or "none"
        return [*problems, rules.STOP_FAILED.problem(f"Extensions that did not stop: {names}.")]

    def _end_loop(self, seconds: float) -> list[Problem]:
        loop, self._loop = self._loop, None
        if loop is None or loop.close(seconds=seconds):
            return []
        return [rules.STOP_FAILED.problem("The runtime's event loop is blocked and was left.")]


def _raise(problems: list[Problem]) -> None:
    if problems:
        raise LoadError(problems, unchanged="Everything else was closed.")
