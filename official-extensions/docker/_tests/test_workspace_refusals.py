"""What a workspace refuses before any call: paths, users, values, and daemons that can't serve."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fake_daemon import FakeDaemon
from harnest.extensions.docker.lib.daemon.port import Fault, Image, Server
from harnest.extensions.docker.lib.workspace.opening import open_workspace
from harnest.extensions.docker.lib.workspace.paths import (
    check_allowed,
    check_listeners,
    check_work_directory,
    mounts_below,
    socket_paths,
)
from harnest.extensions.docker.lib.workspace.person import Person
from harnest.extensions.docker.lib.workspace.promises import image_of, memory_of

from conftest import ours, until
from harnest.execution import (
    TierUnavailableError,
    UnsupportedPromiseError,
    Workspace,
    WorkspaceConfig,
)
from harnest.sandbox import control

SOCKET = "/var/run/docker.sock"


def config(**options: Any) -> WorkspaceConfig:
    """Return a configuration of the tier."""
    return WorkspaceConfig(**{"tier": "docker", "image": "some/image", **options})


def opened(**options: Any) -> None:
    """Open and close a workspace with the SDK's daemon."""

    async def main() -> None:
        async with Workspace(config(**options)):
            pass

    asyncio.run(main())


# --- paths --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["/proc", "/proc/1", "/sys", "/sys/fs", "/dev", "/dev/shm", "/run", "/var", "/"]
)
def test_trees_of_the_kernel_and_of_services_are_never_shown(path: str) -> None:
    """What holds devices, the kernel's files or sockets of services is refused, whatever is in it."""
    if not Path(path).exists():
        pytest.skip(f"this host has no {path}")
    sockets = socket_paths(SOCKET)
    with pytest.raises(UnsupportedPromiseError, match="can't be shown"):
        check_allowed(Path(path), Path("/nowhere"), sockets)
    with pytest.raises(UnsupportedPromiseError, match="can't be shown"):
        check_work_directory(Path(path), sockets)


def test_the_daemon_s_socket_is_never_shown(tmp_path: Path) -> None:
    """Neither the socket, nor a folder that holds it, nor a link to it, at whatever place it is."""
    folder = tmp_path / "engine"
    folder.mkdir()
    place = folder / "engine.sock"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(place))
        link = tmp_path / "link"
        link.symlink_to(place)
        for sockets in (socket_paths(str(place)), socket_paths(str(link))):
            for path in (place, folder, tmp_path):
                with pytest.raises(UnsupportedPromiseError, match="engine"):
                    check_allowed(path, Path("/nowhere"), sockets)
            with pytest.raises(UnsupportedPromiseError, match="real absolute path"):
                check_allowed(link, Path("/nowhere"), sockets)
            with pytest.raises(UnsupportedPromiseError, match="engine"):
                check_work_directory(folder, sockets)


def test_a_folder_in_which_a_service_listens_is_refused(work: Path, tmp_path: Path) -> None:
    """The refusal names path and socket and is made before a container; other folders are allowed."""
    folder, other = tmp_path / "shown", tmp_path / "shown-too"
    for made in (folder, other):
        made.mkdir()
    engine = Engine()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "keys.sock"))
        check_listeners([folder])
        server.listen()
        with pytest.raises(UnsupportedPromiseError, match=r"keys\.sock.* Do: name") as refusal:
            open_workspace(config(allowed_paths=[other, folder]), work, engine)
        check_listeners([other])
    assert repr(str(folder)) in str(refusal.value)
    assert not engine.kept
    check_listeners([folder])


def test_what_is_no_file_or_folder_is_not_shown(tmp_path: Path) -> None:
    """Sockets and pipes of the host are refused even if nobody knows whose they are."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(UnsupportedPromiseError, match="neither a folder nor a file"):
        check_allowed(pipe, Path("/nowhere"), socket_paths(SOCKET))


def test_paths_that_programs_could_replace_or_that_are_taken_are_refused(tmp_path: Path) -> None:
    """What lies in the work directory, or where a container has something of its own, is refused."""
    inside = tmp_path / "work" / "inside"
    inside.mkdir(parents=True)
    sockets = socket_paths(SOCKET)
    with pytest.raises(UnsupportedPromiseError, match="lies in the work directory"):
        check_allowed(inside, tmp_path / "work", sockets)
    for taken in (Path("/tmp"), Path("/etc")):
        with pytest.raises(UnsupportedPromiseError, match="something of their own"):
            check_allowed(taken, Path("/nowhere"), sockets)
    odd = tmp_path / os.fsdecode(b"odd\xff")
    odd.mkdir()
    with pytest.raises(UnsupportedPromiseError, match="no UTF-8"):
        check_allowed(odd, Path("/nowhere"), sockets)
    check_allowed(inside, Path("/nowhere"), sockets)
    check_work_directory(tmp_path / "work", sockets)


def test_a_folder_with_another_file_system_below_it_is_refused(tmp_path: Path) -> None:
    """What is mounted below a folder would not be read-only, so it has to be named on its own."""
    table = tmp_path / "mountinfo"
    table.write_text(
        "1 0 8:1 / / rw - ext4 /dev/sda rw\n"
        "2 1 8:2 / /data/a\\040b/deep rw - ext4 /dev/sdb rw\n"
        "3 1 8:3 / /database rw - ext4 /dev/sdc rw\n"
    )
    assert mounts_below(Path("/data"), str(table)) == ["/data/a b/deep"]
    assert mounts_below(Path("/data/a b/deep"), str(table)) == []


def test_missing_paths_and_the_whole_host_are_refused_by_the_configuration(tmp_path: Path) -> None:
    """A configuration that names them is never made."""
    for path in (tmp_path / "missing", Path("/")):
        with pytest.raises(ValueError, match="allowed_paths"):
            config(allowed_paths=[path])


# --- users and values ---------------------------------------------------------------------------


def test_who_cannot_write_in_the_work_directory_is_refused(tmp_path: Path) -> None:
    """Programs run as the caller, or as the owner of the folder for root, and never as root."""
    facts = tmp_path.stat()
    if facts.st_uid == 0:
        with pytest.raises(UnsupportedPromiseError, match="belongs to root"):
            Person.of(tmp_path, made=False, uid=0, gid=0)
        os.chown(tmp_path, 4321, 0)
        assert Person.of(tmp_path, made=False, uid=0, gid=0) == Person(uid=4321, gid=4321)
        assert Person.of(tmp_path, made=True, uid=0, gid=0) == Person(uid=19_999, gid=19_999)
        assert tmp_path.stat().st_uid == 19_999
    else:
        assert Person.of(tmp_path, made=True, uid=facts.st_uid, gid=7).uid == facts.st_uid
    with pytest.raises(UnsupportedPromiseError, match="can't write"):
        Person.of(tmp_path / "missing", made=False, uid=4321, gid=4321)
    with pytest.raises(ValueError, match="never run as root"):
        Person(uid=1, gid=0)


def test_memory_that_no_container_fits_into_is_refused() -> None:
    """Scratch space is charged to memory, so there is a least memory, which the message names."""
    with pytest.raises(UnsupportedPromiseError, match="at least 48"):
        memory_of(config(max_memory_mb=47))
    assert memory_of(config(max_memory_mb=48)) == (48 << 20, 16 << 20)
    assert memory_of(config(max_memory_mb=512)) == (512 << 20, 64 << 20)


def test_the_image_is_the_configured_one_or_the_operator_s_or_the_default() -> None:
    """An image is never guessed: the configuration's, the operator's, or the documented default."""
    named = {"HARNEST_DOCKER_IMAGE": "theirs"}
    assert image_of(config(image="mine"), named)[0] == "mine"
    assert image_of(config(image=None), named)[0] == "theirs"
    name, remedy = image_of(config(image=None), {})
    assert name == "python:3.12-slim"
    assert "docker pull python:3.12-slim" in remedy


# --- daemons ------------------------------------------------------------------------------------


class Engine(FakeDaemon):
    """A daemon in memory, with answers of its own about itself and its image."""

    def __init__(self, *, socket: str | None = SOCKET, rootless: bool = False) -> None:
        super().__init__()
        self._socket = socket
        self._rootless = rootless
        self.volumes: tuple[str, ...] = ()

    def socket_path(self) -> str | None:
        """Say where it listens."""
        return self._socket

    def server(self, timeout: float) -> Server:
        """Say what it is."""
        return Server(
            version="20.10.24",
            api="1.41",
            machine="x86_64",
            system="linux",
            cpus=2,
            cgroup="1",
            rootless=self._rootless,
            local=self._socket is not None,
            runtimes=("runc",),
        )

    def image(self, reference: str, timeout: float) -> Image:
        """Return an image with volumes."""
        super().image(reference, timeout)
        return Image(id="sha256:1", machine="amd64", system="linux", volumes=self.volumes)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Return a work directory that a workspace made."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def test_a_remote_daemon_is_refused_without_being_asked(work: Path) -> None:
    """A daemon on another machine can't mount folders of this one; nothing is sent to it."""
    engine = Engine(socket=None)
    with pytest.raises(TierUnavailableError, match="not on this host") as caught:
        open_workspace(config(), work, engine)
    assert (caught.value.tier, "DOCKER_HOST" in caught.value.remedy) == ("docker", True)
    assert not engine.kept


def test_a_daemon_that_changes_user_numbers_is_refused(work: Path) -> None:
    """A rootless daemon would run programs as somebody who can't write in the work directory."""
    with pytest.raises(TierUnavailableError, match="without root"):
        open_workspace(config(), work, Engine(rootless=True))


def test_a_missing_image_is_never_pulled(work: Path) -> None:
    """A missing image is told with what to do about it, and nothing is fetched or made."""
    engine = Engine()
    engine.trouble("image", fault=Fault.NOT_FOUND)
    with pytest.raises(TierUnavailableError, match="the image 'mine' is not on this daemon"):
        open_workspace(config(image="mine"), work, engine)
    assert "pull" not in engine.calls
    assert not engine.kept


def test_a_path_that_is_gone_is_told(work: Path, tmp_path: Path) -> None:
    """A path that existed when the configuration was made, and doesn't any more, is a typed error."""
    folder = tmp_path / "folder"
    folder.mkdir()
    asked = config(allowed_paths=[folder])
    folder.rmdir()
    with pytest.raises((TierUnavailableError, UnsupportedPromiseError)):
        open_workspace(asked, work, Engine())


def test_an_image_with_a_volume_in_a_shown_folder_is_refused(work: Path) -> None:
    """A volume there would be made as a folder on the host, by root."""
    engine = Engine()
    engine.volumes = ("/data", "/workspace/cache/")
    with pytest.raises(UnsupportedPromiseError, match="/workspace/cache"):
        open_workspace(config(), work, engine)
    assert not engine.kept


@pytest.mark.parametrize("fault", [Fault.REFUSED, Fault.NO_SPACE, Fault.TIMEOUT, Fault.UNREACHABLE])
@pytest.mark.parametrize("step", ["create", "attach", "start"])
def test_a_failed_start_leaves_nothing(work: Path, step: str, fault: Fault) -> None:
    """Whatever step of the first container fails: a typed error, and nothing of it is left."""
    engine = Engine()
    engine.trouble(step, fault=fault)
    with pytest.raises(TierUnavailableError, match="can't run here"):
        open_workspace(config(), work, engine)
    assert not engine.kept


def test_a_container_in_which_something_does_not_hold_is_removed(work: Path) -> None:
    """A first container that answers something else than what was promised is not worked with."""
    engine = Engine()
    with pytest.raises(TierUnavailableError, match="does not give an answer from inside"):
        open_workspace(config(), work, engine)
    assert not engine.kept


def test_a_deadline_that_cuts_the_look_inside_off_is_one(work: Path) -> None:
    """What a container does not say before the caller's deadline is late, and no broken promise."""
    engine = Engine()
    engine.programs = lambda _: b""
    with (
        control.execute(2),
        pytest.raises(TierUnavailableError, match="no container was ready"),
    ):
        open_workspace(config(), work, engine)
    # After its deadline nobody waits for the removal longer than half a second.
    assert until(lambda: not engine.kept)


def test_a_daemon_that_is_down_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without a daemon nothing falls back to the host: a typed error says what to do."""
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nobody.sock")
    with pytest.raises(TierUnavailableError, match="no daemon answers") as caught:
        opened()
    assert "Start Docker" in caught.value.remedy


def test_a_remote_address_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """An address of another machine is refused by its text alone."""
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:1")
    with pytest.raises(TierUnavailableError, match="not on this host"):
        opened()


def test_a_missing_sdk_is_told() -> None:
    """Without the Docker SDK the tier says so, and how to get it."""
    code = (
        "import asyncio, sys\n"
        "sys.modules['docker'] = None\n"
        "from harnest.execution import TierUnavailableError, Workspace, WorkspaceConfig\n"
        "async def main():\n"
        "    try:\n"
        "        await Workspace(WorkspaceConfig(tier='docker')).__aenter__()\n"
        "    except TierUnavailableError as error:\n"
        "        print(error.reason, '|', error.remedy)\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout == "the package 'docker' is not installed | Run 'harnest env sync'\n", done


@pytest.mark.docker
@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"image": "harnest-test/no-such-image"}, "'harnest-test/no-such-image' is not on"),
        ({"image": "harnest-test/nopython"}, "program to start is not in the image"),
        ({"image": "harnest-test/oldpython"}, "Python"),
        ({"shell": "/bin/no-such-shell"}, "shell '/bin/no-such-shell'"),
        ({"python": "/usr/bin/no-such-python"}, "python '/usr/bin/no-such-python'"),
    ],
)
def test_an_image_that_cannot_serve_is_told(
    daemon: None, options: dict[str, str], reason: str
) -> None:
    """Before any call: which of image, interpreter and shell is missing or unusable."""
    with pytest.raises(TierUnavailableError, match=reason):
        opened(**{"image": "harnest-test/python", **options})
    assert until(lambda: not ours())
