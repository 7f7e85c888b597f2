"""One client for everything that is fetched: bounded in bytes, time and places.

Redirects are followed here, one by one, each judged like any other address. Credentials go to the
origin that they were given for and nowhere else, and into no message.
"""

from __future__ import annotations

import base64
import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from harnest import __version__
from harnest_ext import limits
from harnest_ext.errors import SourceError
from harnest_ext.sources.net import rules
from harnest_ext.sources.net.address import WebAddress
from harnest_ext.sources.net.proxies import proxy_for
from harnest_ext.sources.net.watch import Watch
from harnest_ext.sources.timing import Timing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from urllib3 import BaseHTTPResponse

    from harnest_ext.sources.net.pools import Pools

__all__ = ["Reply", "WebClient"]

_CHUNK = 64 * limits.KIB
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer whose status is 200, 304 or 404; its body is read while the block is open.

    Attributes:
        status: HTTP status.
        address: Where it came from in the end.
        headers: Names in lower case.
        body: Chunks of the body, bounded; read at most once.
    """

    status: int
    address: WebAddress
    headers: Mapping[str, str]
    body: Iterator[bytes] = field(repr=False)


class WebClient:
    """Asks servers; for one thread.

    Args:
        timing: How long they may take.
        offline: Whether nothing may be asked.
    """

    def __init__(self, *, timing: Timing | None = None, offline: bool = False) -> None:
        self.timing = timing or Timing()
        self.offline = offline
        self._watch = Watch()
        self._pools: Pools | None = None

    def close(self) -> None:
        """Close every connection."""
        if self._pools is not None:
            self._pools.close()

    @contextlib.contextmanager
    def get(
        self,
        address: WebAddress,
        source: WebAddress,
        *,
        most: int,
        seconds: float,
        headers: Mapping[str, str] | None = None,
    ) -> Iterator[Reply]:
        """Ask for what is at an address.

        Args:
            address: Where to ask.
            source: The root that the user named; it bounds where answers may come from.
            most: Most bytes of the body.
            seconds: Most time from here to the end of the block.
            headers: Further headers of the request.

        Yields:
            The answer.

        Raises:
            SourceError: kinds ``network``, ``offline``, ``too-large``, ``registry-policy``,
                ``registry-protocol``.
        """
        if self.offline:
            message = "This would have to be asked over the network."
            raise SourceError(rules.OFFLINE.problem(message, path=address.url))
        from harnest_ext.sources.net.pools import Pools  # noqa: PLC0415 - only the network pays

        # The library is loaded before the clock starts: its import is no slowness of the server.
        self._pools = self._pools or Pools(self._watch)
        with self._watch.deadline(seconds):
            with self._translated(address, seconds):
                response, final = self._follow(address, source, headers or {})
            try:
                yield self._reply(response, final, most, seconds)
            finally:
                response.close()

    def _follow(
        self, address: WebAddress, source: WebAddress, headers: Mapping[str, str]
    ) -> tuple[BaseHTTPResponse, WebAddress]:
        for _ in range(limits.REDIRECTS + 1):
            address.check_against(source)
            response = self._ask(address, source, headers)
            location = response.headers.get("location")
            if response.status not in _REDIRECTS or not location:
                return response, address
            response.close()
            address = WebAddress.parse(location, address)
            address.check_plain()
        raise SourceError(
            rules.REDIRECTS.problem(
                "The server redirects again and again.",
                path=address.url,
                expected=f"at most {limits.REDIRECTS} redirects",
            )
        )

    def _ask(
        self, address: WebAddress, source: WebAddress, headers: Mapping[str, str]
    ) -> BaseHTTPResponse:
        import urllib3  # noqa: PLC0415 - 60 ms that only the network pays

        if self._pools is None:
            raise AssertionError("get has made the pools")
        sent = {
            "User-Agent": f"harnest/{__version__}",
            "Accept-Encoding": "identity",
            **headers,
            **_authorization(address, source),
        }
        return self._pools.manager_for(address).request(
            "GET",
            address.url,
            headers=sent,
            redirect=False,
            retries=False,
            preload_content=False,
            timeout=urllib3.Timeout(connect=self.timing.connect, read=self.timing.idle),
        )

    def _reply(
        self, response: BaseHTTPResponse, address: WebAddress, most: int, seconds: float
    ) -> Reply:
        headers = {name.lower(): value for name, value in response.headers.items()}
        status = response.status
        if status not in {200, 304, 404}:
            rule = rules.DENIED if status in {401, 403, 407} else rules.STATUS
            message = f"The server answers {status}."
            raise SourceError(rule.problem(message, path=address.url, got=str(status)))
        if headers.get("content-encoding", "identity").lower() != "identity":
            message = "The server sends a compressed body that was not asked for."
            raise SourceError(rules.ENCODING.problem(message, path=address.url))
        length = _announced(headers)
        if length is not None and length > most:
            raise _too_large(address, most, length)
        body = self._bounded(self._chunks(response, address, seconds), address, length, most)
        return Reply(status=status, address=address, headers=headers, body=body)

    @staticmethod
    def _bounded(
        chunks: Iterator[bytes], address: WebAddress, length: int | None, most: int
    ) -> Iterator[bytes]:
        used = 0
        for chunk in chunks:
            used += len(chunk)
            if used > most:
                raise _too_large(address, most, used)
            yield chunk
        if length is not None and used != length:
            message = f"The answer ends after {used} bytes."
            expected = f"{length} bytes"
            raise SourceError(rules.TRUNCATED.problem(message, path=address.url, expected=expected))

    def _chunks(
        self, response: BaseHTTPResponse, address: WebAddress, seconds: float
    ) -> Iterator[bytes]:
        while True:
            with self._translated(address, seconds):
                chunk = response.read1(_CHUNK, decode_content=False)
                if self._watch.over:  # the shut-down socket looks like the end of the body
                    raise TimeoutError
            if not chunk:
                return
            yield chunk

    @contextlib.contextmanager
    def _translated(self, address: WebAddress, seconds: float) -> Iterator[None]:
        """Make every failure of the library one of ours, without what it says of credentials."""
        import urllib3  # noqa: PLC0415 - as above

        try:
            yield
        except (urllib3.exceptions.HTTPError, OSError, ValueError) as error:
            if self._watch.over:
                self._too_slow(address, seconds)
            if isinstance(error, SourceError):
                raise
            raise _unreachable(address, error) from None

    def _too_slow(self, address: WebAddress, seconds: float) -> NoReturn:
        raise SourceError(
            rules.DEADLINE.problem(
                "The server did not finish its answer in time.",
                path=address.url,
                expected=f"at most {seconds:g} s",
            )
        ) from None


def _announced(headers: Mapping[str, str]) -> int | None:
    text = headers.get("content-length", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else None


def _authorization(address: WebAddress, source: WebAddress) -> dict[str, str]:
    given = source.credentials if address.origin == source.origin else None
    if given is None:
        return {}
    token = base64.b64encode(":".join(given).encode()).decode("ascii")
    return {"Authorization": f"Basic {token}"}


def _too_large(address: WebAddress, most: int, got: int) -> SourceError:
    return SourceError(
        rules.SIZE.problem(
            "The answer is too large.",
            path=address.url,
            expected=f"at most {most} bytes",
            got=f"{got} bytes or more",
        )
    )


def _unreachable(address: WebAddress, error: Exception) -> SourceError:
    import urllib3  # noqa: PLC0415 - as above

    slow = isinstance(error, urllib3.exceptions.TimeoutError | TimeoutError)
    # The library derives "no connection at all" from its time-outs.
    if slow and not isinstance(error, urllib3.exceptions.NewConnectionError):
        message = "The server did not answer in time."
        got = type(error).__name__
        return SourceError(rules.DEADLINE.problem(message, path=address.url, got=got))
    causes = list(_causes(error))
    told = next((text for e in causes if (text := getattr(e, "strerror", None))), None)
    if isinstance(error, urllib3.exceptions.ProxyError | urllib3.exceptions.ProxySchemeUnknown):
        message = f"The proxy can't be used: {told or 'its URL is none of http or https'}."
        got = proxy_for(address).rpartition("@")[2]
        return SourceError(rules.PROXY.problem(message, path=address.url, got=got))
    if any(type(e).__name__ == "IncompleteRead" for e in causes):
        message = "The answer ends before its announced end."
        return SourceError(rules.TRUNCATED.problem(message, path=address.url))
    broken = isinstance(error, urllib3.exceptions.ProtocolError)
    if broken and not isinstance(causes[-1], OSError):
        message = "The server does not keep to HTTP."
        got = type(causes[-1]).__name__
        return SourceError(rules.PROTOCOL.problem(message, path=address.url, got=got))
    told = told or ("it ended the connection" if broken else type(causes[-1]).__name__)
    message = f"The server can't be reached: {told}."
    return SourceError(rules.UNREACHABLE.problem(message, path=address.url))


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what it wraps, in the library's two ways to wrap."""
    yield error
    inner = error.__cause__ or (error.args[-1] if error.args else None)
    if isinstance(inner, Exception):
        yield from _causes(inner)
