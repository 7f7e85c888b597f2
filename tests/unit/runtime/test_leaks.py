"""What many runs leave behind: nothing."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import sys
import threading
import weakref
from pathlib import Path

import pytest

from harnest import context
from harnest_ext.distributions import EnvironmentView
from harnest_ext.runtime.activation import activate
from harnest_ext.runtime.discovery import discover
from harnest_ext.runtime.planning import make_plan
from harnest_ext.store import Project
from tests.support.projects import SANDBOX_FILE, echo_extension, extension, installed
from tests.support.runtimes import open_runtime
from tests.support.waiting import until

DESCRIPTORS = Path("/proc/self/fd")
counted = pytest.mark.skipif(not DESCRIPTORS.is_dir(), reason="descriptors are counted in /proc")
FILES = {"lib/deep/values.py": "VALUE = 1\n", "lib/__init__.py": ""}


def held() -> dict[str, set[object]]:
    """Return loaded modules, open descriptors, threads and finders of this process."""
    gc.collect()
    return {
        "modules": set(sys.modules),
        "descriptors": {path.name for path in DESCRIPTORS.iterdir()},
        "threads": set(threading.enumerate()),
        "finders": set(map(id, sys.meta_path)),
    }


def more_than(before: dict[str, set[object]]) -> dict[str, set[object]]:
    """Return what is held beside what was before; a thread that is about to end is waited for."""

    def more() -> dict[str, set[object]]:
        return {kind: new for kind, now in held().items() if (new := now - before[kind])}

    with contextlib.suppress(AssertionError):
        until(lambda: not more())
    return more()


@counted
@pytest.mark.slow
def test_many_activations_leave_nothing(tmp_path: Path) -> None:
    """No module, descriptor, thread or finder more than after the first one."""
    specs = [
        extension("alpha", "    from .lib.deep import values", files=FILES),
        extension("bravo", requires=("alpha",)),
    ]
    project = Project.at(installed(tmp_path, specs))
    activate(make_plan(discover(project, EnvironmentView()))).release()
    before = held()
    for _ in range(200):
        active = activate(make_plan(discover(project, EnvironmentView())))
        last = weakref.ref(active.loaded["bravo"].extension)  # type: ignore[index]
        active.release()
    del active
    assert more_than(before) == {}
    assert last() is None


@counted
def test_many_runtimes_leave_nothing(tmp_path: Path) -> None:
    """Opened, used with sandbox and storage, and closed: sync and async."""
    project = installed(
        tmp_path,
        [echo_extension()],
        sandboxes={"python": SANDBOX_FILE.format(name="python", timeout=60)},
    )

    def once() -> None:
        with open_runtime(project) as runtime, runtime.invocation(agent_name="assistant"):
            assert context.sandboxes["python"].execute("echo x").stdout == "x\n"

    async def again() -> None:
        async with (
            open_runtime(project) as runtime,
            runtime.invocation(agent_name="assistant"),
        ):
            assert (await context.sandboxes["python"].aexecute("echo x")).exit_code == 0
            await context.storage("notes").put("key", b"x")

    once()
    asyncio.run(again())
    before = held()
    for _ in range(25):
        once()
        asyncio.run(again())
    assert more_than(before) == {}
