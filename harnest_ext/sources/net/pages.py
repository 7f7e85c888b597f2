"""Pages of registries and indexes, kept with their ETag so that they are asked for only once.

A kept page is used without asking only within its time to live or offline; otherwise the server is
asked whether it has changed, and an older answer is told as such. Kept pages are data of the
network like any other: whoever reads one checks it as if it had just arrived.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.errors import SourceError
from harnest_ext.sources.net import rules
from harnest_ext.sources.pruning import prune

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from harnest_ext.sources.net.address import WebAddress
    from harnest_ext.sources.net.client import Reply, WebClient

__all__ = ["Page", "PageCache"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page as it was answered.

    Attributes:
        body: Its bytes; empty for a missing page.
        content_type: What the server calls it, parameters included.
        url: Where it came from in the end, without credentials.
        missing: Whether the server has no such page.
        etag: What it is asked for by again; may be empty.
        fetched: When it was last known to be current, in seconds of the epoch.
        stale: Whether it could not be asked for and is an older answer.
    """

    body: bytes
    content_type: str
    url: str
    missing: bool = False
    etag: str = ""
    fetched: float = 0.0
    stale: bool = False


class PageCache:
    """Gives pages, from the server or from disk.

    Args:
        client: Asks the server.
        folder: Where pages are kept; made when the first is.
        time_to_live: Seconds for which a kept page is taken without asking.
        old_will_do: Whether a kept page is taken when the server fails.

    Attributes:
        stale: URLs of pages that could not be asked for and are older answers, in their order.
    """

    def __init__(
        self,
        client: WebClient,
        folder: Path,
        *,
        time_to_live: float = 0.0,
        old_will_do: bool = False,
    ) -> None:
        self._client = client
        self._folder = folder
        self._time_to_live = time_to_live
        self._old_will_do = old_will_do
        self.stale: list[str] = []
        self._added = False

    def close(self) -> None:
        """Remove old pages that are too many."""
        if self._added:
            prune(self._folder / "pages", most=limits.CACHED_PAGES_BYTES)
            self._added = False

    def get(
        self,
        address: WebAddress,
        source: WebAddress,
        *,
        accept: str,
        most: int = limits.INDEX_PAGE_BYTES,
    ) -> Page:
        """Return a page.

        Args:
            address: Where it is.
            source: The root that the user named.
            accept: Value of the ``Accept`` header.
            most: Most bytes of its body.

        Raises:
            SourceError: The server failed, or nothing is kept and the client is offline.
        """
        file = self._file(address, accept)
        kept = _read(file)
        if kept is not None:
            if 0 <= time.time() - kept.fetched < self._time_to_live:
                return kept
            if self._client.offline:
                return self._as_stale(kept)
        try:
            page = self._asked(address, source, accept, most, kept)
        except SourceError as error:
            if kept is None or not self._old_will_do or error.kind != "network":
                raise
            return self._as_stale(kept)
        self._keep(file, page)
        self._added = True
        return page

    def _asked(
        self, address: WebAddress, source: WebAddress, accept: str, most: int, kept: Page | None
    ) -> Page:
        headers = {"Accept": accept} | ({"If-None-Match": kept.etag} if kept and kept.etag else {})
        seconds = self._client.timing.page
        with self._client.get(
            address, source, most=most, seconds=seconds, headers=headers
        ) as reply:
            return _page_of(reply, kept)

    def _as_stale(self, kept: Page) -> Page:
        self.stale.append(kept.url)
        return replace(kept, stale=True)

    def _file(self, address: WebAddress, accept: str) -> Path:
        user = address.credentials[0] if address.credentials else ""
        key = f"{address.url}\n{accept}\n{user}"
        return self._folder / "pages" / hashlib.sha256(key.encode()).hexdigest()

    @staticmethod
    def _keep(file: Path, page: Page) -> None:
        """Write a page whole or not at all; a cache that can't be written is none."""
        head = {
            "content_type": page.content_type,
            "url": page.url,
            "missing": page.missing,
            "etag": page.etag,
            "fetched": page.fetched,
            "sha256": hashlib.sha256(page.body).hexdigest(),
        }
        try:
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as made:
                made.write(json.dumps(head).encode() + b"\n" + page.body)
            os.replace(made.name, file)  # noqa: PTH105 - a name, not a Path, is at hand
        except OSError:
            return  # the page is good without having been kept


def _page_of(reply: Reply, kept: Page | None) -> Page:
    now = time.time()
    if reply.status == 304 and kept is not None:
        return replace(kept, fetched=now)
    if reply.status == 304:
        message = "The server calls a page unchanged that was never asked for."
        raise SourceError(rules.STATUS.problem(message, path=reply.address.url, got="304"))
    missing = reply.status == 404
    return Page(
        body=b"" if missing else b"".join(reply.body),
        content_type=reply.headers.get("content-type", ""),
        url=reply.address.url,
        missing=missing,
        etag=reply.headers.get("etag", ""),
        fetched=now,
    )


def _read(file: Path) -> Page | None:
    """Return a kept page; one that is not as it was written counts as none."""
    try:
        head, _, body = file.read_bytes().partition(b"\n")
        told: Mapping[str, object] = json.loads(head)
        if told["sha256"] != hashlib.sha256(body).hexdigest():
            return None
        return Page(
            body=body,
            content_type=str(told["content_type"]),
            url=str(told["url"]),
            missing=bool(told["missing"]),
            etag=str(told["etag"]),
            fetched=float(str(told["fetched"])),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
