"""The gateway as a server on this host's loopback."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Self

import grpc
from openshell._proto import openshell_pb2_grpc

from . import bounds
from .containers import Stock, docker
from .faults import Faults
from .service import Service
from .state import SandboxState, State


class LocalGateway:
    """A gateway with its own sandboxes, gone with all of them when it is left.

    Args:
        stock: Where its containers come from.

    Attributes:
        faults: What goes wrong.
        endpoint: Where it listens.
    """

    def __init__(self, stock: Stock) -> None:
        self.faults = Faults()
        self.state = State(stock)
        self.service = Service(self.state, self.faults)
        self._pool = ThreadPoolExecutor(32, thread_name_prefix="gateway")
        options = [
            ("grpc.max_receive_message_length", bounds.MESSAGE_BYTES),
            ("grpc.so_reuseport", 0),
        ]
        self._server = grpc.server(self._pool, options=options)
        openshell_pb2_grpc.add_OpenShellServicer_to_server(self.service, self._server)
        port = self._server.add_insecure_port("127.0.0.1:0")
        self.endpoint = f"127.0.0.1:{port}"

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop, and end every sandbox."""
        self._server.stop(grace=0).wait()
        self._pool.shutdown()
        for thread in self.service.threads:
            thread.join()
        for sandbox in list(self.state.sandboxes.values()):
            self.state.discard(sandbox)

    def only(self) -> SandboxState:
        """Return the one sandbox that there is."""
        (found,) = self.state.sandboxes.values()
        return found

    def inside(self, *command: str, user: str = "0", check: bool = True) -> str:
        """Run a command in the one sandbox, beside the service."""
        container = self.only().container
        assert container is not None, "the sandbox is not ready"
        return docker("exec", "-u", user, container.name, *command, check=check)

    def left(self) -> tuple[list[str], list[str], list[str]]:
        """Return the names of sandboxes, providers and profiles that there are."""
        return (
            sorted(self.state.sandboxes),
            sorted(self.state.providers),
            sorted(self.state.profiles),
        )
