"""A URL that may be asked: parsed once, its credentials kept apart, judged against its source.

The source is the root of an index or registry that the user named. From there on:

- ``https`` on a public host is good;
- ``http``, and hosts that are this machine or a private network, only on the very host and port
  of the source;
- everything else is refused before a connection is made.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import SplitResult, unquote, urljoin, urlsplit, urlunsplit

from harnest_ext.errors import SourceError
from harnest_ext.sources.net import rules

__all__ = ["WebAddress"]

_PORTS = {"http": 80, "https": 443}
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)
_LOCAL_NAMES = ("localhost", ".localhost", ".local", ".internal")


@dataclass(frozen=True, slots=True, kw_only=True)
class WebAddress:
    """Where to ask.

    Attributes:
        scheme: ``http`` or ``https``.
        host: Lower-case name or literal address, without brackets.
        port: Port number, the scheme's own if none is written.
        target: Path and query, as they go into the request.
        fragment: What follows ``#``, for the reader of a page.
        credentials: User and password, unquoted; never shown.
    """

    scheme: str
    host: str
    port: int
    target: str
    fragment: str = ""
    credentials: tuple[str, str] | None = field(default=None, repr=False)

    @classmethod
    def parse(cls, text: str, base: WebAddress | None = None) -> Self:
        """Return the address that a text names, relative to ``base`` if that is given.

        Raises:
            SourceError: rules ``network.address`` and ``network.scheme``.
        """
        if any(not ch.isprintable() or ch.isspace() or ch == "\\" for ch in text):
            raise _refused(text, "The URL holds a character that no URL has.")
        try:
            parts = urlsplit(urljoin(base.url, text) if base else text)
            port = parts.port
        except ValueError:
            raise _refused(text, "The URL can't be read.") from None
        if parts.scheme not in _PORTS:
            raise SourceError(
                rules.SCHEME.problem("The URL is neither https nor http.", path=_without_user(text))
            )
        return cls(
            scheme=parts.scheme,
            host=_ascii_host(parts, text),
            port=port or _PORTS[parts.scheme],
            target=urlunsplit(("", "", parts.path or "/", parts.query, "")),
            fragment=parts.fragment,
            credentials=_credentials(parts),
        )

    @property
    def origin(self) -> tuple[str, str, int]:
        """Scheme, host and port: what credentials belong to."""
        return self.scheme, self.host, self.port

    @property
    def url(self) -> str:
        """The address as text, without credentials and fragment."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.target}"

    def __str__(self) -> str:
        return self.url

    @property
    def is_near(self) -> bool:
        """Whether the host is this machine or on a private network, as far as its name tells."""
        try:
            address = ipaddress.ip_address(self.host.partition("%")[0])
        except ValueError:
            return self.host == _LOCAL_NAMES[0] or self.host.endswith(_LOCAL_NAMES[1:])
        return not address.is_global

    def below(self, *parts: str) -> WebAddress:
        """Return the address of a page below this one, with a slash between."""
        path = self.target.partition("?")[0].rstrip("/")
        return WebAddress(
            scheme=self.scheme,
            host=self.host,
            port=self.port,
            target="/".join((path, *parts)),
            credentials=self.credentials,
        )

    def check_plain(self) -> None:
        """Refuse an address with a user in it: who reads it takes the user for the host.

        Raises:
            SourceError: rule ``network.place``, kind ``registry-policy``.
        """
        if self.credentials is not None:
            message = "The source leads to an address with a user in it."
            raise SourceError(rules.PLACE.problem(message, path=self.url))

    def check_against(self, source: WebAddress) -> None:
        """Refuse an address that ``source`` may not lead to.

        Raises:
            SourceError: rule ``network.place``, kind ``registry-policy``.
        """
        same_place = (self.host, self.port) == (source.host, source.port)
        if same_place and self.scheme in {"https", source.scheme}:
            return
        if self.scheme == "https" and not self.is_near:
            return
        raise SourceError(
            rules.PLACE.problem(
                "The source leads to a place that it may not lead to.",
                path=self.url,
                expected=f"https on a public host, or {source.scheme}://{source.host}:"
                f"{source.port} itself",
            )
        )


def _ascii_host(parts: SplitResult, text: str) -> str:
    host = (parts.hostname or "").rstrip(".")
    if not host:
        raise _refused(text, "The URL names no host.")
    try:
        host = host if host.isascii() else host.encode("idna").decode("ascii").lower().rstrip(".")
    except UnicodeError:
        raise _refused(text, "The URL's host is no name.") from None
    if _NUMBER.fullmatch(host.rpartition(".")[2]) and not _is_address(host):
        # 127.1 and 0x7f000001 are this machine to a resolver, and a name to whoever compares.
        raise _refused(text, "The URL's host is an address in an unusual spelling.")
    return host


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _credentials(parts: SplitResult) -> tuple[str, str] | None:
    if not parts.username and not parts.password:
        return None
    return unquote(parts.username or ""), unquote(parts.password or "")


def _without_user(text: str) -> str:
    head, slashes, tail = text.partition("//")
    user, at, place = tail.rpartition("@")
    del user
    return f"{head}{slashes}***@{place}" if at else text


def _refused(text: str, message: str) -> SourceError:
    return SourceError(rules.ADDRESS.problem(message, path=_without_user(text)))
