"""The one adapter: each method of the port by the SDK's client, and its answers as small facts."""

import io
import os
import socket
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from ..limits import BUILD_MEMORY_BYTES
from ..plan.network import NetworkPlan
from .channel import SocketChannel
from .clients import Clients
from .faults import recognise
from .port import Channel, ContainerState, DaemonFault, Fault, Found, Image, Server

_FIRST_POLL_SECONDS = 0.005
_LAST_POLL_SECONDS = 0.05


class SdkDaemon:
    """A daemon at *base_url*; None is what ``DOCKER_HOST`` or the SDK's default says."""

    def __init__(self, base_url: str | None = None) -> None:
        self._clients = Clients(base_url)

    def close(self) -> None:
        """Close every connection."""
        self._clients.close()

    def socket_path(self) -> str | None:
        """Return the path of the local socket that the daemon is reached by, None if there is none."""
        with self._clients.translated():
            return self._clients.socket_path()

    # --- the daemon and its images --------------------------------------------------------------

    def server(self, timeout: float) -> Server:
        """Return what the daemon says of itself."""
        with self._clients.lent(timeout) as client:
            info = client.info()
            return Server(
                version=str(info.get("ServerVersion", "")),
                api=str(client.api_version),
                machine=str(info["Architecture"]),
                system=str(info["OSType"]),
                cpus=int(info["NCPU"]),
                cgroup=str(info.get("CgroupVersion") or "1"),
                rootless=any("rootless" in option for option in info.get("SecurityOptions") or ()),
                local=self._clients.local(),
                runtimes=tuple(sorted(info.get("Runtimes") or ())),
                warnings=tuple(info.get("Warnings") or ()),
            )

    def image(self, reference: str, timeout: float) -> Image:
        """Return the image *reference* if the daemon has it."""
        with self._clients.lent(timeout) as client:
            facts = client.inspect_image(reference)
            return Image(
                id=str(facts["Id"]),
                machine=str(facts.get("Architecture") or ""),
                system=str(facts.get("Os") or ""),
                volumes=tuple((facts.get("Config") or {}).get("Volumes") or ()),
            )

    def pull(self, reference: str, timeout: float, going: Callable[[], None]) -> None:
        """Fetch an image, reporting often that it is going on."""
        with self._clients.lent(timeout) as client:
            _follow(client.pull(reference, stream=True, decode=True), going)

    def build(
        self, archive: bytes, labels: Mapping[str, str], timeout: float, going: Callable[[], None]
    ) -> None:
        """Build an image from a tar archive, without network."""
        try:
            self._build(archive, labels, timeout, going)
        except DaemonFault as fault:
            # Of a build it refuses what the Dockerfile says.
            if fault.fault is not Fault.REFUSED:
                raise
            raise DaemonFault(Fault.BUILD_FAILED) from None

    def _build(
        self, archive: bytes, labels: Mapping[str, str], timeout: float, going: Callable[[], None]
    ) -> None:
        with self._clients.lent(timeout) as client:
            steps = client.build(
                fileobj=io.BytesIO(archive),
                custom_context=True,
                labels=dict(labels),
                network_mode="none",
                container_limits={"memory": BUILD_MEMORY_BYTES, "memswap": BUILD_MEMORY_BYTES},
                rm=True,
                forcerm=True,
                use_config_proxy=False,
                decode=True,
            )
            _follow(steps, going)

    def images(self, labels: Mapping[str, str], timeout: float) -> list[Found]:
        """Return the images that have *labels*."""
        with self._clients.lent(timeout) as client:
            return [
                Found(
                    id=str(item["Id"]),
                    name="",
                    status="",
                    created=float(item.get("Created") or 0),
                    labels=dict(item.get("Labels") or {}),
                )
                for item in client.images(filters=_filter(labels))
            ]

    def remove_image(self, image: str, timeout: float) -> None:
        """Remove an image."""
        with self._clients.lent(timeout) as client:
            client.remove_image(image)

    # --- containers -----------------------------------------------------------------------------

    def create(self, name: str, body: Mapping[str, Any], timeout: float) -> str:
        """Create a container and return its id."""
        with self._clients.lent(timeout) as client:
            return str(client.create_container_from_config(dict(body), name)["Id"])

    def attach(self, container: str, timeout: float, *, stdin: bool) -> Channel:
        """Attach to a container that was not started yet."""
        wanted = {"stdin": int(stdin), "stdout": 1, "stderr": 1, "stream": 1}
        with self._clients.translated():
            client = self._clients.new(timeout)
            if str(client.base_url).startswith("https://"):
                return SocketChannel(client.attach_socket(container, wanted), client)
            response = client.post(
                f"{client.base_url}/v{client.api_version}/containers/{container}/attach",
                params=wanted,
                headers={"Connection": "Upgrade", "Upgrade": "tcp"},
                stream=True,
                timeout=client.timeout,
            )
            if response.status_code >= 400:
                fault = recognise(response.status_code, response.text)
                response.close()
                client.close()
                raise DaemonFault(fault)
            # A descriptor of our own, and the only one: the SDK's objects would keep the stream open
            # in this process or a forked one, or close it when they are collected.
            own = socket.socket(fileno=os.dup(response.raw.fileno()))
            response.close()
            client.close()
            return SocketChannel(own)

    def start(self, container: str, timeout: float) -> None:
        """Start a container."""
        with self._clients.lent(timeout) as client:
            client.start(container)

    def state(self, container: str, timeout: float) -> ContainerState:
        """Return what the daemon says of a container."""
        with self._clients.lent(timeout) as client:
            facts = client.inspect_container(container)
            state = facts["State"]
            return ContainerState(
                status=str(state["Status"]),
                exit_code=int(state["ExitCode"]),
                oom_killed=bool(state.get("OOMKilled")),
                health=str((state.get("Health") or {}).get("Status", "")),
                mounts=len(facts.get("Mounts") or ()),
                labels=dict(facts["Config"].get("Labels") or {}),
            )

    def await_end(self, container: str, timeout: float) -> None:
        """Wait until a container does not run."""
        with self._clients.lent(timeout) as client:
            client.wait(container, timeout=client.timeout)

    def kill(self, container: str, timeout: float) -> None:
        """Kill a container; one that ended already is no fault."""
        try:
            with self._clients.lent(timeout) as client:
                client.kill(container)
        except DaemonFault as fault:
            # "is not running" comes as a conflict.
            if fault.fault is not Fault.CONFLICT:
                raise

    def remove(self, container: str, timeout: float) -> None:
        """Kill and remove a container with its anonymous volumes."""
        with self._clients.lent(timeout) as client:
            client.remove_container(container, v=True, force=True)

    def run_in(self, container: str, command: Iterable[str], timeout: float) -> int:
        """Run a command in a service and return its exit status; what it prints is dropped."""
        deadline = time.monotonic() + timeout
        with self._clients.lent(timeout) as client:
            run = client.exec_create(container, list(command), stdout=False, stderr=False)["Id"]
            client.exec_start(run, detach=True)
            pause = _FIRST_POLL_SECONDS
            while (facts := client.exec_inspect(run))["ExitCode"] is None:
                if time.monotonic() + pause > deadline:
                    raise DaemonFault(Fault.TIMEOUT)
                time.sleep(pause)
                pause = min(pause * 2, _LAST_POLL_SECONDS)
            return int(facts["ExitCode"])

    def containers(self, labels: Mapping[str, str], timeout: float) -> list[Found]:
        """Return the containers, running or not, that have *labels*."""
        with self._clients.lent(timeout) as client:
            return [
                Found(
                    id=str(item["Id"]),
                    name=str((item.get("Names") or ["/"])[0]).removeprefix("/"),
                    status=str(item.get("State") or ""),
                    created=float(item.get("Created") or 0),
                    labels=dict(item.get("Labels") or {}),
                )
                for item in client.containers(all=True, filters=_filter(labels))
            ]

    # --- networks -------------------------------------------------------------------------------

    def create_network(self, plan: NetworkPlan, timeout: float) -> str:
        """Create a network and return its id."""
        with self._clients.lent(timeout) as client:
            types = self._clients.sdk().types
            pool = types.IPAMPool(subnet=plan.subnet)
            made = client.create_network(
                plan.name,
                driver="bridge",
                options=dict(plan.options),
                ipam=types.IPAMConfig(pool_configs=[pool]),
                internal=plan.internal,
                labels=dict(plan.labels),
                enable_ipv6=False,
            )
            return str(made["Id"])

    def remove_network(self, network: str, timeout: float) -> None:
        """Remove a network."""
        with self._clients.lent(timeout) as client:
            client.remove_network(network)

    def subnets(self, timeout: float) -> list[str]:
        """Return the IPv4 subnets of all networks."""
        with self._clients.lent(timeout) as client:
            return [
                str(pool["Subnet"])
                for network in client.networks()
                for pool in (network.get("IPAM") or {}).get("Config") or ()
                if "." in str(pool.get("Subnet") or "")
            ]

    def networks(self, labels: Mapping[str, str], timeout: float) -> list[Found]:
        """Return the networks that have *labels*."""
        with self._clients.lent(timeout) as client:
            return [
                Found(
                    id=str(item["Id"]),
                    name=str(item["Name"]),
                    status="",
                    created=_moment(str(item.get("Created") or "")),
                    labels=dict(item.get("Labels") or {}),
                )
                for item in client.networks(filters=_filter(labels))
            ]


def _filter(labels: Mapping[str, str]) -> dict[str, list[str]]:
    return {"label": [f"{name}={value}" for name, value in labels.items()]}


def _follow(steps: Iterable[Mapping[str, Any]], going: Callable[[], None]) -> None:
    for step in steps:
        going()
        if "error" in step:
            raise DaemonFault(recognise(0, str(step["error"])))


def _moment(text: str) -> float:
    """Return seconds since the epoch of the daemon's time text, 0 if it is none."""
    try:
        # The daemon writes nanoseconds, which Python does not read.
        return datetime.fromisoformat(text[:19] + "+00:00").timestamp()
    except ValueError:
        return 0.0
