"""What a check of a workspace works with: workspaces as wanted, bounds on time, a silence."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from harnest.execution import WorkspaceConfig
from harnest_ext.conformance.checks import Broken, Check, Group
from harnest_ext.conformance.timing import SOON_SECONDS, Deadlines

if TYPE_CHECKING:
    import enum
    from collections.abc import Awaitable, Callable, Coroutine, Iterable

    from harnest.execution import ExecutionResult, HookManager, Workspace
    from harnest_ext.conformance.workspace_profile import WorkspaceProfile

__all__ = ["WorkspaceBench", "WorkspaceGroup", "tried"]

_T = TypeVar("_T")
_SILENCE_SECONDS = 0.4
_BEAT_SECONDS = 60.0


class WorkspaceBench:
    """One check's access to the tier under test.

    Args:
        profile: The tier.
        folder: An empty folder of this host for whatever a check needs beside the workspace.
    """

    def __init__(self, profile: WorkspaceProfile, folder: Path) -> None:
        self.profile = profile
        self.folder = folder

    def workspace(self, *, hooks: HookManager | None = None, **wanted: Any) -> Workspace:
        """Return a workspace, not open yet, with some options of the check's choice."""
        config = WorkspaceConfig(**(dict(self.profile.options) | wanted))
        return self.profile.make(config, hooks=hooks)

    def directory(self) -> Path:
        """Return a new work directory of the caller's own, of the profile's owner."""
        self.folder.chmod(0o755)
        made = self.folder / "mine"
        made.mkdir()
        if self.profile.owner is not None and os.geteuid() == 0:
            os.chown(made, self.profile.owner, self.profile.owner)
        return made

    async def late(
        self,
        workspace: Workspace,
        call: Callable[[int], Awaitable[ExecutionResult]],
        mark: str = "begun",
    ) -> ExecutionResult:
        """Return the result of a call that its deadline ended when it had come to a mark.

        Args:
            workspace: Where it is made.
            call: Makes it with a deadline, in seconds.
            mark: Name of the file that it makes once it has done what is judged.

        Raises:
            Broken: It came back long after its deadline.
        """
        deadlines = Deadlines(self.profile.slack_seconds)
        for number, seconds in enumerate(deadlines):
            if number:  # what the call before left would pass for a mark of this one
                await workspace.execute_command(f"rm -f {mark}")
            with deadlines.timed():
                result = await call(seconds)
            deadlines.too_short = result.timed_out and not (workspace.directory / mark).exists()
        return result

    async def within(self, what: str, action: Awaitable[_T]) -> _T:
        """Return what an action gives, which must be soon; the profile's slack widens the bound.

        Raises:
            Broken: It took longer.
        """
        bound = SOON_SECONDS + self.profile.slack_seconds
        start = time.monotonic()
        value = await action
        took = time.monotonic() - start
        if took > bound:
            raise Broken(f"{what} took {took:.2f} s, more than {bound:.2f} s")
        return value

    async def beating(self, workspace: Workspace, name: str = "beat") -> None:
        """Wait until something in the workspace writes to a file of it.

        Raises:
            Broken: Nothing does.
        """
        path = workspace.directory / name
        limit = time.monotonic() + _BEAT_SECONDS
        while not (path.exists() and path.stat().st_size):
            if time.monotonic() > limit:
                raise Broken("the program did not begin to run")
            await asyncio.sleep(0.01)

    async def silent(self, directory: Path, name: str = "beat") -> None:
        """Demand that nothing writes to a file any more.

        Raises:
            Broken: It grows.
        """
        path = directory / name
        before = path.stat().st_size if path.exists() else 0
        await asyncio.sleep(_SILENCE_SECONDS)
        after = path.stat().st_size if path.exists() else 0
        if after != before:
            raise Broken("something of the call is still running: it goes on writing to a file")


class WorkspaceGroup(Group[WorkspaceBench]):
    """The checks of one module, each an asynchronous function."""

    def promise(
        self, name: str, *, needs: Iterable[enum.StrEnum] = ()
    ) -> Callable[[Callable[[WorkspaceBench], Coroutine[Any, Any, None]]], None]:
        """Make a coroutine function a check; its docstring is the promise.

        Args:
            name: Second part of its name.
            needs: Features without which it is reported as unsupported.
        """

        def collect(function: Callable[[WorkspaceBench], Coroutine[Any, Any, None]]) -> None:
            def run(bench: WorkspaceBench) -> None:
                asyncio.run(function(bench))

            run.__doc__ = function.__doc__
            self.check(name, needs=needs)(run)

        return collect


def tried(check: Check[WorkspaceBench], profile: WorkspaceProfile) -> str:
    """Try a check in a folder of its own; return how the promise was broken, or an empty text."""
    # What a broken tier left running may go on writing into the folder while it is removed.
    with tempfile.TemporaryDirectory(
        prefix="harnest-conformance-", ignore_cleanup_errors=True
    ) as folder:
        try:
            check.run(WorkspaceBench(profile, Path(folder).resolve()))
        except Broken as broken:
            return str(broken)
        except Exception as error:  # noqa: BLE001 - a tier may raise anything anywhere
            return f"the check ended with {type(error).__name__}: {error}"
    return ""
