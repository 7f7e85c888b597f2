"""Pages of an index, in JSON and HTML, good ones and hostile ones; and a real index server."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import socket
import subprocess
import sys
import time
import urllib.request
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

from harnest_ext.errors import HarnestExtensionError, SourceError
from harnest_ext.host import Host
from harnest_ext.identity import Slug
from harnest_ext.manifest import ExtensionRequirement
from harnest_ext.resolution import ResolutionRequest, resolve
from harnest_ext.sources.finder import Finder
from harnest_ext.sources.index.html_page import read_html_list, read_html_page
from harnest_ext.sources.index.json_page import read_json_list, read_json_page
from harnest_ext.sources.settings import IndexSetting, SourceSettings
from harnest_ext.sources.timing import Timing
from tests.support.packages import PackageSpec, make_wheel
from tests.support.waiting import LONG
from tests.support.web import answer, serve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from http.server import BaseHTTPRequestHandler
    from pathlib import Path

    from tests.support.web import Server

NAME = "harnest_extension_demo-1.0.0-py3-none-any.whl"
FILE = {"filename": NAME, "url": f"../../files/{NAME}", "hashes": {"sha256": "ab" * 32}}
JSON = "application/vnd.pypi.simple.v1+json"
PAGE = "/simple/harnest-extension-demo/"


def page(**changes: Any) -> dict[str, Any]:
    """Return a PEP 691 page with some of its keys changed."""
    return {
        "meta": {"api-version": "1.1"},
        "name": "harnest-extension-demo",
        "files": [FILE],
    } | changes


def body(**changes: Any) -> bytes:
    """Return such a page as bytes."""
    return json.dumps(page(**changes)).encode()


def file(**changes: Any) -> bytes:
    """Return a page with one file, some of its keys changed."""
    return body(files=[FILE | changes])


@pytest.fixture
def server() -> Iterator[Server]:
    """A server on loopback."""
    with serve() as running:
        yield running


@pytest.fixture
def settings(server: Server, tmp_path: Path) -> SourceSettings:
    """Settings of a finder that knows nothing but the server's index."""
    return SourceSettings(
        index=IndexSetting(url=f"{server.url}/simple", told_by="test"),
        cache=tmp_path / "cache",
        host=Host(harnest_version="1.0.0"),
    )


@pytest.fixture
def finder(settings: SourceSettings) -> Iterator[Finder]:
    """A finder with these settings."""
    with Finder(settings) as made:
        yield made


def ask(finder: Finder, text: str = "demo") -> str:
    """Return the version that is chosen, having fetched it."""
    wanted = (ExtensionRequirement.parse(text),)
    (chosen,) = resolve(ResolutionRequest(wanted=wanted), finder).selected.values()
    finder.fetch(chosen.candidate)
    return chosen.candidate.version


def test_a_json_page_is_read_whole() -> None:
    """Every fact that choosing needs comes out, unknown keys do not matter."""
    (read,) = read_json_page(
        body(
            files=[
                FILE
                | {
                    "size": 5,
                    "requires-python": ">=3.11",
                    "yanked": "broken",
                    "upload-time": "2026-01-02T03:04:05Z",
                    "core-metadata": {"sha256": "cd" * 32},
                    "later": {"unknown": 1},
                }
            ],
            later=[1],
        )
    ).files
    assert (read.filename, read.sha256, read.size) == (NAME, "ab" * 32, 5)
    assert (read.requires_python, read.yanked) == (">=3.11", "broken")
    assert read.uploaded == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert read.metadata_sha256 == "cd" * 32


def test_an_html_page_says_the_same() -> None:
    """Hash, range, withdrawal and metadata stand in the link's attributes."""
    (read,) = read_html_page(
        f'<!DOCTYPE html><html><head><meta name="pypi:repository-version" content="1.3">'
        f'</head><body><a href="/f/{NAME}#sha256={"AB" * 32}" data-requires-python="&gt;=3.11" '
        f'data-yanked="broken" data-core-metadata="sha256={"cd" * 32}">{NAME}</a>'.encode()
    ).files
    assert (read.filename, read.sha256, read.yanked) == (NAME, "ab" * 32, "broken")
    assert (read.requires_python, read.metadata_sha256) == (">=3.11", "cd" * 32)


def test_links_start_from_the_base_of_the_page() -> None:
    """A page may say where its links start; the address that comes out is judged like any other."""
    page = f'<base href="https://files.example/d/"><a href="{NAME}">{NAME}</a>'
    assert read_html_page(page.encode()).files[0].url == f"https://files.example/d/{NAME}"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", "registry-protocol"),
        (b"[]", "registry-protocol"),
        (b"null", "registry-protocol"),
        (b"\xff\xfe{\x00}\x00", "registry-protocol"),
        (b"\xef\xbb\xbf{}", "registry-protocol"),
        (b'{"a": 1, "a": 2}', "registry-protocol"),
        (b'{"a": NaN}', "registry-protocol"),
        (b"[" * 100_000, "registry-protocol"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "registry-protocol"),
        (body()[:-5], "registry-protocol"),
        (body(meta=None), "registry-protocol"),
        (body(meta={"api-version": "2.0"}), "registry-protocol"),
        (body(meta={"api-version": "1.0\n"}), "registry-protocol"),
        (body(meta={"api-version": 1}), "registry-protocol"),
        (body(name=None), "registry-protocol"),
        (body(files={}), "registry-protocol"),
        (body(files=["x"]), "registry-protocol"),
        (file(hashes=[]), "registry-protocol"),
        (file(hashes={"sha256": "ab"}), "registry-protocol"),
        (file(hashes={"sha256": 7}), "registry-protocol"),
        (file(size=-1), "registry-protocol"),
        (file(size="5"), "registry-protocol"),
        (file(size=True), "registry-protocol"),
        (file(yanked=1), "registry-protocol"),
        (file(**{"upload-time": "yesterday"}), "registry-protocol"),
        (file(filename="../x.whl"), "unsafe-path"),
        (file(filename="..\\x.whl"), "unsafe-path"),
        (file(filename="a\x00.whl"), "unsafe-path"),
        (file(filename="C:x.whl"), "unsafe-path"),
        (file(filename=".."), "unsafe-path"),
        (file(filename=""), "unsafe-path"),
        (
            body(files=[FILE, FILE | {"hashes": {"sha256": "cd" * 32}}]),
            "registry-protocol",
        ),
    ],
)
def test_a_json_page_that_breaks_the_protocol_is_refused_whole(data: bytes, kind: str) -> None:
    """Whatever can be read in two ways, or not at all, is read in none."""
    with pytest.raises(SourceError) as caught:
        read_json_page(data)
    assert caught.value.kind == kind
    assert caught.value.remedy


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfe<html>",
        b'<html><meta name="pypi:repository-version" content="2.0"></html>',
        b"<html><body><form action=/login><input name=password></form></body></html>",
        b'<html><a href="/help">Help</a> <a href="/about">About</a></html>',
        f'<a href="{NAME}#sha256=zz">x</a>'.encode(),
    ],
)
def test_html_that_is_no_page_of_an_index_is_refused(data: bytes) -> None:
    """Another version of the protocol, a log-in page, a page of links to somewhere."""
    with pytest.raises(SourceError) as caught:
        read_html_page(data)
    assert caught.value.kind == "registry-protocol"


def test_lists_of_projects_are_read() -> None:
    """The root page names all projects, in JSON and in HTML."""
    listed = {"meta": {"api-version": "1.0"}, "projects": [{"name": "a"}, {"name": "B"}]}
    assert read_json_list(json.dumps(listed).encode()) == ["a", "B"]
    assert read_html_list(b'<a href="a/">a</a> <a href="b/"> B </a>') == ["a", "B"]
    for broken in ({}, {"meta": {"api-version": "1.0"}, "projects": ["a"]}):
        with pytest.raises(SourceError):
            read_json_list(json.dumps(broken).encode())


def test_another_projects_answer_is_refused(finder: Finder, server: Server) -> None:
    """A page or a file of another project installs nothing."""
    server.routes[PAGE] = answer(body(name="harnest-extension-docker"), JSON)
    with pytest.raises(SourceError) as caught:
        ask(finder)
    assert (caught.value.kind, caught.value.rule) == ("registry-mismatch", "index.other-project")


@pytest.mark.parametrize("kind", ["text/plain", "text/html"])
def test_a_text_that_is_no_page_is_refused(finder: Finder, server: Server, kind: str) -> None:
    """What holds no tag is not taken for a page without files, which would say: unknown."""
    server.routes[PAGE] = answer(b"Welcome to this server.", kind)
    with pytest.raises(SourceError) as caught:
        ask(finder)
    assert caught.value.rule == "index.content-type"


@pytest.mark.parametrize(
    "kind", ["application/vnd.pypi.simple.v2+json", "image/png", "application/pdf"]
)
def test_other_content_types_are_refused(finder: Finder, server: Server, kind: str) -> None:
    """The content type says how a page is read; an unknown one is not guessed at."""
    server.routes[PAGE] = answer(body(), kind)
    with pytest.raises(SourceError) as caught:
        ask(finder)
    assert caught.value.kind == "registry-protocol"


def test_html_instead_of_json_is_seen(finder: Finder, server: Server) -> None:
    """A page that calls itself JSON and is HTML is refused, not read as something else."""
    server.routes[PAGE] = answer(b"<html>sign in</html>", JSON)
    with pytest.raises(SourceError) as caught:
        ask(finder)
    assert caught.value.rule == "network.json"
    assert f"{server.url}{PAGE}" in caught.value.path


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"hashes": {"md5": "ab" * 16}}, "hash-missing"),
        ({"size": 17 * 1024 * 1024}, "too-large"),
        ({"url": "file:///etc/passwd"}, "registry-policy"),
        ({"url": "javascript:alert(1)"}, "registry-policy"),
        ({"url": "http://files.example/x.whl"}, "registry-policy"),
        ({"url": "https://localhost/x.whl"}, "registry-policy"),
        ({"url": "https://files.example@other.example/x.whl"}, "registry-policy"),
        ({"url": "https://files.example/x\r\nHost: y"}, "registry-protocol"),
        ({"yanked": True}, "yanked"),
        ({"requires-python": ">=9"}, "incompatible-python"),
    ],
)
def test_a_file_that_must_not_be_taken_is_told_and_never_asked_for(
    finder: Finder, server: Server, changes: dict[str, Any], kind: str
) -> None:
    """The refusal says why, and no connection is made for the file."""
    server.routes[PAGE] = answer(file(**changes), JSON)
    with pytest.raises(HarnestExtensionError) as caught:
        ask(finder)
    assert caught.value.kind == kind
    assert server.paths == [PAGE]


def test_a_bad_file_beside_a_good_one_is_passed_over(
    finder: Finder, server: Server, tmp_path: Path
) -> None:
    """A release without a hash does not stand in the way of the one before it."""
    wheel = make_wheel(tmp_path, PackageSpec(name="demo"))
    newer = NAME.replace("1.0.0", "2.0.0")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    files = [
        FILE | {"hashes": {"sha256": digest}},
        {"filename": newer, "url": newer, "hashes": {}},
    ]
    server.routes[PAGE] = answer(body(files=files), JSON)
    server.routes[f"/files/{NAME}"] = answer(wheel.read_bytes())
    assert ask(finder) == "1.0.0"


def test_a_wheel_of_another_size_is_refused(finder: Finder, server: Server, tmp_path: Path) -> None:
    """Size and hash that the page states are those that the bytes must have."""
    wheel = make_wheel(tmp_path, PackageSpec(name="demo"))
    server.routes[PAGE] = answer(file(size=5), JSON)
    server.routes[f"/files/{NAME}"] = answer(wheel.read_bytes())
    with pytest.raises(SourceError) as caught:
        ask(finder)
    assert (caught.value.kind, caught.value.rule) == ("hash-mismatch", "source.size-mismatch")


def test_a_cooldown_passes_over_what_is_too_young(
    finder: Finder, server: Server, tmp_path: Path
) -> None:
    """The page's upload times decide; what is passed over is told, and never fetched."""
    old, young = "1.0.0", "2.0.0"
    files = []
    for version, uploaded in ((old, "2026-01-01T00:00:00Z"), (young, "2026-03-01T00:00:00.5Z")):
        wheel = make_wheel(tmp_path, PackageSpec(name="demo", version=version))
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        files.append({"filename": wheel.name, "url": f"../../files/{wheel.name}"})
        files[-1] |= {"hashes": {"sha256": digest}, "upload-time": uploaded}
        server.routes[f"/files/{wheel.name}"] = answer(wheel.read_bytes())
    server.routes[PAGE] = answer(body(files=files), JSON)
    request = ResolutionRequest(
        wanted=(ExtensionRequirement.parse("demo"),), newest_upload=datetime(2026, 2, 1, tzinfo=UTC)
    )
    found = resolve(request, finder)
    assert found.selected[Slug("demo")].candidate.version == old
    assert [note.rule for note in found.notes] == ["resolution.cooldown"]
    assert not any(young in path for path in server.paths)


def _trickle(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", JSON)
    handler.end_headers()
    while True:
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


def _endless(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.end_headers()
    while True:
        handler.wfile.write(b"x" * 1_000_000)


@pytest.mark.parametrize(
    ("reply", "kind"),
    [(_trickle, "network"), (_endless, "too-large"), (answer(status=500), "network")],
)
def test_a_hostile_wheel_server_is_left_in_time(
    settings: SourceSettings,
    server: Server,
    reply: Callable[[BaseHTTPRequestHandler], None],
    kind: str,
) -> None:
    """A wheel that trickles, never ends or fails gives an error, and nothing is kept."""
    server.routes[PAGE] = answer(file(), JSON)
    server.routes[f"/files/{NAME}"] = reply
    hasty = dataclasses.replace(settings, timing=Timing(wheel=1.5))
    with Finder(hasty) as finder, pytest.raises(SourceError) as caught:
        ask(finder)
    assert caught.value.kind in {kind, "network"}


def test_metadata_beside_the_wheel_spares_the_download(finder: Finder, server: Server) -> None:
    """A host range that excludes this Harnest is seen in METADATA; the wheel is not fetched."""
    server.routes[PAGE] = answer(file(**{"core-metadata": True}), JSON)
    metadata = b"Metadata-Version: 2.1\nName: x\nVersion: 1\nRequires-Dist: harnest>=9\n\n"
    server.routes[f"/files/{NAME}.metadata"] = answer(metadata)
    with pytest.raises(HarnestExtensionError, match="needs Harnest >=9"):
        ask(finder)
    assert f"/files/{NAME}" not in server.paths


@pytest.fixture(scope="module")
def pypiserver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real index server as a process of its own, with two releases; gives its root."""
    if find_spec("pypiserver") is None:  # importing it here would change how Python imports
        pytest.skip("pypiserver is not installed")
    folder = tmp_path_factory.mktemp("packages")
    for version in ("1.0.0", "1.1.0"):
        make_wheel(folder, PackageSpec(name="demo", version=version))
    for _ in range(5):  # another process can take the port that was free a moment ago
        port = _free_port()
        command = [sys.executable, "-m", "pypiserver", "run", "-i", "127.0.0.1", "-p", str(port)]
        with subprocess.Popen(
            [*command, "--hash-algo", "sha256", folder],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            url = f"http://127.0.0.1:{port}/simple/"
            try:
                if not _answers(url, process):
                    continue
                yield url
                return
            finally:
                process.terminate()
    pytest.fail("the index server does not answer")


def _free_port() -> int:
    """A port of this host that nobody listens to now."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


def _answers(url: str, process: subprocess.Popen[bytes]) -> bool:
    """Wait until the server answers; whether it does, which one that has ended won't."""
    end = time.monotonic() + LONG
    while process.poll() is None and time.monotonic() < end:
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=5) as reply:
            return bool(reply.status == 200 and process.poll() is None)
    return False


def test_a_real_index_server_is_installed_from(pypiserver: str, tmp_path: Path) -> None:
    """Names, ranges and lists work against pypiserver."""
    settings = SourceSettings(
        index=IndexSetting(url=pypiserver, told_by="test"), cache=tmp_path / "cache"
    )
    with Finder(settings) as finder:
        assert ask(finder) == "1.1.0"
        assert ask(finder, "demo<1.1") == "1.0.0"
        assert finder.index is not None
        assert finder.index.extensions() == [Slug("demo")]
