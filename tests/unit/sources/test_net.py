"""What goes over the network is bounded in bytes, time and places."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import ssl
import subprocess
import threading
from typing import TYPE_CHECKING

import pytest

from harnest_ext import limits
from harnest_ext.errors import SourceError
from harnest_ext.sources.net import PageCache, WebAddress, WebClient
from harnest_ext.sources.timing import Timing
from tests.support.waiting import LONG
from tests.support.web import answer, serve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from http.server import BaseHTTPRequestHandler
    from pathlib import Path

    from tests.support.web import Server

HTTPS = "https:" + "//"
HASTY = Timing(page=0.5)
"""Little patience for a whole page."""


@pytest.fixture
def server() -> Iterator[Server]:
    """A server on loopback."""
    with serve() as running:
        yield running


@pytest.fixture
def client() -> Iterator[WebClient]:
    """A client."""
    with contextlib.closing(WebClient()) as made:
        yield made


@pytest.fixture
def hasty() -> Iterator[WebClient]:
    """A client that soon gives up a page."""
    with contextlib.closing(WebClient(timing=HASTY)) as made:
        yield made


def read(client: WebClient, url: str, source: str = "", *, most: int = 1000) -> bytes:
    """Return the body at a URL, read as a page of the source."""
    address = WebAddress.parse(url)
    root = WebAddress.parse(source or url)
    with client.get(address, root, most=most, seconds=client.timing.page) as reply:
        return b"".join(reply.body)


def refused(client: WebClient, url: str, source: str = "") -> tuple[str, str]:
    """Return kind and rule of the refusal of a URL."""
    with pytest.raises(SourceError) as caught:
        read(client, url, source)
    return caught.value.kind, caught.value.rule


def forever(chunk: bytes, pause: float = 0.0) -> Callable[[BaseHTTPRequestHandler], None]:
    """Return an answer whose body never ends."""

    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        gone = threading.Event()
        while not gone.wait(pause):
            handler.wfile.write(chunk)
            handler.wfile.flush()

    return reply


def test_a_good_answer_is_given_whole(client: WebClient, server: Server) -> None:
    """The body arrives as it is, and the client says who it is and that it takes plain bodies."""
    server.routes["/page"] = answer(b"hello")
    assert read(client, f"{server.url}/page") == b"hello"
    (asked,) = server.asked
    assert asked.headers["user-agent"].startswith("harnest/")
    assert asked.headers["accept-encoding"] == "identity"


def test_an_endless_body_stops_at_the_bound(client: WebClient, server: Server) -> None:
    """A server that never stops sending is left after the allowed bytes."""
    server.routes["/page"] = forever(b"x" * 600)
    assert refused(client, f"{server.url}/page") == ("too-large", "network.size")


def test_an_announced_length_above_the_bound_is_refused_at_once(
    client: WebClient, server: Server
) -> None:
    """Nothing is read of a body that says itself that it is too large."""
    server.routes["/page"] = answer(b"x" * 1001)
    assert refused(client, f"{server.url}/page") == ("too-large", "network.size")


def test_a_trickle_ends_at_the_deadline(hasty: WebClient, server: Server) -> None:
    """A byte now and then keeps the connection alive, but not beyond the time for the whole."""
    server.routes["/page"] = forever(b"x", pause=0.05)
    assert refused(hasty, f"{server.url}/page") == ("network", "network.deadline")


def test_headers_that_trickle_end_at_the_deadline(hasty: WebClient, server: Server) -> None:
    """The time counts from the request on, headers included."""

    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while True:
            handler.wfile.write(b"X-More: and more\r\n")
            handler.wfile.flush()
            threading.Event().wait(0.05)

    server.routes["/page"] = reply
    kind, _ = refused(hasty, f"{server.url}/page")
    assert kind == "network"


def test_silence_ends_at_the_idle_bound(server: Server) -> None:
    """A server that accepts and says nothing is left after the bound for the next bytes."""
    over = threading.Event()
    server.routes["/page"] = lambda _handler: over.wait(LONG) and None
    try:
        with contextlib.closing(WebClient(timing=Timing(idle=0.5))) as client:
            assert refused(client, f"{server.url}/page") == ("network", "network.deadline")
    finally:
        over.set()


def test_a_body_cut_short_is_no_body(client: WebClient, server: Server) -> None:
    """What was announced must arrive."""

    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "100")
        handler.end_headers()
        handler.wfile.write(b"half")
        handler.close_connection = True

    server.routes["/page"] = reply
    kind, _ = refused(client, f"{server.url}/page")
    assert kind == "network"


def test_redirects_end(client: WebClient, server: Server) -> None:
    """A redirect loop is left after the allowed redirects."""
    server.routes["/page"] = answer(status=302, Location="/page")
    assert refused(client, f"{server.url}/page") == ("registry-protocol", "network.redirects")
    assert len(server.asked) == limits.REDIRECTS + 1


def test_a_redirect_on_the_same_server_is_followed(client: WebClient, server: Server) -> None:
    """An ordinary redirect leads to its answer."""
    server.routes["/old"] = answer(status=301, Location="new")
    server.routes["/new"] = answer(b"here")
    assert read(client, f"{server.url}/old") == b"here"


@pytest.mark.parametrize(
    ("location", "kind"),
    [
        ("file:///etc/passwd", "registry-policy"),
        ("ftp://files.example/x", "registry-policy"),
        ("http://files.example/x", "registry-policy"),
        ("http://127.0.0.1:1/x", "registry-policy"),
        ("https://127.0.0.1/x", "registry-policy"),
        (f"{HTTPS}169.254.169.254/latest", "registry-policy"),
        ("https://[::1]/x", "registry-policy"),
        (f"{HTTPS}10.0.0.1/x", "registry-policy"),
        ("https://localhost/x", "registry-policy"),
        ("https:///x", "registry-protocol"),
        ("https://files.example@other.example/x", "registry-policy"),
    ],
)
def test_a_redirect_to_another_kind_of_place_is_refused(
    client: WebClient, server: Server, location: str, kind: str
) -> None:
    """Neither files nor other services of this machine or network are reached by a redirect."""
    server.routes["/page"] = answer(status=302, Location=location)
    assert refused(client, f"{server.url}/page")[0] == kind
    assert server.paths == ["/page"]


def test_credentials_go_to_their_origin_alone(client: WebClient, server: Server) -> None:
    """Another server that the first one leads to is not told them, and no message shows them."""
    with serve("localhost") as other:
        server.routes["/page"] = answer(status=302, Location=f"{other.url}/page")
        secret = server.url.replace("//", "//user:hush%21@")
        with pytest.raises(SourceError) as caught:
            read(client, f"{secret}/page")
        assert "hush" not in str(caught.value)
        assert "hush" not in repr(WebAddress.parse(secret))
        assert other.asked == []
    assert server.asked[0].headers["authorization"] == "Basic dXNlcjpodXNoIQ=="


def test_a_server_that_wants_credentials_is_told_as_such(client: WebClient, server: Server) -> None:
    """401 and 403 say how credentials are given; other statuses are told by number."""
    server.routes["/page"] = answer(status=401)
    server.routes["/broken"] = answer(status=503)
    assert refused(client, f"{server.url}/page") == ("network", "network.denied")
    assert refused(client, f"{server.url}/broken") == ("network", "network.status")


def test_a_compressed_body_is_refused(client: WebClient, server: Server) -> None:
    """Nobody asked for it, and it could grow without bound."""
    server.routes["/page"] = answer(b"x", Content_Encoding="gzip")
    assert refused(client, f"{server.url}/page") == ("registry-protocol", "network.encoding")


def test_nobody_there_is_a_failure_of_the_network(client: WebClient) -> None:
    """A port that nobody listens on is told as unreachable."""
    with socket.socket() as taken:  # and that nobody else can get meanwhile
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        assert refused(client, f"{url}/page") == ("network", "network.unreachable")


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (b"\x00no http\r\n\r\n", ("registry-protocol", "network.protocol")),
        (b"HTTP/1.1 200 OK\r\n" + b"X: a\r\n" * 500, ("registry-protocol", "network.protocol")),
        (b"", ("network", "network.unreachable")),
    ],
)
def test_what_is_no_http_is_told_as_such(
    client: WebClient, server: Server, sent: bytes, told: tuple[str, str]
) -> None:
    """A server of another kind is not mistaken for a network that is down."""

    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(sent)
        handler.close_connection = True

    server.routes["/page"] = reply
    assert refused(client, f"{server.url}/page") == told


@pytest.mark.parametrize("proxy", ["http://me:hush@127.0.0.1:1", "socks5://127.0.0.1:1", "nothing"])
def test_a_proxy_that_fails_is_named(
    client: WebClient, proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever reads the refusal learns which setting to look at, and no password."""
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    monkeypatch.setenv("https_proxy", proxy)
    with pytest.raises(SourceError) as caught:
        read(client, "https://index.example.invalid/page")
    assert (caught.value.kind, caught.value.rule) == ("network", "network.proxy")
    assert caught.value.got == proxy.rpartition("@")[2]
    assert "hush" not in str(caught.value)


def test_offline_asks_nothing(server: Server) -> None:
    """With offline set no connection is made."""
    client = WebClient(offline=True)
    assert refused(client, f"{server.url}/page") == ("offline", "network.offline")
    assert server.asked == []


@pytest.mark.parametrize(
    "text",
    [
        "https://a b/",
        "https://host\r\nX: y/",
        "https://host\\path",
        "https://",
        "https://./",
        "https://h:99999/",
        "https://127.1/",
        "https://0x7f000001/",
        "https://2130706433/",
        "https://a.0177/",
    ],
)
def test_a_text_that_is_no_url_is_refused(text: str) -> None:
    """Control characters, spaces, back slashes and disguised addresses never reach a request."""
    with pytest.raises(SourceError) as caught:
        WebAddress.parse(text)
    assert caught.value.rule == "network.address"


@pytest.fixture
def pages(client: WebClient, tmp_path: Path) -> PageCache:
    """A cache of pages in a fresh folder."""
    return PageCache(client, tmp_path / "cache")


def test_an_unchanged_page_is_sent_once(pages: PageCache, server: Server) -> None:
    """The second time the server is asked by ETag, and its 304 gives the kept body."""

    def reply(handler: BaseHTTPRequestHandler) -> None:
        same = handler.headers.get("If-None-Match") == '"one"'
        answer(b"" if same else b"body", status=304 if same else 200, ETag='"one"')(handler)

    server.routes["/page"] = reply
    address = WebAddress.parse(f"{server.url}/page")
    first = pages.get(address, address, accept="text/plain")
    second = pages.get(address, address, accept="text/plain")
    assert (first.body, second.body) == (b"body", b"body")
    assert [r.headers.get("if-none-match") for r in server.asked] == [None, '"one"']


def test_within_its_time_a_kept_page_is_not_asked_for(
    client: WebClient, server: Server, tmp_path: Path
) -> None:
    """A time to live spares the request."""
    pages = PageCache(client, tmp_path, time_to_live=60)
    server.routes["/page"] = answer(b"body")
    address = WebAddress.parse(f"{server.url}/page")
    for _ in range(2):
        assert pages.get(address, address, accept="*/*").body == b"body"
    assert len(server.asked) == 1


def test_offline_a_kept_page_answers_and_says_so(
    pages: PageCache, server: Server, tmp_path: Path
) -> None:
    """What was seen once can be seen again without the network, marked as stale."""
    server.routes["/page"] = answer(b"body")
    address = WebAddress.parse(f"{server.url}/page")
    assert not pages.get(address, address, accept="*/*").stale
    offline = PageCache(WebClient(offline=True), tmp_path / "cache")
    kept = offline.get(address, address, accept="*/*")
    assert (kept.body, kept.stale) == (b"body", True)
    assert offline.stale == [address.url]


def test_a_kept_page_can_stand_in_for_a_server_that_fails(
    client: WebClient, server: Server, tmp_path: Path
) -> None:
    """Where an older answer will do, it is taken and told as such; elsewhere the failure counts."""
    server.routes["/page"] = answer(b"body")
    address = WebAddress.parse(f"{server.url}/page")
    strict = PageCache(client, tmp_path)
    strict.get(address, address, accept="*/*")
    server.routes["/page"] = answer(status=503)
    with pytest.raises(SourceError):
        strict.get(address, address, accept="*/*")
    lenient = PageCache(client, tmp_path, old_will_do=True)
    assert lenient.get(address, address, accept="*/*").stale
    server.routes["/page"] = answer(b"x", Content_Encoding="gzip")
    with pytest.raises(SourceError):
        lenient.get(address, address, accept="*/*")


def test_a_damaged_kept_page_counts_as_none(
    pages: PageCache, server: Server, tmp_path: Path
) -> None:
    """A file of the cache that was changed on disk is asked for anew."""
    server.routes["/page"] = answer(b"body", ETag='"one"')
    address = WebAddress.parse(f"{server.url}/page")
    pages.get(address, address, accept="*/*")
    (file,) = (tmp_path / "cache" / "pages").iterdir()
    file.write_bytes(file.read_bytes().replace(b"\nbody", b"\nevil"))
    assert pages.get(address, address, accept="*/*").body == b"body"
    assert server.asked[1].headers.get("if-none-match") is None


def test_an_unasked_304_is_refused(pages: PageCache, server: Server) -> None:
    """A server can't call a page unchanged that nobody has."""
    server.routes["/page"] = answer(status=304)
    address = WebAddress.parse(f"{server.url}/page")
    with pytest.raises(SourceError) as caught:
        pages.get(address, address, accept="*/*")
    assert caught.value.rule == "network.status"


@pytest.fixture
def certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A certificate for localhost that this process trusts, and its key; made by openssl."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed")
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"]
    command += ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    command += ["-keyout", str(key), "-out", str(cert)]
    subprocess.run(command, check=True, capture_output=True)
    monkeypatch.setenv("SSL_CERT_FILE", str(cert))
    return cert, key


@pytest.fixture
def secure(certificate: tuple[Path, Path]) -> Iterator[Server]:
    """A server that speaks https."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    with serve("localhost", context) as running:
        yield running


def test_https_is_spoken_and_bounded(client: WebClient, hasty: WebClient, secure: Server) -> None:
    """Answers come by TLS, and a trickle ends at the deadline there too."""
    secure.routes["/page"] = answer(b"hello")
    assert secure.url.startswith("https:")
    assert read(client, f"{secure.url}/page") == b"hello"
    secure.routes["/page"] = forever(b"x", pause=0.05)
    assert refused(hasty, f"{secure.url}/page") == ("network", "network.deadline")


def test_an_unknown_certificate_is_no_answer(
    client: WebClient, secure: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who answers must be who was asked; nothing of the answer is taken."""
    monkeypatch.setenv("SSL_CERT_FILE", os.devnull)
    secure.routes["/page"] = answer(b"hello")
    assert refused(client, f"{secure.url}/page")[0] == "network"
    assert secure.asked == []


def test_https_is_never_left_for_http(client: WebClient, secure: Server) -> None:
    """A redirect from https down to http is refused, on the same host as well."""
    with serve("localhost") as plain:
        secure.routes["/page"] = answer(status=302, Location=f"{plain.url}/page")
        assert refused(client, f"{secure.url}/page")[0] == "registry-policy"
        assert plain.asked == []
    port = secure.url.rpartition(":")[2]
    secure.routes["/page"] = answer(status=302, Location=f"http://localhost:{port}/other")
    assert refused(client, f"{secure.url}/page")[0] == "registry-policy"
