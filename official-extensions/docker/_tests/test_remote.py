"""A daemon at another address: over TLS with certificates on both sides, and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import certificates
import pytest
from own_daemon import IMAGE, TLS_ADDRESS, OwnDaemon, missing

from conftest import until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.docker
SCRIPT = f"""\
import json, time
from harnest.extensions.docker import DockerScope, docker
from harnest.sandbox import SandboxContext, SandboxExecutionError, SandboxFile, SandboxRequest

ADDRESS, IMAGE = {TLS_ADDRESS!r}, {IMAGE!r}
who = SandboxContext(agent_name="a", user_id="u", session_id="s")

def make(**options):
    return docker.sandbox(image=IMAGE, base_url=ADDRESS, timeout_seconds=120, **options).build()

def ask(box, code, **options):
    return box.execute(SandboxRequest(code=code, context=who, **options))
"""


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Certificates of a server and a client that trust the same authority."""
    if shutil.which("openssl") is None:
        pytest.skip("certificates are made with openssl")
    return certificates.make(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def remote(daemon: None, sides: dict[str, Path]) -> Iterator[OwnDaemon]:
    """A daemon of the tests' own that listens on TCP, to known clients."""
    if reason := missing():
        pytest.skip(reason)
    one = OwnDaemon(sides["server"])
    try:
        yield one
    finally:
        one.remove()


def environment(folder: Path | None) -> dict[str, str]:
    """Return this process's environment with the client's certificates in *folder*.

    What is said there about web servers, a bundle that does not exist and a proxy that does not answer,
    must not count.
    """
    found = {name: text for name, text in os.environ.items() if not name.startswith("DOCKER_")}
    found |= {"REQUESTS_CA_BUNDLE": "/nonexistent", "HTTPS_PROXY": "http://127.0.0.1:1"}
    if folder is None:
        return found
    return found | {"DOCKER_TLS_VERIFY": "1", "DOCKER_CERT_PATH": str(folder)}


def told(remote: OwnDaemon, folder: Path | None, code: str) -> Any:
    """Run *code* in a process that reaches the daemon only by TCP, and return its last line."""
    done = subprocess.run(
        remote.inside(sys.executable, "-c", SCRIPT + code),
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_everything_works_over_tls(remote: OwnDaemon, sides: dict[str, Path]) -> None:
    """Fresh, retained and waiting containers, services, files, much output and a deadline."""
    found = told(
        remote,
        sides["client"],
        "kept = make(scope=DockerScope.SESSION, files=docker.files(), max_output_bytes=8 << 20)\n"
        'first = ask(kept, \'open("/tmp/kept", "w").write(open("in").read())\','
        " input_files=(SandboxFile('in', b'kept'),))\n"
        'second = ask(kept, \'import os; os.mkdir("outputs"); open("outputs/x", "w").write("x");'
        ' print(open("/tmp/kept").read())\')\n'
        'large = ask(kept, \'print("y" * (5 << 20), end="")\')\n'
        "for seconds in (1, 2, 4, 8, 16):\n"
        "    late = ask(kept, 'print(1, flush=True); import time; time.sleep(600)', timeout_seconds=seconds)\n"
        "    if late.stdout: break\n"
        "warm = make(warm=1)\n"
        "ask(warm, 'print(1)')\n"
        "until = time.monotonic() + 60\n"
        "while time.monotonic() < until and not warm._engine.household._pool._ready: time.sleep(.05)\n"
        "quick = ask(warm, 'print(2)')\n"
        "other = docker.service(name='other', image=IMAGE, command=['python3', '-m', 'http.server', '8000'],"
        " readiness=docker.readiness(tcp=8000))\n"
        "net = make(services=[other])\n"
        "served = ask(net, 'import socket; print(socket.create_connection((\"other\", 8000), 60) is not None)')\n"
        "for box in (kept, warm, net): box.close()\n"
        "print(json.dumps([first.metadata['fresh'], second.metadata['fresh'], second.stdout,"
        " [f.name for f in second.output_files], len(large.stdout), large.metadata['fresh'],"
        " late.status.value, late.stdout, 'container creation' in quick.metadata['duration_ms'],"
        " quick.stdout, served.stdout]))",
    )
    assert found == [
        *(True, False, "kept\n", ["x"]),
        *(5 << 20, False),
        *("timed_out", "1\n"),
        *(False, "2\n"),
        "True\n",
    ]
    assert remote.left() == []


def test_the_container_ends_with_its_host_also_over_tls(
    remote: OwnDaemon, sides: dict[str, Path]
) -> None:
    """When the process that speaks TLS is killed its container ends by itself."""
    process = subprocess.Popen(
        remote.inside(
            sys.executable,
            "-c",
            SCRIPT + "make().execute_streaming(SandboxRequest(code='print(1, flush=True)\\n"
            "import time; time.sleep(600)'), lambda *_: print('on', flush=True))",
        ),
        env=environment(sides["client"]),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "on\n"
    assert len(remote.command("ps", "-q").split()) == 1
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert until(lambda: remote.command("ps", "-q") == "")
    told(remote, sides["client"], "print(json.dumps(len(make().prune().removed)))")
    assert remote.left() == []


@pytest.mark.parametrize("known", ["nothing", "another authority", "no files"])
def test_a_client_that_is_not_trusted_gets_a_typed_error(
    remote: OwnDaemon, sides: dict[str, Path], tmp_path: Path, known: str
) -> None:
    """Without the right certificates no daemon is spoken to; the error says what to look at."""
    folder: Path | None = None
    if known == "another authority":
        folder = certificates.make(tmp_path / "other")["client"]
    elif known == "no files":
        folder = tmp_path
    kind, phase, text = told(
        remote,
        folder,
        "try: ask(make(), 'print(1)')\n"
        "except SandboxExecutionError as error:\n"
        "    print(json.dumps([type(error).__name__, error.phase, str(error)]))",
    )
    assert (kind, phase) == ("DockerUnavailable", "daemon connection")
    assert "DOCKER_CERT_PATH" in text
    assert str(tmp_path) not in text


def test_the_doctor_says_what_cannot_be_seen_from_afar(
    remote: OwnDaemon, sides: dict[str, Path]
) -> None:
    """Limits are read inside a container there; the far machine's firewall cannot be looked at."""
    found = told(
        remote,
        sides["client"],
        "print(json.dumps({item.name: item.state.value for item in make().diagnose()}))",
    )
    assert {found[name] for name in ("daemon", "container", "limits", "cleanup")} == {"ok"}
    assert found["host-broadcast"] == "degraded"
    assert remote.left() == []
