"""A second Docker daemon that belongs to the tests: it may be killed, frozen and starved of addresses.

It lives in a nest: a PID, mount and network namespace of its own whose first process waits for the end
of a pipe that this process holds. With the nest, whatever way it ends, all its processes, bridges and
mounts are gone; its data lies on a bounded tmpfs that only the nest sees. The daemon that was found is
asked for one image and is otherwise left alone.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

IMAGE = "harnest-test/python"
ADDRESS_POOL = "10.97.0.0/27"
"""What the daemon gives addresses from when nobody names a subnet: two networks of sixteen."""
SUBNET_BITS = 28
TLS_ADDRESS = "tcp://127.0.0.1:2376"
"""Where a daemon with certificates listens, as seen from its network namespace."""
_START_SECONDS = 120
_END_SECONDS = 60
_LOAD_SECONDS = 120
_PING_SECONDS = 0.5
_DATA_BYTES = 768 << 20
_POLL_SECONDS = 0.05
_TOOLS = ("dockerd", "docker", "unshare", "mount")


def missing() -> str:
    """Return why no daemon can be started here; empty if one can."""
    if os.geteuid():
        return "a daemon of the tests' own needs root"
    tools = [tool for tool in _TOOLS if shutil.which(tool) is None]
    return f"a daemon of the tests' own needs {', '.join(tools)}" if tools else ""


class OwnDaemon:
    """One daemon, started with the object; :meth:`remove` ends it and everything of it.

    With the folder of a server's *certificates* it also listens on :data:`TLS_ADDRESS` inside its network
    namespace, to clients that its authority knows.
    """

    def __init__(self, certificates: Path | None = None) -> None:
        self._certificates = certificates
        # Short, and outside of any folder with a long name: it holds the paths of sockets.
        self._folder = Path(tempfile.mkdtemp(prefix="hxd-", dir="/tmp"))
        self._cgroup = self._folder.name
        for name in ("data", "exec"):
            (self._folder / name).mkdir()
        (self._folder / "config.json").write_text("{}")
        self._log = (self._folder / "log").open("ab")
        self._nest: subprocess.Popen[bytes] | None = None
        self._alive = False
        try:
            self._make_nest()
            self.start()
            self._load()
        except BaseException:
            self.remove()
            raise

    @property
    def address(self) -> str:
        """The daemon's address, as ``base_url``."""
        return f"unix://{self._socket}"

    def start(self) -> None:
        """Start the daemon in its nest and wait until it answers."""
        self._begin()
        self._await_answer()

    def _begin(self) -> None:
        # What a killed daemon wrote there is the number of a process that is none any more.
        (self._folder / "pid").unlink(missing_ok=True)
        self._alive = self._say("start")

    def kill(self) -> None:
        """End the daemon by SIGKILL; its containers run on."""
        self._alive = self._say(str(signal.SIGKILL.value))

    def freeze(self) -> None:
        """Stop the daemon where it is; connections to it are accepted and never answered."""
        self._say(str(signal.SIGSTOP.value))

    def restart(self) -> None:
        """Kill the daemon and start it again."""
        self.kill()
        self.start()

    def back(self) -> None:
        """Bring the daemon back, whatever was done to it, and wait until it answers."""
        if self._alive:
            self._say(str(signal.SIGCONT.value))
            self._await_answer()
        else:
            self.start()

    def answers(self) -> bool:
        """Return whether the daemon answers now."""
        with suppress(OSError), socket.socket(socket.AF_UNIX) as link:
            link.settimeout(_PING_SECONDS)
            link.connect(self._socket)
            link.sendall(b"GET /_ping HTTP/1.0\r\n\r\n")
            return b" 200 " in link.recv(64)
        return False

    def command(self, *arguments: str) -> str:
        """Run the docker client on this daemon and return what it prints."""
        done = subprocess.run(
            ["docker", "-H", self.address, *arguments],
            capture_output=True,
            text=True,
            timeout=_END_SECONDS,
            check=True,
        )
        return done.stdout

    def inside(self, *command: str) -> list[str]:
        """Return *command* as one that runs in the daemon's network namespace."""
        assert self._nest is not None
        return ["nsenter", f"--net=/proc/{self._nest.pid}/ns/net", *command]

    def left(self) -> list[str]:
        """Return the containers and networks of ours that the daemon has."""
        ours = "label=dev.harnest.managed"
        names = self.command("ps", "-a", "--filter", ours, "--format", "{{.Names}}")
        names += self.command("network", "ls", "--filter", ours, "--format", "{{.Name}}")
        return names.split()

    def subnets(self) -> list[str]:
        """Return the subnets of all its networks."""
        networks = self.command("network", "ls", "-q").split()
        facts = json.loads(self.command("network", "inspect", *networks))
        return [pool["Subnet"] for item in facts for pool in item["IPAM"]["Config"] or ()]

    def remove(self) -> None:
        """End the nest with everything in it, and remove what it leaves on this host."""
        if self._nest is not None:
            assert self._nest.stdin is not None
            assert self._nest.stdout is not None
            self._nest.stdin.close()
            try:
                self._nest.wait(_END_SECONDS)
            finally:
                # Its child goes with it (--kill-child), and the whole namespace with that.
                self._nest.kill()
                self._nest.wait(_END_SECONDS)
                self._nest.stdout.close()
        self._log.close()
        for top in Path("/sys/fs/cgroup").glob(f"*/{self._cgroup}"):
            for folder, _, _ in os.walk(top, topdown=False):
                Path(folder).rmdir()
        shutil.rmtree(self._folder)

    @property
    def _socket(self) -> str:
        return str(self._folder / "socket")

    def _make_nest(self) -> None:
        folder = self._folder
        data = f"size={_DATA_BYTES}"
        self._nest = subprocess.Popen(
            [
                *("unshare", "--pid", "--net", "--mount", "--fork", "--mount-proc", "--kill-child"),
                *("sh", "-c", 'mount -t tmpfs -o "$1" none "$2" && shift 2 && exec "$@"', "nest"),
                *(data, f"{folder}/data"),
                *(sys.executable, "-I", str(Path(__file__).with_name("nest.py"))),
                "dockerd",
                f"--config-file={folder}/config.json",
                f"--host={self.address}",
                f"--data-root={folder}/data",
                f"--exec-root={folder}/exec",
                f"--pidfile={folder}/pid",
                "--bridge=none",
                f"--default-address-pool=base={ADDRESS_POOL},size={SUBNET_BITS}",
                f"--cgroup-parent=/{self._cgroup}",
                *self._tls(),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
        )
        self._hear()

    def _tls(self) -> list[str]:
        if self._certificates is None:
            return []
        names = {"tlscacert": "ca.pem", "tlscert": "cert.pem", "tlskey": "key.pem"}
        files = [f"--{option}={self._certificates / name}" for option, name in names.items()]
        return [f"--host={TLS_ADDRESS}", "--tlsverify", *files]

    def _say(self, word: str) -> bool:
        """Tell the nest what to do; return whether its daemon lives afterwards."""
        assert self._nest is not None
        assert self._nest.stdin is not None
        self._nest.stdin.write(f"{word}\n".encode())
        self._nest.stdin.flush()
        return self._hear() == b"1\n"

    def _hear(self) -> bytes:
        assert self._nest is not None
        assert self._nest.stdout is not None
        answer = self._nest.stdout.readline()
        if not answer:
            raise RuntimeError(f"no namespace for a daemon of the tests' own: {self._last_words()}")
        return answer

    def _await_answer(self) -> None:
        end = time.monotonic() + _START_SECONDS
        while not self.answers():
            if time.monotonic() > end:
                raise RuntimeError(f"the tests' own daemon gives no answer: {self._last_words()}")
            if not self._say("0"):
                # On a slow machine it gives up on its containerd, and meets it when it is started again.
                self._begin()
            time.sleep(_POLL_SECONDS)

    def _last_words(self) -> str:
        return (self._folder / "log").read_text(errors="replace")[-2000:]

    def _load(self) -> None:
        with subprocess.Popen(["docker", "save", IMAGE], stdout=subprocess.PIPE) as image:
            subprocess.run(
                ["docker", "-H", self.address, "load", "-q"],
                stdin=image.stdout,
                stdout=subprocess.DEVNULL,
                timeout=_LOAD_SECONDS,
                check=True,
            )
