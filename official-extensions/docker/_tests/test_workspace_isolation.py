"""What programs of a workspace see of the host, as whom they run, and what they can leave there."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from workspaces import Shop

from conftest import command, ours
from harnest.execution import BackendError, UnsupportedPromiseError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.docker
SOMEBODY = 12_345


@pytest.fixture(scope="module")
def one(daemon: None) -> Iterator[Shop]:
    """One workspace for many short calls."""
    shop = Shop()
    yield shop
    shop.close()


@pytest.fixture
def place() -> Iterator[Path]:
    """Return a folder that a user other than root can reach and owns."""
    # Below pytest's own folder, which each start of pytest closes to everybody but root, it would not be.
    with tempfile.TemporaryDirectory(prefix="hx-place-") as top:
        Path(top).chmod(0o755)
        mine = Path(top) / "mine"
        mine.mkdir()
        if os.geteuid() == 0:
            os.chown(mine, SOMEBODY, SOMEBODY)
        yield mine


def owners(folder: Path) -> set[int]:
    """Return who owns what is in *folder*."""
    return {path.lstat().st_uid for path in folder.rglob("*")}


def test_a_container_is_hardened_as_a_sandbox_is(one: Shop) -> None:
    """The daemon's own view: no capabilities, a read-only root, our filter, limits, one mount."""
    one.sh("true")
    facts = json.loads(command("inspect", ours()[-1]))[0]
    host = facts["HostConfig"]
    assert host["ReadonlyRootfs"] is True
    assert (host["CapDrop"], host["CapAdd"]) == (["ALL"], None)
    assert host["SecurityOpt"][0] == "no-new-privileges"
    assert host["SecurityOpt"][1].startswith("seccomp={")
    assert (host["Memory"], host["MemorySwap"]) == (512 << 20, 512 << 20)
    assert (host["PidsLimit"], host["NetworkMode"], host["Privileged"]) == (256, "none", False)
    assert not host["Binds"] and not host["PortBindings"] and not host["Devices"]  # noqa: PT018 - all empty
    assert [mount["Destination"] for mount in facts["Mounts"]] == ["/workspace"]
    assert facts["Config"]["Labels"]["dev.harnest.managed"] == "true"
    assert facts["Config"]["User"] == "19999:19999" if os.geteuid() == 0 else True


def test_nothing_of_the_host_but_the_work_directory_is_there(one: Shop, tmp_path: Path) -> None:
    """A file beside the work directory can't be read, and nothing outside can be written."""
    (tmp_path / "secret").write_text("secret")
    assert one.sh(f"cat {tmp_path}/secret").exit_code == 1
    assert one.sh("echo x > /etc/mine || echo x > /usr/bin/mine || echo x > /mine").exit_code != 0
    assert one.sh("ls /var/run/docker.sock /run/docker.sock").exit_code != 0
    shown = one.out("cut -d' ' -f5 /proc/self/mountinfo").split()
    folders = {path for path in shown if not path.startswith(("/proc", "/sys", "/dev"))}
    files = {"/etc/resolv.conf", "/etc/hostname", "/etc/hosts"}
    assert folders - files == {"/", "/tmp", "/workspace"}


def test_there_is_no_network_unless_it_is_enabled(shop: Callable[..., Shop], one: Shop) -> None:
    """By default there is loopback alone; enabled, there is an interface and a way out of it."""
    assert one.out("cat /proc/net/route | wc -l").strip() == "1"
    code = "import socket; socket.create_connection(('1.1.1.1', 53), 2)"
    assert "unreachable" in one.py(code).stderr
    open_one = shop(network_enabled=True)
    assert "eth0" in open_one.out("ls /sys/class/net").split()
    assert int(open_one.out("cat /proc/net/route | wc -l")) > 1


def test_allowed_paths_are_read_at_their_own_places_and_never_written(
    shop: Callable[..., Shop], tmp_path: Path
) -> None:
    """An allowed folder and an allowed file can be read, and writing says that they are read-only."""
    folder, file = tmp_path / "folder", tmp_path / "file.txt"
    folder.mkdir()
    (folder / "a b").write_text("in the folder")
    file.write_text("in the file")
    for path in (folder, file):
        path.chmod(0o777)
    one = shop(allowed_paths=[folder, str(file)])
    assert one.out(f"cat '{folder}/a b' '{file}'") == "in the folderin the file"
    for text in (f"echo x > {folder}/new", f"echo x >> {file}", f"rm '{folder}/a b'"):
        result = one.sh(text)
        assert result.exit_code != 0
        assert "Read-only file system" in result.stderr
    if tmp_path.is_relative_to("/tmp"):
        # The folder in which something is mounted is root's, in a folder that is the program's.
        one.sh(f"mv /tmp/{tmp_path.relative_to('/tmp').parts[0]} /tmp/elsewhere")
    assert one.out(f"cat {file}") == "in the file"
    assert sorted(path.name for path in folder.iterdir()) == ["a b"]


def test_an_allowed_path_that_was_swapped_is_not_shown(
    shop: Callable[..., Shop], place: Path, tmp_path: Path
) -> None:
    """Before a program runs in another container it is seen that each folder is still the same one."""
    allowed = tmp_path / "allowed"
    allowed.mkdir()
    one = shop(directory=place, allowed_paths=[allowed])
    assert one.out(f"ls -A {allowed}") == ""
    allowed.rename(tmp_path / "away")
    allowed.symlink_to("/etc")
    one.overdue("touch begun; sleep 600", "begun")
    with pytest.raises(BackendError, match="own allowed"):
        one.sh(f"cat {allowed}/passwd")


def test_a_work_directory_that_was_swapped_is_not_worked_in(
    shop: Callable[..., Shop], place: Path, tmp_path: Path
) -> None:
    """Neither programs nor tools of the host get to where a link in its place leads."""
    one = shop(directory=place)
    assert one.out("echo x > a; cat a") == "x\n"
    place.rename(tmp_path / "away")
    place.symlink_to("/etc")
    with pytest.raises(BackendError, match="replaced"):
        one.sh("cat passwd")
    with pytest.raises(PermissionError, match="replaced"):
        one.workspace.resolve_path("passwd")


def test_a_program_cannot_make_the_next_call_write_elsewhere(one: Shop, tmp_path: Path) -> None:
    """A program that puts links in place of files that calls use reaches nothing of the host."""
    target = tmp_path / "target"
    target.write_text("untouched")
    one.py(
        "import os\n"
        "for name in ('main.py', 'code.py', 'script.py', '.harnest', 'stdin', 'command.sh'):\n"
        f"    os.symlink({str(target)!r}, name)\n"
    )
    assert one.py("print('on')").stdout == "on\n"
    assert one.sh("cat", stdin=b"in").stdout == "in"
    assert target.read_text() == "untouched"


def test_a_link_out_of_the_work_directory_is_refused_on_the_host(one: Shop) -> None:
    """A path that leads out through a link of a program's is refused, and one that stays in is not."""
    one.out("ln -sfn /etc out; mkdir -p in; ln -sfn in to")
    with pytest.raises(PermissionError):
        one.workspace.resolve_path("out/passwd")
    assert one.workspace.resolve_path("to/x", write=True).endswith("/in/x")


def test_what_programs_leave_is_nobody_s_privilege(one: Shop) -> None:
    """No file of theirs is root's, sets a user or group, or is a device; pipes and sockets may be."""
    script = (
        "touch a; for m in 4755 2755 6755 u+s g+s; do chmod $m a && echo bad $m; done; "
        "mknod c c 1 3 && echo bad; mknod z c 0 0 && echo bad; mknod b b 7 0 && echo bad; "
        "mkdir d; chmod 2777 d && echo bad; mkfifo p && echo fifo; chmod 755 a && echo mode"
    )
    assert one.sh(script).stdout == "fifo\nmode\n"
    code = (
        "import ctypes, os\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "def tried(call, *arguments):\n"
        "    return 'bad' if call(*arguments) >= 0 else os.strerror(ctypes.get_errno())\n"
        "print({tried(libc.open, b'x1', os.O_CREAT | os.O_WRONLY, 0o4755),\n"
        "       tried(libc.creat, b'x2', 0o6755),\n"
        "       tried(libc.openat, -100, b'x3', os.O_CREAT | os.O_WRONLY, 0o2755),\n"
        "       tried(libc.mknod, b'x4', 0o104755, 0),\n"
        "       tried(libc.mknodat, -100, b'x5', 0o020600, os.makedev(1, 3))})\n"
        "if os.uname().machine == 'x86_64':\n"
        "    print(tried(libc.syscall, 437, -100, b'x6', 0, 24))\n"
    )
    assert (
        one.py(code).stdout.splitlines()
        == [
            "{'Operation not permitted'}",
            "Function not implemented",
        ][: one.py(code).stdout.count("\n")]
    )
    for path in one.directory.rglob("*"):
        facts = path.lstat()
        assert not facts.st_mode & (stat.S_ISUID | stat.S_ISGID), path
        assert not stat.S_ISCHR(facts.st_mode), path
        assert not stat.S_ISBLK(facts.st_mode), path
        assert facts.st_uid != 0, path


def test_programs_cannot_reach_pid_1(one: Shop) -> None:
    """The process that reports outcomes cannot be read, traced, signalled or slowed down."""
    script = (
        "kill -9 1; kill -STOP 1; cat /proc/1/environ && echo bad; ls /proc/1/fd && echo bad; "
        "echo -n x > /proc/1/mem && echo bad; echo still"
    )
    result = one.sh(script)
    assert (result.stdout, result.exit_code) == ("still\n", 0)
    assert one.sh("echo on").stdout == "on\n"


def test_a_directory_of_the_caller_s_is_worked_in_as_its_owner(
    shop: Callable[..., Shop], place: Path
) -> None:
    """A caller's own folder stays, and what programs leave in it belongs to whom the folder belongs."""
    before = place.stat()
    one = shop(directory=place)
    assert one.out("mkdir -p a; echo x > a/b; id -u").strip() == str(before.st_uid)
    one.close()
    assert owners(place) == {before.st_uid}
    assert (place.stat().st_uid, place.stat().st_mode) == (before.st_uid, before.st_mode)


def test_a_closed_directory_of_the_caller_s_stays_closed(
    shop: Callable[..., Shop], place: Path
) -> None:
    """Its rights are the caller's to give: a call in it fails and says so, until they are given."""
    before = place.stat().st_mode
    one = shop(directory=place)
    assert one.sh("chmod 0 .").exit_code == 0
    result = one.sh("echo on")
    assert (result.exit_code, result.stdout) == (126, "")
    assert "work directory" in result.stderr
    place.chmod(before)
    assert one.sh("echo on").stdout == "on\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's own directories are refused")
def test_a_directory_of_root_is_refused_and_left_as_it_is(
    shop: Callable[..., Shop], tmp_path: Path
) -> None:
    """Programs never run as root, and a folder that is not the workspace's own is not given away."""
    with pytest.raises(UnsupportedPromiseError, match="belongs to root"):
        shop(directory=tmp_path)
    assert tmp_path.stat().st_uid == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="becoming somebody else needs root")
def test_a_caller_who_is_not_root_works_as_itself(daemon: None, place: Path) -> None:
    """A process of another user opens a workspace; programs run as that user, and its files are its own."""
    facts = Path("/var/run/docker.sock").stat()
    if not facts.st_mode & stat.S_IWGRP:
        pytest.skip("the daemon's socket is for root alone, not for its group")
    group = facts.st_gid
    code = (
        "import asyncio, os\n"
        "from harnest.execution import Workspace, WorkspaceConfig\n"
        "async def main(directory):\n"
        "    config = WorkspaceConfig(tier='docker', image='harnest-test/python', directory=directory)\n"
        "    async with Workspace(config) as one:\n"
        "        return (await one.execute_command('id -u; id -G; echo x > made')).stdout\n"
        # As root first: who the process becomes may not be able to read what it still has to import.
        "asyncio.run(main(None))\n"
        f"os.setgroups([{group}]); os.setgid({SOMEBODY}); os.setuid({SOMEBODY})\n"
        f"print(asyncio.run(main({str(place)!r})))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={"PATH": os.environ["PATH"], "HOME": str(place.parent)},
    )
    assert done.stdout.split() == [str(SOMEBODY), str(SOMEBODY)], done.stderr
    assert owners(place) == {SOMEBODY}


def test_no_umask_or_group_of_the_caller_s_shows(one: Shop) -> None:
    """Programs have one group, the work directory's, and none of the host's accounts."""
    assert len(set(one.out("id -G").split())) == 1
    assert shutil.which("sh") is not None
    assert one.out("whoami || true").strip() == ""


def test_what_is_promised_is_told_row_by_row(one: Shop) -> None:
    """Each row has a name of its own, and holds: a workspace of which one does not is never opened."""
    rows = one.workspace.guarantees
    names = [row.name for row in rows]
    assert len(set(names)) == len(names) >= 14
    assert all(row.holds for row in rows)
    assert "allowed-paths" not in names
