"""Two writers of one file: nothing is lost in silence, and no half of a file is ever seen."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import shutil
import threading
from typing import TYPE_CHECKING

import pytest

from harnest.execution.tools import FileChangedError, WorkspaceTools
from harnest.execution.tools.backend_files import BackendFileSystem
from harnest.execution.tools.filesystem import Writing
from harnest.execution.tools.host_files import HostFileSystem
from harnest.execution.tools.locks import WriteLocks
from harnest.execution.tools.place import locate
from tests.support.waiting import LONG
from tests.unit.execution.tools.conftest import make_bench

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.execution.tools.conftest import Bench


def test_edits_at_once_are_all_kept(bench: Bench) -> None:
    """Ten edits of one file through two bindings of its backend leave ten changes."""
    (bench.root / "f").write_text("".join(f"<{number}>\n" for number in range(10)))

    bindings = (bench.tools, WorkspaceTools(bench.backend))

    async def edit_all() -> None:
        edits = [
            bindings[n % 2]["edit_file"](path="f", old_string=f"<{n}>", new_string=f"[{n}]")
            for n in range(10)
        ]
        await asyncio.gather(*edits)

    asyncio.run(edit_all())
    assert (bench.root / "f").read_text() == "".join(f"[{n}]\n" for n in range(10))


def test_a_file_that_changed_since_it_was_read_is_not_replaced(bench: Bench) -> None:
    """The content that the writer knows must still be there; nothing is written otherwise."""
    path = bench.root / "f"
    path.write_text("new")
    files = BackendFileSystem(bench.backend) if bench.backend.owns_filesystem else HostFileSystem()
    place = locate(bench.backend, "f", write=True)
    digest = hashlib.sha256(b"old").hexdigest()
    with pytest.raises(FileChangedError, match="f was changed by somebody else meanwhile"):
        asyncio.run(files.write(place, b"mine", Writing.REPLACE, digest))
    assert path.read_text() == "new"
    path.unlink()
    with pytest.raises(FileChangedError):
        asyncio.run(files.write(place, b"mine", Writing.REPLACE, digest))
    assert list(bench.root.iterdir()) == []


def test_of_many_who_create_one_file_one_does(bench: Bench) -> None:
    """generate_file never replaces, also when several begin at once."""

    async def generate() -> list[str]:
        calls = [
            WorkspaceTools(bench.backend).answer("generate_file", {"path": "f", "content": f"{n}"})
            for n in range(6)
        ]
        return [answer.kind for answer in await asyncio.gather(*calls)]

    kinds = asyncio.run(generate())
    assert sorted(kinds) == [""] + ["exists"] * 5
    assert (bench.root / "f").read_text() == str(kinds.index(""))
    assert [path.name for path in bench.root.iterdir()] == ["f"]


def test_a_reader_sees_the_old_or_the_new_file(bench: Bench) -> None:
    """A file is replaced at once, never cut and then filled."""
    path = bench.root / "f"
    contents = {letter * 300_000 for letter in "ab"}
    path.write_text("a" * 300_000)
    over, seen = threading.Event(), set()

    def watch() -> None:
        while not over.is_set():
            seen.add(path.read_text())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        for letter in "bab":
            bench.say("write_file", path="f", content=letter * 300_000)
    finally:
        over.set()
        watcher.join()
    assert seen <= contents


def test_locks_are_passed_on_in_order_across_event_loops() -> None:
    """Who asked first is first, whatever loop it belongs to; a lock that nobody holds is gone."""
    locks, order, entered = WriteLocks(), [], threading.Event()
    leave = threading.Event()

    async def hold() -> None:
        async with locks.holding("f"):
            entered.set()
            await asyncio.to_thread(leave.wait, LONG)
            order.append("first")

    async def follow() -> None:
        async with locks.holding("f"):
            order.append("second")

    holder = threading.Thread(target=asyncio.run, args=(hold(),))
    holder.start()
    assert entered.wait(LONG)

    async def second() -> None:
        task = asyncio.create_task(follow())
        await asyncio.sleep(0)
        leave.set()
        await task

    asyncio.run(second())
    holder.join()
    assert order == ["first", "second"]
    assert locks._waiting == {}


def test_a_cancelled_waiter_leaves_the_queue() -> None:
    """A task that is cancelled while it waits holds nobody up."""

    async def run() -> list[str]:
        locks, order = WriteLocks(), []

        async def take(name: str) -> None:
            async with locks.holding("f"):
                order.append(name)

        async with locks.holding("f"):
            waiting = asyncio.create_task(take("cancelled"))
            behind = asyncio.create_task(take("behind"))
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        await behind
        assert locks._waiting == {}
        return order

    assert asyncio.run(run()) == ["behind"]


def test_a_cancelled_write_ends_before_its_task(bench: Bench) -> None:
    """Nothing goes on behind the back of a cancelled task, and nothing unfinished stays."""

    async def run() -> None:
        task = asyncio.create_task(bench.tools["write_file"](path="f", content="x" * 2_000_000))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert {path.name for path in bench.root.iterdir()} <= {"f"}


def test_a_folder_that_is_swapped_for_a_link_leads_nowhere(tmp_path: Path) -> None:
    """On the host no moment exists at which a program could turn a write or a removal elsewhere."""
    root, outside = tmp_path / "work", tmp_path / "outside"
    (root / "d").mkdir(parents=True)
    outside.mkdir()
    (outside / "keep").write_text("kept")
    bench, over = make_bench("host", root, tmp_path), threading.Event()
    swaps: list[int] = []
    kinds: list[str] = []

    def swap() -> None:
        # The tools make the folder when it is missing: a step may fail, the next round mends it.
        while not over.is_set():
            shutil.rmtree(root / "real", ignore_errors=True)
            with contextlib.suppress(OSError):
                (root / "d").rename(root / "real")
                (root / "d").symlink_to(outside)
                swaps.append(1)
            with contextlib.suppress(OSError):
                (root / "d").unlink()
                (root / "real").rename(root / "d")

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        while len(kinds) < 600 or len(swaps) <= 10:
            kinds.append(bench.answer("write_file", path="d/f", content="x").kind)
            kinds.append(bench.answer("delete", path="d/keep").kind)
    finally:
        over.set()
        swapper.join()
    assert set(kinds) <= {"", "permission-denied", "not-found", "not-a-directory", "failed"}
    assert [path.name for path in outside.iterdir()] == ["keep"]
