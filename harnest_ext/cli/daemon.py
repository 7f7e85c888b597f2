"""Three questions to a Docker daemon, before any extension is installed: there? which images? pull.

They go over the Engine's HTTP API, on the socket that ``DOCKER_HOST`` names or the usual one; the
SDK belongs to the docker extension alone.
"""

from __future__ import annotations

import http.client
import json
import os
import socket
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from harnest_ext import limits

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Daemon"]

_USUAL = "unix:///var/run/docker.sock"


@dataclass(frozen=True, slots=True, kw_only=True)
class Daemon:
    """A place where a daemon may answer.

    Attributes:
        address: ``unix://PATH`` or ``tcp://HOST:PORT``.
    """

    address: str

    @classmethod
    def at_hand(cls, environment: Mapping[str, str] = os.environ) -> Daemon:
        """Return the one that the environment names, or the usual one."""
        return cls(address=environment.get("DOCKER_HOST") or _USUAL)

    def objection(self) -> str:
        """Return why it is of no use, or an empty text if it answers."""
        try:
            status, _ = self._ask("GET", "/_ping", limits.DAEMON_SECONDS)
        except OSError as error:
            return f"no Docker daemon answers ({type(error).__name__})"
        except (http.client.HTTPException, ValueError):
            return "what answers is no Docker daemon"
        return "" if status == 200 else f"the Docker daemon answers with status {status}"

    def images(self) -> tuple[str, ...]:
        """Return the names, with tags, of the images that are there; sorted.

        Raises:
            OSError: The daemon stopped answering.
            ValueError: Its answer is not one.
        """
        _, body = self._ask("GET", "/images/json", limits.DAEMON_SECONDS)
        found = json.loads(body)
        tags = (tag for item in found for tag in item.get("RepoTags") or ())
        return tuple(sorted(tag for tag in tags if tag != "<none>:<none>"))

    def pull(self, image: str, seconds: float) -> bool:
        """Fetch an image; return whether it is there afterwards.

        Args:
            image: Name with tag or digest.
            seconds: Longest time for it.
        """
        name, _, tag = image.partition("@") if "@" in image else image.rpartition(":")
        target = f"/images/create?fromImage={quote(name, safe='')}&tag={quote(tag, safe='')}"
        try:
            status, _ = self._ask("POST", target, seconds)
            return status == 200 and image in self.images()
        except (OSError, ValueError, http.client.HTTPException):
            return False

    def _ask(self, method: str, target: str, seconds: float) -> tuple[int, bytes]:
        limit = time.monotonic() + seconds
        connection = self._connection(seconds)
        try:
            connection.request(method, target)
            response = connection.getresponse()
            body = bytearray()
            while piece := response.read1(64 * limits.KIB):
                body += piece
                if time.monotonic() > limit:
                    raise TimeoutError("the answer took too long")
                if len(body) > limits.DAEMON_BYTES:
                    raise ValueError("the answer is too long")
            return response.status, bytes(body)
        finally:
            connection.close()

    def _connection(self, seconds: float) -> http.client.HTTPConnection:
        parts = urlsplit(self.address)
        if parts.scheme == "unix":
            return _UnixConnection(parts.path, seconds)
        if parts.scheme != "tcp" or not parts.hostname:
            raise ValueError("only unix:// and tcp:// addresses are asked")
        return http.client.HTTPConnection(parts.hostname, parts.port or 2375, timeout=seconds)


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, seconds: float) -> None:
        super().__init__("localhost", timeout=seconds)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)
