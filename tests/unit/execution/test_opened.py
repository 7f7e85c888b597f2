"""What a workspace holds from its start to its end, when tasks and programs do their worst."""

from __future__ import annotations

import asyncio
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from harnest.execution import BackendError, EngineResult, ExecutionCall, Workspace, WorkspaceConfig
from harnest.execution.local import workdir
from tests.fakes.engine import FakeTier, offer

if TYPE_CHECKING:
    from pathlib import Path


def private_directories() -> set[Path]:
    """Those that workspaces of this process made and did not remove."""
    found = workdir.leftovers(workdir.WORKSPACE_PREFIX)
    return {item.path for item in found if item.pid == os.getpid()}


async def cancelled_after(workspace: Workspace, steps: int) -> bool:
    """Cancel the start of a workspace after so many steps of the loop; return whether it was."""
    task = asyncio.create_task(workspace.start())
    for _ in range(steps):
        await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        return True
    return False


@pytest.mark.parametrize("steps", [1, 2, 3, 5, 8, 50, 1000])
def test_a_start_that_is_cancelled_at_any_moment_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    """Neither a directory nor an engine that nobody could close, even one that was just ready."""
    tier = FakeTier()
    config = offer(monkeypatch, tier)
    before = private_directories()

    async def work() -> None:
        workspace = Workspace(config)
        if await cancelled_after(workspace, steps):
            assert private_directories() == before
            assert all(engine.closed for engine in tier.engines)
        await workspace.close()

    asyncio.run(work())
    assert private_directories() == before


def test_a_directory_that_a_program_closed_is_opened_for_the_next_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`chmod 000 .` of one program doesn't end a workspace whose directory is its own."""

    def script(_call: ExecutionCall, folder: Path) -> EngineResult:
        mode = folder.stat().st_mode & 0o777
        folder.chmod(0)
        return EngineResult(exit_code=int(mode == 0o700))

    async def work() -> None:
        async with Workspace(offer(monkeypatch, FakeTier(script=script))) as workspace:
            codes = [(await workspace.execute("x")).exit_code for _ in range(2)]
        assert codes == [1, 1]

    asyncio.run(work())


def test_the_mode_of_a_caller_s_directory_is_the_caller_s(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It is left as it is."""
    tmp_path.chmod(0o500)
    tier = offer(monkeypatch, FakeTier()).tier

    async def work() -> None:
        config = WorkspaceConfig(tier=tier, directory=tmp_path)
        async with Workspace(config) as workspace:
            await workspace.execute("x")

    asyncio.run(work())
    assert tmp_path.stat().st_mode & 0o777 == 0o500


@pytest.mark.parametrize("kind", ["gone", "a link", "another folder"])
def test_nothing_runs_in_what_took_the_place_of_the_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str
) -> None:
    """Calls and paths are refused when it was removed, or replaced by a link or another folder."""
    work_directory = tmp_path / "work"
    work_directory.mkdir()
    tier = FakeTier()
    name = offer(monkeypatch, tier).tier

    async def work() -> None:
        async with Workspace(WorkspaceConfig(tier=name, directory=work_directory)) as workspace:
            work_directory.rename(tmp_path / "moved")
            if kind == "a link":
                work_directory.symlink_to("/etc")
            elif kind == "another folder":
                shutil.copytree(tmp_path / "moved", work_directory)
            with pytest.raises(BackendError, match="removed or replaced"):
                await workspace.execute("x")
            with pytest.raises(PermissionError, match="removed or replaced"):
                workspace.resolve_path("passwd")
        assert tier.engines[0].calls == []

    asyncio.run(work())
