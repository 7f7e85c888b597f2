"""A simple repository (PEP 503) on a test's own web server, with wheels made on the spot."""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from typing import TYPE_CHECKING

from tests.support.web import answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.support.web import Server

__all__ = ["SimpleIndex", "library"]


def library(name: str, version: str, requires: Sequence[str] = ()) -> bytes:
    """Return the wheel of an ordinary library with one module."""
    stem = f"{name}-{version}"
    metadata = [f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"]
    metadata += [f"Requires-Dist: {requirement}\n" for requirement in requires]
    wheel = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    members = {
        f"{name}.py": f"VERSION = {version!r}\n",
        f"{stem}.dist-info/METADATA": "".join(metadata),
        f"{stem}.dist-info/WHEEL": wheel,
    }
    rows = [f"{path},sha256={_hash(text)},{len(text)}\n" for path, text in members.items()]
    members[f"{stem}.dist-info/RECORD"] = "".join((*rows, f"{stem}.dist-info/RECORD,,\n"))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path, text in members.items():
            archive.writestr(zipfile.ZipInfo(path), text)
    return out.getvalue()


class SimpleIndex:
    """Project pages and files below ``/simple/`` and ``/files/`` of a server.

    Args:
        server: The running server.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._files: dict[str, dict[str, str]] = {}

    @property
    def url(self) -> str:
        """Root of its pages."""
        return f"{self._server.url}/simple/"

    def add(self, project: str, filename: str, data: bytes, *, sha256: str | None = None) -> None:
        """Offer a file.

        Args:
            project: Normalised name.
            filename: Name of the file.
            data: Its bytes.
            sha256: Hash that the page states; that of the bytes if None; empty for none.
        """
        stated = hashlib.sha256(data).hexdigest() if sha256 is None else sha256
        fragment = f"#sha256={stated}" if stated else ""
        self._files.setdefault(project, {})[filename] = f"../../files/{filename}{fragment}"
        self._server.routes[f"/files/{filename}"] = answer(data, "application/octet-stream")
        links = "".join(f'<a href="{u}">{n}</a>\n' for n, u in self._files[project].items())
        self._server.routes[f"/simple/{project}/"] = answer(links.encode(), "text/html")
        names = "".join(f'<a href="{name}/">{name}</a>\n' for name in sorted(self._files))
        self._server.routes["/simple/"] = answer(names.encode(), "text/html")

    def add_library(self, name: str, version: str, requires: Sequence[str] = ()) -> None:
        """Offer a release of an ordinary library."""
        filename = f"{name}-{version}-py3-none-any.whl"
        self.add(name, filename, library(name, version, requires))


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
