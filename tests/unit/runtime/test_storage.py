"""Durable storage of extensions and agents."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
from typing import TYPE_CHECKING, Any

import pytest

from harnest import context
from harnest.context import StorageConflictError, StorageError
from harnest_ext import limits
from harnest_ext.runtime.state import StateStore
from harnest_ext.runtime.storage import open_storage
from tests.support.projects import extension, installed
from tests.support.runtimes import open_runtime, shown

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

BODY = """    async def start(self, context):
        self.notes = context.storage("notes")

    def mine(self):
        from harnest import context
        return context.storage("notes")
"""
DECLARES = ("context.storage",)


def using(project: Path, work: Callable[[Any], Awaitable[Any]]) -> Any:
    """Do some work with the agent's storage ``notes`` in an invocation."""

    async def main() -> Any:
        async with (
            open_runtime(project) as runtime,
            runtime.invocation(agent_name="assistant"),
        ):
            return await work(context.storage("notes"))

    return asyncio.run(main())


def test_values_survive_a_restart(tmp_path: Path) -> None:
    """What one run puts, the next one gets, with the revision of the write."""
    project = installed(tmp_path)

    async def write(storage: Any) -> None:
        assert await storage.get("key") is None
        assert (await storage.put("key", b"one")).revision == 1
        assert (await storage.put("key", b"two")).revision == 2

    async def read(storage: Any) -> Any:
        return await storage.get("key")

    using(project, write)
    found = using(project, read)
    assert (found.value, found.revision) == (b"two", 2)
    assert "two" not in repr(found)


def test_a_lost_update_is_a_conflict(tmp_path: Path) -> None:
    """A write that has not seen the latest revision is refused and changes nothing."""

    async def work(storage: Any) -> None:
        await storage.put("key", b"one", revision=0)
        with pytest.raises(StorageConflictError, match="revision is 1, not 0"):
            await storage.put("key", b"lost", revision=0)
        await storage.put("key", b"two", revision=1)
        with pytest.raises(StorageConflictError):
            await storage.delete("key", revision=1)
        assert await storage.delete("key", revision=2) is True
        assert await storage.delete("key") is False
        assert await storage.get("key") is None
        again = await storage.put("key", b"three", revision=0)
        assert again.revision > 2

    using(installed(tmp_path), work)


def test_of_many_writers_who_saw_the_same_one_succeeds(tmp_path: Path) -> None:
    """Compare-and-set holds between tasks and between processes' connections."""

    async def one(storage: Any, number: int) -> bool:
        try:
            await storage.put("key", str(number).encode(), revision=0)
        except StorageConflictError:
            return False
        return True

    async def work(storage: Any) -> list[bool]:
        return await asyncio.gather(*(one(storage, number) for number in range(20)))

    assert using(installed(tmp_path), work).count(True) == 1


def test_keys_are_listed_in_pages(tmp_path: Path) -> None:
    """By prefix, in order, after a key, at most so many."""

    async def work(storage: Any) -> None:
        for key in ("b", "a/2", "a/1", "a/3", "ä"):
            await storage.put(key, b"")
        await storage.delete("a/3")
        assert await storage.keys() == ("a/1", "a/2", "b", "ä")
        assert await storage.keys(prefix="a/") == ("a/1", "a/2")
        assert await storage.keys(limit=2) == ("a/1", "a/2")
        assert await storage.keys(after="a/2", limit=1) == ("b",)
        for limit in (0, 1001, True, "3"):
            with pytest.raises(ValueError, match="limit"):
                await storage.keys(limit=limit)

    using(installed(tmp_path), work)


def test_keys_and_values_are_bounded(tmp_path: Path) -> None:
    """The largest are taken, one byte more is not."""

    async def work(storage: Any) -> None:
        await storage.put("k" * limits.STORAGE_KEY_BYTES, b"v" * limits.STORAGE_VALUE_BYTES)
        for key, value, error in (
            ("k" * (limits.STORAGE_KEY_BYTES + 1), b"", ValueError),
            ("", b"", ValueError),
            (3, b"", TypeError),
            ("k", b"v" * (limits.STORAGE_VALUE_BYTES + 1), ValueError),
            ("k", "text", TypeError),
        ):
            with pytest.raises(error):
                await storage.put(key, value)

    using(installed(tmp_path), work)


def test_writers_of_two_connections_lose_no_update(tmp_path: Path) -> None:
    """Two stores of one project, as two processes have them, count to the sum of their steps."""

    async def count(store: StateStore) -> None:
        storage = open_storage(store, "", "notes", lambda: True)
        done = 0
        while done < 15:
            found = await storage.get("key")
            number = int(found.value) if found else 0
            try:
                await storage.put(
                    "key", b"%d" % (number + 1), revision=found.revision if found else 0
                )
            except StorageConflictError:
                continue
            done += 1

    async def main() -> bytes:
        stores = [StateStore(tmp_path) for _ in range(2)]
        await asyncio.gather(*map(count, stores))
        found = await open_storage(stores[0], "", "notes", lambda: True).get("key")
        for store in stores:
            store.close()
        return found.value if found else b""

    assert asyncio.run(main()) == b"30"


@pytest.mark.parametrize("damage", ["file", "link", "no-folder"])
def test_a_state_that_cannot_be_used_is_told_by_type(tmp_path: Path, damage: str) -> None:
    """A damaged file, a link in its place, or a folder that can't be made."""
    project = installed(tmp_path)
    folder = project / ".harnest"
    if damage == "file":
        folder.mkdir()
        (folder / "state.sqlite3").write_bytes(b"hunter2 is no database" * 100)
    elif damage == "link":
        (tmp_path / "elsewhere").mkdir()
        folder.symlink_to(tmp_path / "elsewhere")
    else:
        folder.write_text("")

    async def work(storage: Any) -> None:
        with pytest.raises(StorageError, match="can't be used") as caught:
            await storage.put("key", b"x")
        assert "hunter2" not in shown(caught.value)

    using(project, work)
    assert damage != "link" or list((tmp_path / "elsewhere").iterdir()) == []


def test_owners_do_not_see_each_other(tmp_path: Path) -> None:
    """Extensions and the agent have storages of the same name apart."""
    project = installed(
        tmp_path,
        [extension(name, BODY, capabilities=DECLARES) for name in ("alpha", "bravo")],
    )

    async def main() -> None:
        async with open_runtime(project) as runtime:
            loaded: Any = runtime.running.active.loaded
            alpha, bravo = (loaded[name].extension for name in ("alpha", "bravo"))
            await alpha.notes.put("key", b"alpha")
            async with runtime.invocation(agent_name="assistant"):
                assert (await alpha.mine().get("key")).value == b"alpha"
                assert await bravo.mine().get("key") is None
                assert await context.storage("notes").get("key") is None
                assert await alpha.notes.keys() == ("key",)

    asyncio.run(main())


def test_an_extension_needs_the_capability(tmp_path: Path) -> None:
    """What is not declared is refused with what to add."""
    spec = extension("alpha", BODY.split("    def mine", maxsplit=1)[1].join(["    def mine", ""]))
    with open_runtime(installed(tmp_path, [spec])) as runtime:
        loaded: Any = runtime.running.active.loaded
        with (
            runtime.invocation(agent_name="assistant"),
            pytest.raises(context.ContextResourceError, match=r"context\.storage"),
        ):
            loaded["alpha"].extension.mine()


@pytest.mark.parametrize("name", ["", "Notes", "a b", "../x", "a" * 65, "1st"])
def test_a_name_that_is_not_usable_is_refused(tmp_path: Path, name: str) -> None:
    """Names of storages are lower-case identifiers."""
    with (
        open_runtime(installed(tmp_path)) as runtime,
        runtime.invocation(agent_name="assistant"),
    ):
        with pytest.raises(context.ContextResourceError, match="must match"):
            context.storage(name)
        with pytest.raises(TypeError):
            context.storage(3)  # type: ignore[call-overload]


def test_the_file_is_private_and_made_at_first_use(tmp_path: Path) -> None:
    """Nothing is written before something is stored; then its owner alone may read it."""
    project = installed(tmp_path)

    async def nothing(_: Any) -> None:
        return None

    async def put(storage: Any) -> None:
        await storage.put("key", b"x")

    using(project, nothing)
    assert not (project / ".harnest").exists()
    using(project, put)
    modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in (project / ".harnest").iterdir()}
    assert modes["state.sqlite3"] == 0o600
    assert stat.S_IMODE((project / ".harnest").stat().st_mode) == 0o700
    assert (project / ".harnest" / ".gitignore").read_text() == "*\n"


def test_an_expected_type_is_checked(tmp_path: Path) -> None:
    """A storage of another type than the caller expects is told."""
    with (
        open_runtime(installed(tmp_path)) as runtime,
        runtime.invocation(agent_name="assistant"),
    ):
        assert isinstance(context.storage("notes", context.Storage), context.Storage)  # type: ignore[type-abstract]
        with pytest.raises(context.ContextTypeError):
            context.storage("notes", int)


def test_a_commit_that_fails_leaves_no_open_transaction(tmp_path: Path) -> None:
    """After a full disk, say, the next change is a new transaction."""

    def refuse_commits(db: sqlite3.Connection) -> None:
        def judge(action: int, what: str | None, *_: object) -> int:
            refused = action == sqlite3.SQLITE_TRANSACTION and what == "COMMIT"
            return sqlite3.SQLITE_DENY if refused else sqlite3.SQLITE_OK

        db.set_authorizer(judge)

    async def main() -> None:
        store = StateStore(tmp_path)
        with pytest.raises(sqlite3.DatabaseError):
            await store.change(refuse_commits)
        await store.change(lambda db: db.set_authorizer(None))
        store.close()

    asyncio.run(main())


def test_keys_may_hold_any_character(tmp_path: Path) -> None:
    """A prefix is taken as it is, a NUL or a wildcard in it too."""
    names = ("a", "a\0", "a\0b", "a%", "a%b", "aé", "b")

    async def work(storage: Any) -> None:
        for name in names:
            await storage.put(name, b"")
        for prefix in ("a\0", "a%", "aé", "", "c"):
            found = await storage.keys(prefix=prefix)
            assert found == tuple(name for name in names if name.startswith(prefix))
        assert await storage.keys(prefix="a", after="a\0", limit=2) == ("a\0b", "a%")
        with pytest.raises(TypeError, match="must be str"):
            await storage.keys(prefix=b"a")

    using(installed(tmp_path), work)


def test_a_broken_state_is_named(tmp_path: Path) -> None:
    """A file that is no database is told by its place in the project."""
    project = installed(tmp_path)
    (project / ".harnest").mkdir()
    (project / ".harnest" / "state.sqlite3").write_bytes(b"no database" * 100)

    async def work(storage: Any) -> None:
        with pytest.raises(StorageError, match=r"\.harnest/state\.sqlite3 can't be used: Database"):
            await storage.get("key")

    using(project, work)
