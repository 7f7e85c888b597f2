"""A daemon in memory that implements the port: it keeps what is made, and fails where it is told to.

Its containers answer with PID 1's protocol but run nothing: a program's text names what comes of it.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from harnest.extensions.docker.lib.daemon.port import (
    ContainerState,
    DaemonFault,
    Fault,
    Found,
    Image,
    Server,
)
from harnest.extensions.docker.lib.pid1 import wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from harnest.extensions.docker.lib.plan.network import NetworkPlan


@dataclass
class Trouble:
    """What goes wrong with one method: a fault, before or after the work, or an answer that is late."""

    fault: Fault | None = None
    lost: bool = False
    seconds: float = 0.0
    times: int = 1


@dataclass
class Container:
    """One container."""

    id: str
    name: str
    body: Mapping[str, Any]
    status: str = "created"
    exit_code: int = 0
    oom_killed: bool = False
    health: str = ""
    created: float = field(default_factory=time.time)
    channel: FakeChannel | None = None


class FakeChannel:
    """PID 1's end of a stream: each frame of the host is answered by *answer*."""

    def __init__(self, answer: Callable[[bytes, bytes], bytes | None]) -> None:
        self._answer = answer
        self._incoming = bytearray()
        self._out = bytearray()
        self._changed = threading.Condition()
        self.ended = False
        self.closed = False

    def send(self, data: bytes, timeout: float) -> None:
        """Take bytes of the host."""
        if self.closed or self.ended:
            raise DaemonFault(Fault.UNREACHABLE)
        self._incoming += data
        while len(self._incoming) >= wire.HEADER.size:
            kind, size = wire.HEADER.unpack_from(self._incoming)
            if len(self._incoming) < wire.HEADER.size + size:
                return
            payload = bytes(self._incoming[wire.HEADER.size : wire.HEADER.size + size])
            del self._incoming[: wire.HEADER.size + size]
            said = self._answer(kind, payload)
            if said is None:
                self.end()
            else:
                self.say(said)

    def say(self, data: bytes) -> None:
        """Let PID 1 write *data*, in two frames of the daemon's."""
        half = len(data) // 2
        with self._changed:
            for part in (data[:half], data[half:]):
                self._out += b"\1\0\0\0" + len(part).to_bytes(4, "big") + part
            self._changed.notify_all()

    def end(self) -> None:
        """Let PID 1 end."""
        with self._changed:
            self.ended = True
            self._changed.notify_all()

    def receive(self, timeout: float) -> bytes | None:
        """Give bytes to the host."""
        with self._changed:
            self._changed.wait_for(lambda: self._out or self.ended or self.closed, timeout)
            if self._out:
                taken = bytes(self._out[:7])
                del self._out[:7]
                return taken
            return b"" if self.ended or self.closed else None

    def exchange(self, data: memoryview, timeout: float) -> tuple[int, bytes | None]:
        """Take bytes of the host, and give what waits for it."""
        self.send(bytes(data), timeout)
        return len(data), self.receive(0.0)

    def close(self) -> None:
        """End the stream."""
        with self._changed:
            self.closed = True
            self._changed.notify_all()


def ending(**facts: object) -> bytes:
    """Return PID 1's last word of a run."""
    said: dict[str, object] = {
        "signal": 0,
        "exit": 0,
        "reason": "-",
        "oom_kill": 0,
        "pids_max": 0,
        "dropped_stdout": 0,
        "dropped_stderr": 0,
        "killed": 0,
        "microseconds": 1000,
    }
    return wire.pack(wire.EXIT, wire.pack_facts({**said, **facts}))


class FakeDaemon:
    """The daemon; ``troubles`` says what goes wrong by method, in order."""

    def __init__(self) -> None:
        self.kept: dict[str, Container] = {}
        self.networks_kept: dict[str, NetworkPlan] = {}
        self.troubles: dict[str, deque[Trouble]] = {}
        self.calls: list[str] = []
        self.facts: dict[str, object] = {}
        self.programs: Callable[[bytes], bytes | None] = lambda code: (
            wire.pack(wire.STDOUT, code) + ending()
        )
        self.hello: bytes | None = b""
        self.taken: list[str] = []
        self._numbers = itertools.count(1)
        self._lock = threading.RLock()

    # --- trouble --------------------------------------------------------------------------------

    def trouble(self, method: str, **what: Any) -> None:
        """Let the next calls of *method* go wrong."""
        self.troubles.setdefault(method, deque()).append(Trouble(**what))

    def _do(self, method: str, timeout: float, work: Callable[[], Any]) -> Any:
        self.calls.append(method)
        trouble = self._next(method)
        if trouble is None:
            with self._lock:
                return work()
        if trouble.seconds:
            time.sleep(min(trouble.seconds, timeout))
            if trouble.seconds > timeout:
                raise DaemonFault(Fault.TIMEOUT)
        if trouble.lost:
            with self._lock:
                work()
        if trouble.fault is not None:
            raise DaemonFault(trouble.fault)
        with self._lock:
            return work()

    def _next(self, method: str) -> Trouble | None:
        waiting = self.troubles.get(method)
        if not waiting:
            return None
        waiting[0].times -= 1
        return waiting.popleft() if waiting[0].times <= 0 else waiting[0]

    @property
    def empty(self) -> bool:
        """Whether nothing is left."""
        return not self.kept and not self.networks_kept

    # --- the port -------------------------------------------------------------------------------

    def socket_path(self) -> str | None:
        """Say that it is reached by a socket of this host."""
        return "/var/run/docker.sock"

    def server(self, timeout: float) -> Server:
        """Return what the daemon says of itself."""
        server = Server(
            version="28.0.0",
            api="1.48",
            machine="x86_64",
            system="linux",
            cpus=2,
            cgroup="2",
            rootless=False,
            local=True,
            runtimes=("runc",),
        )
        return self._do("server", timeout, lambda: server)

    def image(self, reference: str, timeout: float) -> Image:
        """Return an image with one volume if its name says so."""
        volumes = ("/data/",) if "volume" in reference else ()
        image = Image(id="sha256:1", machine="amd64", system="linux", volumes=volumes)
        return self._do("image", timeout, lambda: image)

    def pull(self, reference: str, timeout: float, going: Callable[[], None]) -> None:
        """Fetch nothing."""
        self._do("pull", timeout, going)

    def build(
        self, archive: bytes, labels: Mapping[str, str], timeout: float, going: Callable[[], None]
    ) -> None:
        """Build nothing."""
        self._do("build", timeout, going)

    def create(self, name: str, body: Mapping[str, Any], timeout: float) -> str:
        """Keep a container."""

        def work() -> str:
            if any(item.name == name for item in self.kept.values()):
                raise DaemonFault(Fault.CONFLICT)
            item = Container(id=f"c{next(self._numbers)}", name=name, body=body)
            self.kept[item.id] = item
            return item.id

        return self._do("create", timeout, work)

    def attach(self, container: str, timeout: float, *, stdin: bool) -> FakeChannel:
        """Return the container's stream."""

        def work() -> FakeChannel:
            item = self._get(container)
            item.channel = FakeChannel(lambda kind, payload: self._answer(item, kind, payload))
            return item.channel

        return self._do("attach", timeout, work)

    def start(self, container: str, timeout: float) -> None:
        """Let a container run."""

        def work() -> None:
            item = self._get(container)
            item.status = "running"
            if item.channel is not None:
                hello = self._hello(item)
                if hello is None:
                    item.status = "exited"
                    item.channel.end()
                else:
                    item.channel.say(hello)

        self._do("start", timeout, work)

    def state(self, container: str, timeout: float) -> ContainerState:
        """Return a container's state."""

        def work() -> ContainerState:
            item = self._get(container)
            return ContainerState(
                status=item.status,
                exit_code=item.exit_code,
                oom_killed=item.oom_killed,
                health=item.health,
                mounts=0,
                labels=item.body["Labels"],
            )

        return self._do("state", timeout, work)

    def kill(self, container: str, timeout: float) -> None:
        """End a container."""

        def work() -> None:
            self._get(container).status = "exited"

        self._do("kill", timeout, work)

    def await_end(self, container: str, timeout: float) -> None:
        """Say that a container has ended."""
        self._do("await_end", timeout, lambda: self._get(container) and None)

    def remove(self, container: str, timeout: float) -> None:
        """Forget a container."""

        def work() -> None:
            item = self._get(container)
            if item.channel is not None:
                item.channel.end()
            del self.kept[item.id]

        self._do("remove", timeout, work)

    def run_in(self, container: str, command: Iterable[str], timeout: float) -> int:
        """Say that every command succeeds."""
        return self._do("run_in", timeout, lambda: 0)

    def create_network(self, plan: NetworkPlan, timeout: float) -> str:
        """Keep a network."""

        def work() -> str:
            if plan.subnet in self.taken:
                raise DaemonFault(Fault.OVERLAP)
            identifier = f"n{next(self._numbers)}"
            self.networks_kept[identifier] = plan
            return identifier

        return self._do("create_network", timeout, work)

    def remove_network(self, network: str, timeout: float) -> None:
        """Forget a network."""

        def work() -> None:
            for identifier, plan in self.networks_kept.items():
                if network in (identifier, plan.name):
                    del self.networks_kept[identifier]
                    return
            raise DaemonFault(Fault.NOT_FOUND)

        self._do("remove_network", timeout, work)

    def subnets(self, timeout: float) -> list[str]:
        """Return the subnets in use."""
        return self._do(
            "subnets", timeout, lambda: [plan.subnet for plan in self.networks_kept.values()]
        )

    def containers(self, labels: Mapping[str, str], timeout: float) -> list[Found]:
        """Return the containers with these labels."""

        def work() -> list[Found]:
            found = [
                Found(
                    id=item.id,
                    name=item.name,
                    status=item.status,
                    created=item.created,
                    labels=item.body["Labels"],
                )
                for item in self.kept.values()
            ]
            return [item for item in found if labels.items() <= item.labels.items()]

        return self._do("containers", timeout, work)

    def networks(self, labels: Mapping[str, str], timeout: float) -> list[Found]:
        """Return the networks with these labels."""

        def work() -> list[Found]:
            found = [
                Found(id=identifier, name=plan.name, status="", created=0.0, labels=plan.labels)
                for identifier, plan in self.networks_kept.items()
            ]
            return [item for item in found if labels.items() <= item.labels.items()]

        return self._do("networks", timeout, work)

    def images(self, labels: Mapping[str, str], timeout: float) -> list[Found]:
        """Return no images."""
        return self._do("images", timeout, list)

    def remove_image(self, image: str, timeout: float) -> None:
        """Remove nothing."""
        self._do("remove_image", timeout, lambda: None)

    def close(self) -> None:
        """Do nothing."""

    # --- containers -----------------------------------------------------------------------------

    def _get(self, container: str) -> Container:
        for item in self.kept.values():
            if container in (item.id, item.name):
                return item
        raise DaemonFault(Fault.NOT_FOUND)

    def _hello(self, item: Container) -> bytes | None:
        if self.hello != b"":
            return self.hello
        host = item.body["HostConfig"]
        uid, gid = item.body["User"].split(":")
        sizes = {
            path: int(options.partition("size=")[2].partition(",")[0])
            for path, options in host["Tmpfs"].items()
        }
        facts: dict[str, object] = {
            **dict.fromkeys(("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"), "0" * 16),
            "NoNewPrivs": 1,
            "Seccomp": 2,
            "Uid": uid,
            "Gid": gid,
            "memory": host["Memory"],
            "swap": 0,
            "pids": host["PidsLimit"],
            "cpu_max": f"{host['NanoCpus'] // 10_000}/100000",
            "/tmp": sizes["/tmp"],
            "/dev/shm": sizes["/dev/shm"],
            "python": "3.11.2",
            **self.facts,
        }
        return wire.pack(wire.HELLO, wire.pack_facts(facts))

    def _answer(self, item: Container, kind: bytes, payload: bytes) -> bytes | None:
        heads = {wire.PROGRAM: wire.PROGRAM_HEAD, wire.TASK: wire.TASK_HEAD}
        if kind not in heads:
            return b""
        said = self.programs(payload[heads[kind].size :])
        if said is None:
            item.status = "exited"
        return said
