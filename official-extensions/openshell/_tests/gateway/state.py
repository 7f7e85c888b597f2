"""What the gateway holds: sandboxes, providers, profiles, logs and proposals."""

from __future__ import annotations

import threading
import time
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import grpc

from .bounds import Refused

if TYPE_CHECKING:
    from .containers import Container, Stock

PROVISIONING, READY, ERROR, DELETING, COMPLETED = 1, 2, 3, 4, 9


@dataclass
class SandboxState:
    """One sandbox."""

    name: str
    spec: Any
    labels: dict[str, str]
    sandbox_id: str = field(default_factory=lambda: uuid.uuid4().hex)
    phase: int = PROVISIONING
    reason: str = ""
    looks: int = 0
    container: Container | None = None
    created: float = field(default_factory=time.time)
    policy_version: int = 1
    logs: list[tuple[float, str]] = field(default_factory=list)
    chunks: list[Any] = field(default_factory=list)
    proxy: Any = None

    def log(self, text: str) -> None:
        """Add a line to the log, whose times never go back."""
        last = self.logs[-1][0] if self.logs else 0.0
        self.logs.append((max(time.time(), last), text))


class State:
    """All of it, under one lock.

    Args:
        stock: Where its containers come from.
    """

    def __init__(self, stock: Stock) -> None:
        self.stock = stock
        self.lock = threading.RLock()
        self.sandboxes: dict[str, SandboxState] = {}
        self.providers: dict[str, Any] = {}
        self.profiles: dict[str, Any] = {}

    def sandbox(self, name: str) -> SandboxState:
        """Return a sandbox, or refuse with NOT_FOUND."""
        with self.lock:
            found = self.sandboxes.get(name)
        if found is None:
            raise Refused(grpc.StatusCode.NOT_FOUND, f"sandbox {name} not found")
        return found

    def ready(self, name: str) -> SandboxState:
        """Return a sandbox that commands can run in, or refuse."""
        found = self.sandbox(name)
        if found.phase != READY:
            raise Refused(grpc.StatusCode.FAILED_PRECONDITION, f"sandbox {name} is not ready")
        return found

    def add(self, made: SandboxState) -> None:
        """Add a sandbox, or refuse with ALREADY_EXISTS."""
        with self.lock:
            if made.name in self.sandboxes:
                raise Refused(grpc.StatusCode.ALREADY_EXISTS, f"sandbox {made.name} exists")
            missing = [name for name in made.spec.providers if name not in self.providers]
            if missing:
                raise Refused(grpc.StatusCode.NOT_FOUND, f"provider {missing[0]} not found")
            self.sandboxes[made.name] = made

    def discard(self, gone: SandboxState) -> None:
        """Remove a sandbox and its container."""
        if gone.container is not None:
            self.stock.drop(gone.container)
        if gone.proxy is not None:
            gone.proxy.close()
        with self.lock:
            self.sandboxes.pop(gone.name, None)
