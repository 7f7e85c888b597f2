"""A project and its copy in a sandbox, kept in step through a real container."""

from __future__ import annotations

import asyncio
import os
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from harnest_extension_openshell.extension import OpenShellBackend, SyncFailedError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gateway.server import LocalGateway

pytestmark = pytest.mark.docker

ODD = "-n a'\"\\*$(x) b\n\tc" + os.fsdecode(b"\xff")
MIB = 1 << 20


@pytest.fixture
def opened(backend: Callable[..., OpenShellBackend], project: Path) -> Callable[..., Opened]:
    """Backends on the project that are open."""

    def make(**options: object) -> Opened:
        made = backend(project=project, **options)
        asyncio.run(made.start())
        return Opened(made)

    return make


class Opened:
    """A backend, and short ways to use it."""

    def __init__(self, backend: OpenShellBackend) -> None:
        self.backend = backend

    def run(self, command: str, stdin: bytes | None = None) -> str:
        """Return what a command prints; it must succeed."""
        result = asyncio.run(self.backend.execute_command(command, stdin=stdin))
        assert result.exit_code == 0, result
        return result.stdout

    def sync(self) -> None:
        """Bring back what changed."""
        asyncio.run(self.backend.sync())

    def close(self) -> None:
        """Close it."""
        asyncio.run(self.backend.close())


def test_a_project_arrives_as_it_is(opened: Callable[..., Opened], project: Path) -> None:
    """Every name and byte, empty folders and the permission to execute."""
    (project / "empty").mkdir()
    (project / "deep" / "er").mkdir(parents=True)
    (project / "deep" / "er" / ODD).write_bytes(bytes(range(256)))
    (project / "run").write_text("#!/bin/sh\necho ran\n")
    (project / "run").chmod(0o755)
    box = opened()
    assert box.run("./run; ls -d empty") == "ran\nempty\n"
    found = box.run("find . -type f -print0 | xargs -0 sha256sum -z | tr '\\0' '\\n' | wc -c")
    assert int(found) > 128
    assert box.run("cat deep/er/* | od -An -c | wc -l") == "16\n"
    box.close()
    assert (project / "deep" / "er" / ODD).read_bytes() == bytes(range(256))


def test_what_changes_comes_back_after_each_command(
    opened: Callable[..., Opened], project: Path
) -> None:
    """New, changed and deleted files and folders; what did not change is not touched."""
    for name in ("stays", "changes", "goes"):
        (project / name).write_text("old")
    (project / "old").mkdir()
    (project / "old" / "file").write_text("x")
    before = (project / "stays").stat()
    box = opened()
    box.run(
        "echo new >changes; rm goes; rm -r old; mkdir -p a/b c; echo 1 >a/b/new; chmod +x a/b/new"
    )
    assert (project / "changes").read_text() == "new\n"
    assert not (project / "goes").exists()
    assert not (project / "old").exists()
    assert (project / "a" / "b" / "new").read_text() == "1\n"
    assert os.access(project / "a" / "b" / "new", os.X_OK)
    assert (project / "c").is_dir()
    after = (project / "stays").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert sorted(box.backend.sync_report.written) == ["a/b/new", "changes"]
    assert sorted(box.backend.sync_report.deleted) == ["goes", "old/file"]
    box.close()


def test_sync_deletes_no_local_file_whose_name_has_a_newline(
    opened: Callable[..., Opened], project: Path
) -> None:
    """Lists are cut at NUL: half a name is never taken for another file that is gone."""
    names = ["a\nb", "a", "b", "x\n", "\n", ODD, "line\nf 644 1 1.0 1.0 7 b"]
    for name in names:
        (project / name).write_text(repr(name))
    box = opened()
    box.run("echo more >>'a\nb'; rm -- a")
    box.close()
    assert not (project / "a").exists()
    assert (project / "a\nb").read_text() == repr("a\nb") + "more\n"
    for name in set(names) - {"a", "a\nb"}:
        assert (project / name).read_text() == repr(name)


def test_a_file_that_changed_on_both_sides_is_kept_twice(
    opened: Callable[..., Opened], project: Path
) -> None:
    """The host's stays as it is, the sandbox's is saved beside it, and the report says so."""
    (project / "both").write_text("base")
    (project / "alike").write_text("base")
    box = opened()
    (project / "both").write_text("mine")
    (project / "alike").write_text("same")
    (project / "new").write_text("mine too")
    box.run("printf theirs >both; printf same >alike; printf theirs >new")
    assert (project / "both").read_text() == "mine"
    assert (project / "both.sandbox").read_text() == "theirs"
    assert (project / "new").read_text() == "mine too"
    assert (project / "new.sandbox").read_text() == "theirs"
    assert not (project / "alike.sandbox").exists()
    assert box.backend.sync_report.conflicts == {"both": "both.sandbox", "new": "new.sandbox"}
    box.run("printf again >both")
    assert (project / "both.sandbox").read_text() == "theirs"
    assert (project / "both.sandbox.2").read_text() == "again"
    box.close()
    assert (project / "both").read_text() == "mine"


def test_a_deletion_does_not_take_what_changed_on_the_host(
    opened: Callable[..., Opened], project: Path
) -> None:
    """Only a file that is as both sides held it is deleted; the report says what was kept."""
    (project / "changed").write_text("base")
    (project / "folder").mkdir()
    (project / "folder" / "same").write_text("base")
    (project / "folder" / "unknown").write_text("came later")
    (project / "folder" / "unknown").unlink()
    box = opened()
    (project / "changed").write_text("mine")
    (project / "folder" / "unknown").write_text("came later")
    box.run("rm -r changed folder")
    assert (project / "changed").read_text() == "mine"
    assert not (project / "folder" / "same").exists()
    assert (project / "folder" / "unknown").read_text() == "came later"
    assert box.backend.sync_report.kept == ["changed"]
    box.close()


def test_links_and_special_files_are_reported_and_not_followed(
    opened: Callable[..., Opened], project: Path, tmp_path: Path
) -> None:
    """On neither side does a link lead anywhere, and none crosses over."""
    secret = tmp_path / "secret"
    secret.write_text("of the host")
    (project / "up").symlink_to(secret)
    (project / "file").write_text("base")
    os.mkfifo(project / "pipe")
    box = opened()
    assert box.run("ls -A") == "file\n"
    box.run("ln -s /etc/passwd inside; mkfifo fifo; rm file; ln -s /etc/passwd file")
    skipped = box.backend.sync_report.skipped
    assert skipped == {
        "up": "symbolic link",
        "pipe": "named pipe",
        "inside": "symbolic link",
        "fifo": "named pipe",
        "file": "symbolic link",
    }
    assert (project / "file").read_text() == "base"
    assert not (project / "inside").exists()
    box.close()
    assert sorted(item.name for item in project.iterdir()) == ["file", "pipe", "up"]


def test_a_folder_that_became_a_link_on_the_host_leads_nowhere(
    opened: Callable[..., Opened], project: Path, tmp_path: Path
) -> None:
    """What comes for it is saved beside it; nothing is written where the link points."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (project / "folder").mkdir()
    (project / "folder" / "file").write_text("base")
    box = opened()
    (project / "folder" / "file").unlink()
    (project / "folder").rmdir()
    (project / "folder").symlink_to(outside)
    box.run("echo theirs >folder/file")
    assert list(outside.iterdir()) == []
    saved = box.backend.sync_report.conflicts["folder/file"]
    assert (project / saved).read_text() == "theirs\n"
    box.close()


def test_a_file_and_a_folder_can_change_places(
    opened: Callable[..., Opened], project: Path
) -> None:
    """A file becomes a folder and a folder a file, as in the sandbox."""
    (project / "one").write_text("file")
    (project / "two").mkdir()
    (project / "two" / "inner").write_text("x")
    box = opened()
    box.run("rm -r one two; mkdir one; echo in >one/inner; echo file >two")
    box.close()
    assert (project / "one" / "inner").read_text() == "in\n"
    assert (project / "two").read_text() == "file\n"


def test_excluded_names_are_left_alone_on_both_sides(
    opened: Callable[..., Opened], project: Path
) -> None:
    """What is excluded is neither copied nor brought back nor deleted."""
    (project / ".venv").mkdir()
    (project / ".venv" / "big").write_text("host")
    (project / "a").write_text("x")
    box = opened(exclude=[".venv", "cache*"])
    assert box.run("ls -A") == "a\n"
    box.run("mkdir .venv 'cache*' cache1; echo 1 >.venv/new; echo 1 >'cache*/f'; echo 1 >cache1/f")
    box.close()
    assert sorted(item.name for item in project.iterdir()) == [".venv", "a", "cache1"]
    assert [item.name for item in (project / ".venv").iterdir()] == ["big"]


def test_a_failing_final_sync_keeps_the_sandbox_and_says_its_name(
    opened: Callable[..., Opened], project: Path, gateway: LocalGateway
) -> None:
    """Nothing is deleted that did not come back; closing again brings it and deletes."""
    box = opened()
    name = box.backend.sandbox_name
    gateway.inside("sh", "-c", "echo late >/sandbox/late", user="sandbox")
    gateway.faults.plan("ExecSandbox", "PERMISSION_DENIED")
    with pytest.raises(SyncFailedError, match=name) as caught:
        box.close()
    assert caught.value.sandbox == name
    assert [*gateway.state.sandboxes] == [name]
    assert not (project / "late").exists()
    box.close()
    assert (project / "late").read_text() == "late\n"
    assert gateway.left() == ([], [], [])


def test_a_file_that_can_not_be_written_keeps_the_sandbox(
    opened: Callable[..., Opened], project: Path, gateway: LocalGateway
) -> None:
    """A name that this host's file system refuses is told, and tried again."""
    box = opened()
    (project / "blocked").mkdir()
    (project / "blocked.sandbox").write_text("in the way")
    long = "x" * 250
    box.run(f"echo 1 >{long}")
    (project / long).write_text("mine")
    box.run(f"echo 2 >{long}")
    assert long in box.backend.sync_report.failed
    with pytest.raises(SyncFailedError, match="could not be brought back"):
        box.close()
    (project / long).unlink()
    (project / long).write_text("1\n")
    box.close()
    assert (project / long).read_text() == "2\n"
    assert gateway.left() == ([], [], [])


def test_what_can_not_be_read_in_the_sandbox_holds_nothing_else_up(
    opened: Callable[..., Opened], project: Path, gateway: LocalGateway
) -> None:
    """The rest comes back, nothing behind a closed folder is deleted, and the report says so."""
    (project / "shut").mkdir()
    (project / "shut" / "kept").write_text("base")
    box = opened()
    command = "echo 1 >a; echo 2 >b; chmod 000 b; chmod 000 shut; mkdir d"
    result = asyncio.run(box.backend.execute_command(command))
    assert result.files_created == ("a", "b")
    assert sorted(item.name for item in project.iterdir()) == ["a", "d", "shut"]
    assert (project / "shut" / "kept").read_text() == "base"
    assert sorted(box.backend.sync_report.failed) == ["b", "shut"]
    result = asyncio.run(box.backend.execute_command("echo 3 >c"))
    assert result.files_created == ("c",)
    assert (project / "c").read_text() == "3\n"
    with pytest.raises(SyncFailedError, match="shut"):
        box.close()
    gateway.inside("chmod", "-R", "a+rwX", "/sandbox")
    box.close()
    assert (project / "b").read_text() == "2\n"
    assert gateway.left() == ([], [], [])


def test_closing_from_several_threads_is_closing_once(
    opened: Callable[..., Opened], gateway: LocalGateway
) -> None:
    """A close that was given up and goes on does not meet the next one half-way."""
    box = opened()
    inner = box.backend._open
    assert inner is not None
    with ThreadPoolExecutor(3) as pool:
        for done in [pool.submit(inner.close) for _ in range(3)]:
            done.result()
    assert gateway.service.asked.count("DeleteSandbox") == 1
    assert gateway.left() == ([], [], [])
    box.close()


def test_a_command_whose_files_did_not_come_back_keeps_its_result(
    opened: Callable[..., Opened], project: Path, gateway: LocalGateway
) -> None:
    """What a command printed is not lost with a failing sync after it; the next one repeats it."""
    box = opened()
    gateway.faults.plan("ExecSandbox", "PERMISSION_DENIED", after=1)
    assert box.run("echo 1 >made; echo printed") == "printed\n"
    assert not (project / "made").exists()
    box.sync()
    assert (project / "made").read_text() == "1\n"
    box.close()


def test_lost_answers_while_files_move_do_no_harm(
    opened: Callable[..., Opened], project: Path, gateway: LocalGateway
) -> None:
    """Pieces, listings and archives are asked for again; every file is whole and there once."""
    data = os.urandom(2 * MIB)
    (project / "up").write_bytes(data)
    gateway.faults.plan("ExecSandbox", "UNAVAILABLE", lost=True, times=2)
    box = opened()
    gateway.inside("sh", "-c", "cat /sandbox/up /sandbox/up >/sandbox/down", user="sandbox")
    for _ in range(2):
        gateway.faults.plan("ExecSandbox", "UNAVAILABLE", lost=True)
    box.sync()
    box.close()
    assert (project / "down").read_bytes() == data + data
    assert gateway.left() == ([], [], [])


@pytest.mark.slow
def test_files_of_many_megabytes_move_in_bounded_memory(
    opened: Callable[..., Opened], project: Path
) -> None:
    """24 MiB each way in pieces of 512 KiB: never more than a few pieces are held."""
    size = 24 * MIB
    with (project / "large").open("wb") as file:
        file.write(os.urandom(MIB))
        file.truncate(size)
    tracemalloc.start()
    try:
        box = opened()
        box.run("(echo first; cat large) >back; rm large", None)
        box.sync()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (project / "back").stat().st_size == size + 6
    assert not (project / "large").exists()
    # The gateway of the test is in this process and holds messages too.
    assert peak < 12 * MIB, peak
    box.close()


def test_a_session_that_is_attached_to_brings_its_files(
    backend: Callable[..., OpenShellBackend], project: Path, tmp_path: Path
) -> None:
    """What another backend of the session left in the sandbox comes to the one that attaches."""
    (project / "seen").write_text("base")
    first = backend(project=project, session_id="s")
    asyncio.run(first.start())
    asyncio.run(first.execute_command("echo new >made"))
    other = tmp_path / "other"
    other.mkdir()
    (other / "seen").write_text("differs")
    second = backend(project=other, session_id="s")
    asyncio.run(second.start())
    result = asyncio.run(second.execute_command("echo 1 >own"))
    assert result.files_created == ("own",)
    asyncio.run(second.close())
    assert (other / "made").read_text() == "new\n"
    assert (other / "seen").read_text() == "differs"
    assert (other / "seen.sandbox").read_text() == "base"
    asyncio.run(first.close())
