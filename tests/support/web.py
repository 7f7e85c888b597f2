"""A real web server on loopback whose answers a test decides, byte by byte if need be."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["Asked", "Server", "answer", "serve"]

Answer = "Callable[[BaseHTTPRequestHandler], None]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request that arrived.

    Attributes:
        path: Path and query.
        headers: Names in lower case.
    """

    path: str
    headers: Mapping[str, str]


@dataclass(slots=True, kw_only=True)
class Server:
    """A running server.

    Attributes:
        url: Its root, without a slash at the end.
        routes: Path to what answers there; anything else is 404. May be changed while it runs.
        asked: Every request so far.
    """

    url: str
    routes: dict[str, Callable[[BaseHTTPRequestHandler], None]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)

    @property
    def paths(self) -> list[str]:
        """The paths that were asked for, in order."""
        return [request.path for request in self.asked]


def answer(
    body: bytes = b"", kind: str = "text/plain", *, status: int = 200, **headers: str
) -> Callable[[BaseHTTPRequestHandler], None]:
    """Return what answers with a whole body; ``_`` in the name of a header stands for ``-``."""

    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return reply


@contextlib.contextmanager
def serve(host: str = "127.0.0.1", context: ssl.SSLContext | None = None) -> Iterator[Server]:
    """Run a server while the block runs.

    Args:
        host: Address or name that it listens on.
        context: Certificate and key, for a server that speaks https.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            running.asked.append(Asked(path=self.path, headers=headers))
            reply = running.routes.get(self.path, answer(b"not here", status=404))
            # The client may hang up in the middle: that is what many tests are about.
            with contextlib.suppress(OSError):
                reply(self)

        def do_HEAD(self) -> None:
            # 405 tells a client to ask for the whole; without this the answer would be a 501.
            self.send_response(405)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def handle(self) -> None:
            # A client that doesn't trust us hangs up within the handshake.
            with contextlib.suppress(OSError):
                super().handle()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
            """Say nothing."""

    httpd = ThreadingHTTPServer((host, 0), Handler)
    httpd.daemon_threads = True
    if context is not None:
        httpd.socket = context.wrap_socket(
            httpd.socket, server_side=True, do_handshake_on_connect=False
        )
    scheme = "http" if context is None else "https"
    running = Server(url=f"{scheme}://{host}:{httpd.server_address[1]}")
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield running
    finally:
        httpd.shutdown()
        thread.join()
        httpd.server_close()
