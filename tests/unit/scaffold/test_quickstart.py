from __future__ import annotations

import http.server
import json
import socketserver
import threading
from typing import TYPE_CHECKING

import pytest

from harnest_ext.cli.choosing import choose
from harnest_ext.cli.daemon import Daemon
from harnest_ext.cli.main import run
from harnest_ext.cli.output import Output
from tests.support.waiting import LONG

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

IMAGES = [
    {"RepoTags": ["python:3.12-slim", "mirror/python:3"]},
    {"RepoTags": ["<none>:<none>"]},
    {"RepoTags": None},
]


class Engine(http.server.BaseHTTPRequestHandler):
    """Answers as a Docker daemon does, as far as it is asked."""

    def do_GET(self) -> None:
        """Answer a question."""
        body = json.dumps(IMAGES).encode() if self.path == "/images/json" else b"OK"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        """Pull whatever is asked for; what can't be pulled is said in the stream, status 200."""
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"error":"not found"}\r\n')

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class UnixServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    """An HTTP server on a socket of the file system."""

    daemon_threads = True

    def get_request(self) -> tuple[object, object]:
        """Give the handler an address that it can format."""
        request, _ = super().get_request()
        return request, ("local", 0)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Daemon]:
    """A daemon that answers."""
    path = tmp_path / "engine.sock"
    with UnixServer(str(path), Engine) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield Daemon(address=f"unix://{path}")
        server.shutdown()
        thread.join()


def test_a_daemon_that_answers_tells_its_images(engine: Daemon) -> None:
    """Names with tags, sorted; images without a name are left out."""
    assert engine.objection() == ""
    assert engine.images() == ("mirror/python:3", "python:3.12-slim")


def test_a_pull_counts_only_if_the_image_is_there_afterwards(engine: Daemon) -> None:
    """The daemon answers 200 to a pull that fails; only the image itself is evidence."""
    assert engine.pull("python:3.12-slim", LONG)
    assert not engine.pull("nobody/nothing:1", LONG)


@pytest.mark.parametrize("address", ["unix:///nowhere.sock", "ssh://host", "tcp://127.0.0.1:1"])
def test_a_daemon_that_is_not_there_is_an_objection(address: str) -> None:
    """Whatever is wrong is half a sentence for the user, not an exception."""
    daemon = Daemon(address=address)
    assert "Docker daemon" in daemon.objection()
    assert not daemon.pull("python:3", 1)


def test_the_daemon_is_the_one_that_the_environment_names() -> None:
    """DOCKER_HOST counts; without it the usual socket."""
    assert Daemon.at_hand({"DOCKER_HOST": "tcp://h:1"}).address == "tcp://h:1"
    assert Daemon.at_hand({}).address == "unix:///var/run/docker.sock"


@pytest.mark.parametrize("wanted", ["process", "docker"])
def test_what_the_user_asks_for_is_used(wanted: str) -> None:
    """An explicit choice is not second-guessed."""
    choice = choose(Output(), wanted=wanted, image=None)
    assert (choice.sandbox, choice.reason) == (wanted, "you asked for it")


def test_without_a_daemon_process_is_chosen_and_the_reason_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The reason names what is missing."""
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere.sock")
    choice = choose(Output(), wanted=None, image=None)
    assert choice.sandbox == "process"
    assert "Docker" in choice.reason or "docker" in choice.reason


@pytest.mark.parametrize(
    "arguments", [["--sandbox", "process", "--image", "x"], ["--project", "."]]
)
def test_options_that_contradict_are_refused(arguments: list[str]) -> None:
    """Exit 2, and nothing is made."""
    assert run(["quickstart", *arguments]) == 2
