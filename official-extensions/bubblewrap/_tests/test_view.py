from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from harnest_extension_bubblewrap.lib.allowed import allowed_view
from harnest_extension_bubblewrap.lib.interpreter import interpreter_view
from harnest_extension_bubblewrap.lib.view import View, system_view

from harnest.execution import UnsupportedPromiseError
from harnest.execution.local import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from .support import Room

USR = View(read_only=(("/usr", "/usr"),))


def test_of_etc_only_what_libraries_need_is_visible() -> None:
    """No users, no keys, no configuration of services."""
    shown = {place for _, place in system_view(network=False).read_only}
    assert "/usr" in shown
    assert "/etc" not in shown
    for name in ("passwd", "shadow", "group", "ssh", "hosts", "resolv.conf", "machine-id"):
        assert not system_view(network=False).shows(f"/etc/{name}")
    assert not system_view(network=False).shows("/etc/ssl/private/key.pem")


def test_look_up_settings_are_visible_only_with_the_network() -> None:
    """Where names are looked up is told only to who can do so."""
    having = {place for _, place in system_view(network=True).read_only}
    without = {place for _, place in system_view(network=False).read_only}
    assert having - without <= {"/etc/hosts", "/etc/resolv.conf", "/etc/host.conf", "/etc/gai.conf"}
    assert "/etc/hosts" in having - without


@pytest.mark.parametrize(
    "place", ["/home", "/root", "/run", "/var", "/sys", "/srv", "/opt", "/boot"]
)
def test_the_host_s_other_folders_are_not_visible(place: str) -> None:
    """Nothing is shown unless it is listed."""
    assert not system_view(network=True).shows(place)


def test_joined_views_list_nothing_twice_and_folders_before_their_contents() -> None:
    """What a folder shows already needs no mount of its own."""
    one = View(read_only=(("/a/b", "/a/b"), ("/usr", "/usr")))
    other = View(read_only=(("/a", "/a"), ("/usr/lib/x", "/usr/lib/x"), ("/c", "/c")))
    assert one.joined(other).read_only == (("/a", "/a"), ("/c", "/c"), ("/usr", "/usr"))


def test_our_own_interpreter_is_shown_with_its_environment_and_the_links_to_it(
    tmp_path: Path,
) -> None:
    """Its installation, the virtual environment, and nothing above either."""
    view = interpreter_view(sys.executable, shown=USR)
    for prefix in (sys.prefix, sys.base_prefix):
        assert USR.joined(view).shows(prefix)
    assert not view.shows(str(Path(sys.prefix).parent))


def test_a_chain_of_links_to_an_interpreter_is_rebuilt(tmp_path: Path) -> None:
    """Each link that lies where nothing is visible is a link inside as well."""
    first, second = tmp_path / "python", tmp_path / "folder" / "python3"
    second.parent.mkdir()
    first.symlink_to("folder/python3")
    second.symlink_to(os.path.realpath(sys.executable))
    view = interpreter_view(str(first), shown=USR)
    assert ("folder/python3", str(first)) in view.links
    assert (os.path.realpath(sys.executable), str(second)) in view.links
    assert not view.shows(str(tmp_path))


@pytest.mark.parametrize("text", ["#!/bin/sh\nexit 3\n", "#!/bin/sh\necho no json\n"])
def test_a_program_that_is_no_interpreter_is_refused(tmp_path: Path, text: str) -> None:
    """The reason is told, and the path is not."""
    program = tmp_path / "secret-name"
    program.write_text(text)
    program.chmod(0o755)
    with pytest.raises(Refusal, match="does not run") as refusal:
        interpreter_view(str(program), shown=USR)
    assert "secret-name" not in str(refusal.value)


def _claiming(tmp_path: Path, prefix: str) -> str:
    program = tmp_path / "python"
    answer = f'["{prefix}", "{prefix}", "{prefix}", "{prefix}", [3, 11]]'
    program.write_text(f"#!/bin/sh\necho '{answer}'\n")
    program.chmod(0o755)
    return str(program)


@pytest.mark.parametrize("prefix", ["/", "/home", str(Path.home())])
def test_an_installation_that_holds_a_home_is_refused(tmp_path: Path, prefix: str) -> None:
    """Showing it would show everything in that home."""
    with pytest.raises(Refusal, match="home"):
        interpreter_view(_claiming(tmp_path, prefix), shown=USR)


def test_an_interpreter_too_old_is_refused(tmp_path: Path) -> None:
    """What runs programs needs Python 3.8."""
    program = tmp_path / "python"
    program.write_text("""#!/bin/sh\necho '["/usr", "/usr", "/usr", "/usr", [3, 7]]'\n""")
    program.chmod(0o755)
    with pytest.raises(Refusal, match=r"3\.8"):
        interpreter_view(str(program), shown=USR)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/proc", "kernel"),
        ("/proc/1", "kernel"),
        ("/sys", "kernel"),
        ("/run", "daemons"),
        ("/dev", "kernel"),
        ("/dev/null", "kernel"),
        ("/tmp", "own files"),
        ("/home", "own files"),
        ("/home/sandbox/x", "own files"),
        ("/", "own files"),
    ],
)
def test_a_path_that_controls_more_than_files_is_refused(path: str, reason: str) -> None:
    """The message names the path, the rule and what to do."""
    with pytest.raises(ValueError, match=reason) as refusal:
        allowed_view([path])
    assert repr(path) in str(refusal.value)


def test_a_socket_or_fifo_is_refused_and_a_folder_or_file_is_shown(tmp_path: Path) -> None:
    """Connecting to a socket is no reading."""
    fifo, file = tmp_path / "fifo", tmp_path / "file"
    os.mkfifo(fifo)
    file.touch()
    with pytest.raises(ValueError, match="neither a folder nor a regular file"):
        allowed_view([str(fifo)])
    view = allowed_view([str(file), str(tmp_path)])
    assert view.read_only == ((str(tmp_path), str(tmp_path)),)


def test_a_folder_in_which_a_service_listens_is_refused(tmp_path: Path) -> None:
    """Path, socket and remedy are named, whatever link the service bound by; others are shown."""
    folder, link, other = tmp_path / "shown", tmp_path / "link", tmp_path / "shown-too"
    for made in (folder, other):
        made.mkdir()
    link.symlink_to(folder)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(link / "keys.sock"))
        server.listen()
        for path in (str(folder), str(tmp_path)):
            with pytest.raises(ValueError, match=r"keys\.sock.*Name the folders") as refusal:
                allowed_view([str(other), path])
            assert repr(path) in str(refusal.value)
        assert allowed_view([str(other)]).shows(str(other))
    assert allowed_view([str(folder)]).shows(str(folder))


def test_an_opening_refuses_a_folder_in_which_a_service_listens(
    open_room: Callable[..., Room], tmp_path: Path
) -> None:
    """A workspace is not opened at all, by the typed error of a promise that can't be kept."""
    folder = tmp_path / "shown"
    folder.mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "keys.sock"))
        server.listen()
        with pytest.raises(UnsupportedPromiseError, match=r"keys\.sock"):
            open_room(allowed_paths=[folder])


@pytest.mark.parametrize("variable", ["DOCKER_HOST", "CONTAINER_HOST"])
def test_the_socket_of_a_container_engine_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str
) -> None:
    """Where the variable says that it is, whether or not it answers; a remote one is no path."""
    folder = tmp_path / "engine"
    folder.mkdir()
    monkeypatch.setenv(variable, f"unix://{folder}/engine.sock")
    for path in (folder, tmp_path):
        with pytest.raises(ValueError, match="container engine"):
            allowed_view([str(path)])
    monkeypatch.setenv(variable, "tcp://127.0.0.1:2375")
    assert allowed_view([str(folder)]).shows(str(folder))
