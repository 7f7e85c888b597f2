"""PEP 503 pages: the links of an HTML page, with their hashes and attributes."""

from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import parse_qsl, unquote, urljoin, urlsplit

from harnest_ext.errors import SourceError
from harnest_ext.sources.index import rules
from harnest_ext.sources.index.page import IndexFile, IndexPage, check_api_version, sha256_of

__all__ = ["read_html_list", "read_html_page"]


def read_html_page(body: bytes) -> IndexPage:
    """Return what a PEP 503 body says.

    Raises:
        SourceError: kinds ``registry-protocol``, ``unsafe-path``; also for a page whose links are
            all something else than files, such as a page to log in.
    """
    reader = _links(body)
    files = tuple(_file(attributes, label, reader.base) for attributes, label in reader.links)
    if not reader.looks_simple and not any(map(_is_distribution, files)):
        message = "The answer is an HTML page, but not a project's page of an index."
        raise SourceError(rules.PAGE.problem(message, expected="links to the project's files"))
    return IndexPage(files=files, status=reader.status, reason=reader.reason)


def read_html_list(body: bytes) -> list[str]:
    """Return the names of all projects that the root page of an index lists.

    Raises:
        SourceError: kind ``registry-protocol``.
    """
    return [label for _, label in _links(body).links]


def _links(body: bytes) -> _Links:
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise SourceError(rules.PAGE.problem("The page is not UTF-8.")) from None
    reader = _Links()
    reader.feed(text)
    reader.close()
    return reader


class _Links(HTMLParser):
    """Collects the anchors and the ``pypi:`` meta entries."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.links: list[tuple[dict[str, str | None], str]] = []
        self.status = "active"
        self.reason = ""
        self.odd = False
        self.base = ""
        self._open: tuple[dict[str, str | None], list[str]] | None = None

    @property
    def looks_simple(self) -> bool:
        """Whether nothing speaks against this being an index's page: no links, no forms."""
        return not self.links and not self.odd

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag == "a":
            self._finish()
            self._open = (attributes, [])
        elif tag == "meta":
            self._meta(attributes.get("name") or "", attributes.get("content") or "")
        elif tag == "base":
            self.base = self.base or (attributes.get("href") or "").strip()
        elif tag in {"form", "script", "iframe"}:
            self.odd = True

    def handle_endtag(self, tag: str) -> None:
        if tag == "a":
            self._finish()

    def handle_data(self, data: str) -> None:
        if self._open is not None:
            self._open[1].append(data)

    def close(self) -> None:
        super().close()
        self._finish()

    def _finish(self) -> None:
        if self._open is not None and self._open[0].get("href"):
            self.links.append((self._open[0], "".join(self._open[1]).strip()))
        self._open = None

    def _meta(self, name: str, content: str) -> None:
        if name == "pypi:repository-version":
            check_api_version(content)
        elif name == "pypi:project-status":
            self.status = content
        elif name == "pypi:project-status-reason":
            self.reason = content


def _file(attributes: dict[str, str | None], label: str, base: str) -> IndexFile:
    href = (attributes.get("href") or "").strip()
    url, _, fragment = href.partition("#")
    filename = unquote(urlsplit(url).path.rpartition("/")[2]) if _has_path(url) else label
    return IndexFile(
        filename=filename or label or "unnamed",
        url=_joined(base, url),
        sha256=_sha256(fragment, filename),
        requires_python=attributes.get("data-requires-python") or None,
        yanked=(attributes["data-yanked"] or "") if "data-yanked" in attributes else None,
        metadata_sha256=_metadata(attributes, filename),
    )


def _joined(base: str, url: str) -> str:
    """The link as the page's ``<base>`` has it; what can't be joined is judged as it is."""
    try:
        return urljoin(base, url) if base else url
    except ValueError:
        return url


def _has_path(url: str) -> bool:
    """Whether the URL's last part names the file; that of ``javascript:`` and alike doesn't."""
    try:
        return urlsplit(url).scheme in {"", "http", "https", "file"}
    except ValueError:
        return False


def _sha256(fragment: str, filename: str) -> str:
    told = dict(parse_qsl(fragment, keep_blank_values=True))
    return sha256_of(told["sha256"], filename) if "sha256" in told else ""


def _metadata(attributes: dict[str, str | None], filename: str) -> str | None:
    for name in ("data-core-metadata", "data-dist-info-metadata"):
        if name in attributes:
            told = attributes[name] or ""
            return sha256_of(told[7:], filename) if told.startswith("sha256=") else ""
    return None


def _is_distribution(file: IndexFile) -> bool:
    return file.filename.endswith((".whl", ".tar.gz", ".zip", ".egg", ".exe", ".tar.bz2"))
