"""The package index as a source of releases.

A page that breaks the protocol is refused whole. A file that the page lists without a sha256, or at
a place that the index may not lead to, is kept as a candidate with an objection: it is told when
nothing else would do, and never taken.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from harnest_ext import limits
from harnest_ext.errors import SourceError
from harnest_ext.identity import Slug, normalized
from harnest_ext.resolution import Candidate, Origin, OriginKind
from harnest_ext.sources.facts import Metadata, facts_of_wheel
from harnest_ext.sources.index import rules
from harnest_ext.sources.index.html_page import read_html_list, read_html_page
from harnest_ext.sources.index.json_page import read_json_list, read_json_page
from harnest_ext.sources.net import WebAddress
from harnest_ext.sources.net import rules as net_rules
from harnest_ext.sources.wheel_name import WheelName

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from harnest_ext.host import Host
    from harnest_ext.problem import Problem
    from harnest_ext.resolution import Facts
    from harnest_ext.sources.index.page import IndexFile, IndexPage
    from harnest_ext.sources.net import Page, PageCache, WebClient
    from harnest_ext.sources.wheel_store import WheelStore

__all__ = ["PackageIndex"]

_T = TypeVar("_T")

_ACCEPT = (
    "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, "
    "text/html;q=0.1"
)
_VENDOR = "application/vnd.pypi.simple."
_UNTOLD = frozenset({"", "application/octet-stream", "text/plain"})


class PackageIndex:
    """A simple repository, PEP 503 and PEP 691.

    Args:
        url: Root below which the project pages lie; may hold credentials.
        client: Asks the server.
        pages: Keeps its pages.
        wheels: Keeps its wheels.
        host: What METADATA that is offered beside a wheel is held against before the download.

    Raises:
        SourceError: ``url`` is no URL that can be asked.
    """

    def __init__(
        self, url: str, *, client: WebClient, pages: PageCache, wheels: WheelStore, host: Host
    ) -> None:
        self._root = WebAddress.parse(url)
        self._client = client
        self._pages = pages
        self._wheels = wheels
        self._host = host
        self._metadata: dict[str, str] = {}

    @property
    def origin(self) -> Origin:
        """The index by its URL, without credentials."""
        return Origin(kind=OriginKind.INDEX, location=self._root.url)

    def names(self) -> tuple[str, ...]:
        """Return nothing: what an index knows is known only by asking."""
        return ()

    def extensions(self) -> list[Slug]:
        """Return the extensions among all projects that the index lists, sorted.

        Raises:
            SourceError: The index failed, or its list is too long or breaks the protocol.
        """
        root = self._root.below("")
        most = limits.INDEX_LIST_BYTES
        answer = self._pages.get(root, self._root, accept=_ACCEPT, most=most)
        try:
            projects = () if answer.missing else _read(answer, read_json_list, read_html_list)
        except SourceError as error:
            raise _at(answer.url, error) from None
        slugs = {Slug.from_distribution(project) for project in projects}
        return sorted(slug for slug in slugs if slug is not None)

    def has_project(self, project: str) -> bool:
        """Return whether the index has a project of any kind by this name.

        Raises:
            SourceError: The index failed.
        """
        return not self._page(normalized(project)).missing

    def releases(self, slug: Slug) -> list[Candidate] | None:
        """Return the wheels of an extension's project; None when there is no such project.

        Raises:
            SourceError: kinds ``registry-protocol``, ``registry-mismatch``, ``quarantined``,
                ``unsafe-path`` and those of the network.
        """
        answer = self._page(slug.distribution)
        if answer.missing:
            return None
        try:
            page = _read(answer, read_json_page, read_html_page)
            self._check(page, slug)
            base = WebAddress.parse(answer.url)
            found = [self._candidate(file, slug, base) for file in page.files]
        except SourceError as error:
            raise _at(answer.url, error) from None
        return [candidate for candidate in found if candidate is not None]

    def facts(self, candidate: Candidate) -> Facts:
        """Return what a release demands: from METADATA beside it when that excludes it already.

        Raises:
            InvalidExtension: The wheel is no valid package.
            SourceError: The index failed, or its bytes are not those it promised.
        """
        early = self._early(candidate)
        if early is not None and early.excludes(self._host):
            return early.facts
        return facts_of_wheel(self.fetch(candidate))

    def fetch(self, candidate: Candidate) -> Path:
        """Return the wheel as a local file, its size and hash verified.

        Raises:
            SourceError: The index failed, or its bytes are not those it promised.
        """
        return self._wheels.get(candidate, WebAddress.parse(candidate.link), self._root)

    def _page(self, project: str) -> Page:
        return self._pages.get(self._root.below(project, ""), self._root, accept=_ACCEPT)

    @staticmethod
    def _check(page: IndexPage, slug: Slug) -> None:
        if page.name and normalized(page.name) != slug.distribution:
            raise SourceError(
                rules.OTHER_PROJECT.problem(
                    "The index answers about another project.",
                    expected=slug.distribution,
                    got=page.name,
                )
            )
        if page.status == "quarantined":
            why = f": {page.reason}" if page.reason else ""
            message = f"The index has quarantined {slug.distribution}{why}."
            raise SourceError(rules.QUARANTINED.problem(message))

    def _candidate(self, file: IndexFile, slug: Slug, base: WebAddress) -> Candidate | None:
        name = WheelName.parse(file.filename)
        if name is None:
            return None  # a source archive, an installer: no kind of file that is installed
        if name.project != slug.distribution:
            raise SourceError(
                rules.OTHER_FILE.problem(
                    "The page lists a file of another project.",
                    path=file.filename,
                    expected=slug.distribution,
                    got=name.project,
                )
            )
        if not name.usable:
            return None
        address, objection = self._judged(file, base)
        if file.metadata_sha256 is not None:
            self._metadata[file.filename] = file.metadata_sha256
        return Candidate(
            slug=slug,
            version=name.version,
            origin=self.origin,
            filename=file.filename,
            link=address.url if address else "",
            sha256=file.sha256,
            size=file.size,
            build=name.build,
            requires_python=file.requires_python,
            yanked=file.yanked,
            uploaded=file.uploaded,
            objection=objection,
        )

    def _judged(
        self, file: IndexFile, base: WebAddress
    ) -> tuple[WebAddress | None, Problem | None]:
        try:
            address = WebAddress.parse(file.url, base)
            address.check_against(self._root)
            address.check_plain()
        except SourceError as error:
            return None, error.problems[0]
        if not file.sha256:
            message = f"The index states no sha256 for {file.filename}."
            return address, rules.HASH_MISSING.problem(message, path=file.filename)
        if file.size is not None and file.size > limits.WHEEL_BYTES:
            return address, net_rules.SIZE.problem(
                "The wheel is too large.",
                path=file.filename,
                expected=f"at most {limits.WHEEL_BYTES} bytes",
                got=f"{file.size} bytes",
            )
        return address, None

    def _early(self, candidate: Candidate) -> Metadata | None:
        """METADATA beside the wheel (PEP 658), when the index offers it and it can be read."""
        stated = self._metadata.get(candidate.filename)
        if stated is None or self._client.offline:
            return None
        address = WebAddress.parse(f"{candidate.link}.metadata")
        most, seconds = limits.METADATA_BYTES, self._client.timing.page
        with self._client.get(address, self._root, most=most, seconds=seconds) as reply:
            body = b"".join(reply.body) if reply.status == 200 else b""
        return Metadata.read(body, stated)


def _read(answer: Page, read_json: Callable[[bytes], _T], read_html: Callable[[bytes], _T]) -> _T:
    """What an answer says, read in the way that its content type names."""
    kind = answer.content_type.partition(";")[0].strip().lower()
    if kind.startswith(_VENDOR) and not kind.startswith(f"{_VENDOR}v1+"):
        message = "The index answers in a version of the protocol that was not asked for."
        raise SourceError(rules.API_VERSION.problem(message, expected="v1", got=kind))
    if kind.endswith(("+json", "/json")):
        return read_json(answer.body)
    if kind in _UNTOLD and answer.body.lstrip()[:1] == b"{":
        return read_json(answer.body)
    html = kind in _UNTOLD or kind.endswith(("+html", "/html", "/xhtml+xml"))
    # A page without a single tag is something else that was sent as one.
    if html and (b"<" in answer.body or not answer.body.strip()):
        return read_html(answer.body)
    message = "The answer is no page of an index."
    raise SourceError(rules.TYPE.problem(message, expected="JSON or HTML", got=kind or "text"))


def _at(url: str, error: SourceError) -> SourceError:
    """The same refusal, with the page that it is about."""
    return SourceError(
        [
            replace(problem, path=f"{problem.path} on {url}" if problem.path else url)
            for problem in error.problems
        ]
    )
