"""What operators ask at the command line: what holds here, what is there, what is left over."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from harnest.extensions.docker.lib.plan.network import host_routes
from own_daemon import IMAGE, OwnDaemon, missing

from conftest import Box, command, meta, ours, patiently, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.docker
HARNEST = (sys.executable, "-m", "harnest_ext")
SANDBOX = """\
from harnest.extensions.docker import docker

python = docker.sandbox({options})
"""
HOLD = """\
import sys
from harnest.extensions.docker import DockerScope, docker
from harnest.sandbox import SandboxContext, SandboxRequest

other = docker.service(
    name="other", image={image!r}, command=["python3", "-c", "import time; time.sleep(600)"]
)
box = docker.sandbox(docker_path={folder!r}, scope=DockerScope.SESSION, services=[other]).build()
who = SandboxContext(agent_name="a", user_id="u", session_id="s")
box.execute(SandboxRequest(code="print(1)", context=who))
print("ready", flush=True)
sys.stdin.read()
"""
FIREWALL = ("INPUT", "-i", "hx+", "-j", "DROP")
LISTEN = """\
import socket
link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
link.bind(("", 4444))
print("listening", flush=True)
print(link.recv(10).decode())
"""
END = """\
import socket
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"nothing", ("127.0.0.1", 4444))
"""
SHOUT = """\
import socket
link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
link.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
for _ in range(5): link.sendto(b"shouted", ("255.255.255.255", 4444))
print("sent")
"""


class Project:
    """An agent project with this extension, and the command line in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "demo"
        made = [*HARNEST, "init", "demo", "--sandbox", "docker", "--image", IMAGE]
        subprocess.run(made, cwd=folder, check=True, capture_output=True, timeout=120)

    def declare(self, **options: Any) -> None:
        """Declare the one sandbox."""
        text = ", ".join(f"{name}={value!r}" for name, value in {"image": IMAGE, **options}.items())
        (self.folder / "sandbox" / "python.py").write_text(SANDBOX.format(options=text))

    def ask(self, *words: str, through: Callable[..., list[str]] | None = None) -> Any:
        """Run ``harnest sandbox ... --json`` and return its answer."""
        line = [*HARNEST, "sandbox", *words, "--json"]
        done = subprocess.run(
            through(*line) if through else line,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.stdout, done.stderr
        return json.loads(done.stdout)

    def doctor(self, through: Callable[..., list[str]] | None = None) -> dict[str, tuple[str, str]]:
        """Return state and remedy by what was looked at."""
        (row,) = self.ask("doctor", through=through)["sandboxes"]
        return {item["name"]: (item["state"], item["remedy"]) for item in row["diagnoses"]}


@pytest.fixture
def project(daemon: None, tmp_path: Path) -> Project:
    """A project of its own."""
    return Project(tmp_path)


@pytest.fixture
def host(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process with a retained topology of an image that it built."""
    folder = tmp_path / "image"
    folder.mkdir()
    (folder / "Dockerfile").write_text(f"FROM {IMAGE}\nCOPY mark /mark\n")
    (folder / "mark").write_text(str(tmp_path))
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD.format(image=IMAGE, folder=str(folder))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    yield process
    process.kill()
    process.communicate()


def of(host: subprocess.Popen[str], resources: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the resources of one process."""
    return [item for item in resources if f".{host.pid}." in item["owner"]]


def dead(project: Project) -> set[str]:
    """Return what is there of processes that are gone."""
    return {item["id"] for item in project.ask("ps")["resources"] if item["owner_alive"] is False}


def test_the_list_names_what_is_there_whose_it_is_and_whether_its_owner_lives(
    project: Project, host: subprocess.Popen[str]
) -> None:
    """``ps`` lists containers, the network and the built image of another process."""
    found = of(host, project.ask("ps")["resources"])
    assert sorted(item["kind"] for item in found) == ["container", "container", "image", "network"]
    for item in found:
        assert item["owner_alive"] is True
        assert item["age_seconds"] >= 0
        assert (item["provider"], item["sandboxes"]) == ("docker", ["python"])
    assert {item["id"] for item in found if item["kind"] != "image"} == set(ours(host.pid))
    assert {item["state"] for item in found if item["kind"] == "container"} == {"running"}


def test_pruning_takes_what_the_dead_left_and_nothing_of_the_living(
    project: Project, host: subprocess.Popen[str]
) -> None:
    """While its owner lives nothing is removed; then containers, network and image are, and are named."""
    assert of(host, project.ask("prune")["removed"]) == []
    assert len(ours(host.pid)) == 3
    there = of(host, project.ask("ps")["resources"])
    host.kill()
    host.wait()
    answer = project.ask("prune")
    removed = of(host, answer["removed"])
    assert sorted(item["id"] for item in removed) == sorted(item["id"] for item in there)
    assert of(host, answer["kept"]) == []
    assert ours(host.pid) == []
    images = command("image", "ls", "-aq", "--filter", "label=dev.harnest.resource=image")
    assert {item["id"] for item in removed if item["kind"] == "image"}.isdisjoint(images.split())
    assert of(host, project.ask("ps")["resources"]) == []


def test_the_doctor_starts_a_container_and_says_what_holds(project: Project) -> None:
    """Every row is what was tried here; nothing of it is left."""
    before = dead(project)
    found = project.doctor()
    assert {name for name, (state, _) in found.items() if state == "ok"} >= {
        *("daemon", "architecture", "subnets"),
        *("container", "limits", "privileges", "cleanup"),
    }
    assert dead(project) <= before


@pytest.mark.parametrize(
    ("options", "environment", "row", "remedy"),
    [
        ({"base_url": "tcp://127.0.0.1:1"}, {}, "daemon", "base_url"),
        ({"runtime": "no-such-runtime"}, {}, "runtime", "install the runtime"),
        ({"image": "harnest-test/nopython"}, {}, "container", "phase"),
        ({}, {"HARNEST_DOCKER_UIDS": "1-2"}, "settings", "setting"),
    ],
    ids=["no-daemon", "unknown-runtime", "no-python", "bad-setting"],
)
def test_the_doctor_names_what_does_not_hold_and_what_to_do(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    options: dict[str, Any],
    environment: dict[str, str],
    row: str,
    remedy: str,
) -> None:
    """A daemon, runtime, image or setting that is wrong is unavailable, with a remedy."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    project.declare(**options)
    state, advice = project.doctor()[row]
    assert (state, remedy in advice) == ("unavailable", True)


def test_the_doctor_names_ranges_that_the_host_has_routes_into(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where every range for topologies is the host's own, it says which setting to change."""
    asked: list[object] = []

    def attempt(_: int) -> tuple[str, str]:
        asked.append(next(route for route in host_routes() if 8 <= route.prefixlen <= 28))
        monkeypatch.setenv("HARNEST_DOCKER_SUBNETS", str(asked[-1]))
        return project.doctor()["subnets"]

    # A route of somebody's network goes with that network.
    state, advice = patiently(attempt, lambda _: asked[-1] in host_routes())
    assert (state, "HARNEST_DOCKER_SUBNETS" in advice) == ("unavailable", True)


def test_a_build_has_no_network_and_bounded_memory(box: Callable[..., Box], tmp_path: Path) -> None:
    """Steps of a Dockerfile reach nobody, and take at most a gibibyte."""
    look = (
        "import os, socket; paths = ('/sys/fs/cgroup/memory/memory.limit_in_bytes', '/sys/fs/cgroup/memory.max'); "
        "print([n for _, n in socket.if_nameindex()], "
        "*(open(p).read().strip() for p in paths if os.path.exists(p)))"
    )
    (tmp_path / "Dockerfile").write_text(f'FROM {IMAGE}\nRUN python3 -c "{look}" >/facts\n')
    one = box(image=None, docker_path=str(tmp_path))
    result = one.run("print(open('/facts').read(), end='')")
    assert result.stdout == f"['lo'] {1 << 30}\n", (result.stderr, meta(result))
    for item in one.provider.inventory():
        if item.kind == "image" and f".{os.getpid()}." in item.owner:
            command("image", "rm", item.resource_id)


@pytest.fixture
def own(daemon: None) -> Iterator[OwnDaemon]:
    """A daemon of the test's own, whose host's firewall is the test's own too."""
    reason = missing() or ("" if shutil.which("iptables") else "there is no iptables")
    if reason:
        pytest.skip(reason)
    one = OwnDaemon()
    try:
        yield one
    finally:
        one.remove()


def shouted(own: OwnDaemon) -> str:
    """Let a program in a topology of *own* shout, and return what a listener of its host hears."""
    listener = subprocess.Popen(
        own.inside(sys.executable, "-u", "-c", LISTEN), stdout=subprocess.PIPE, text=True
    )
    code = (
        "from harnest.extensions.docker import docker\nfrom harnest.sandbox import SandboxRequest\n"
        f"other = docker.service(name='other', image={IMAGE!r}, command=['python3', '-c', 'import time; time.sleep(600)'])\n"
        f"box = docker.sandbox(image={IMAGE!r}, base_url={own.address!r}, services=[other]).build()\n"
        f"print(box.execute(SandboxRequest(code={SHOUT!r})).stdout, end='')\nbox.close()\n"
    )
    assert listener.stdout is not None
    assert listener.stdout.readline() == "listening\n"
    done = subprocess.run(
        own.inside(sys.executable, "-c", code),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout == "sent\n", done.stderr
    # The listener takes what came first.
    subprocess.run(own.inside(sys.executable, "-W", "ignore", "-c", END), check=True, timeout=60)
    return listener.communicate(timeout=60)[0].strip()


def test_the_one_firewall_rule_ends_what_is_sent_to_everybody(
    project: Project, own: OwnDaemon
) -> None:
    """Without the rule a broadcast reaches the host and the doctor says so; with it neither does."""
    project.declare(base_url=own.address)
    state, remedy = project.doctor(own.inside)["host-broadcast"]
    assert (state, remedy) == ("degraded", f"iptables -I {' '.join(FIREWALL)}")
    assert shouted(own) == "shouted"
    subprocess.run(own.inside(*remedy.split()), check=True, timeout=60, env=dict(os.environ))
    # A slow machine may not have an answer of iptables in time.
    assert until(lambda: project.doctor(own.inside)["host-broadcast"][0] == "ok")
    assert shouted(own) == "nothing"
    assert own.left() == []
