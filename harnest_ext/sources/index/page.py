"""What a project's page on an index says, whatever it was written in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnest_ext.errors import SourceError
from harnest_ext.sources.index import rules

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

__all__ = ["IndexFile", "IndexPage", "check_api_version", "sha256_of"]

_HEX = re.compile(r"[0-9a-f]{64}")
_NO_NAME = re.compile(r"[\x00-\x1f\x7f/\\:]|^\.*$|^\.\.?[/\\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexFile:
    """One file of a project.

    Attributes:
        filename: Its name, without any path.
        url: Where it is, as written: perhaps relative to the page.
        sha256: Hex digest; empty when the page states none.
        size: Bytes; None when the page doesn't state them.
        requires_python: PEP 440 range; None when the page states none.
        yanked: Why it was withdrawn; None when it was not.
        uploaded: When it was uploaded, aware; None when the page doesn't state it.
        metadata_sha256: Digest of its METADATA beside it; empty when it is there but without a
            digest, None when it is not there.

    Raises:
        SourceError: rule ``index.file-name``.
    """

    filename: str
    url: str
    sha256: str = ""
    size: int | None = None
    requires_python: str | None = None
    yanked: str | None = None
    uploaded: datetime | None = None
    metadata_sha256: str | None = None

    def __post_init__(self) -> None:
        if _NO_NAME.search(self.filename):
            message = "A file name on the page is no plain name."
            raise SourceError(rules.FILE_NAME.problem(message, path=self.filename))


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexPage:
    """A project's page.

    Attributes:
        name: Project that the page says it is about; empty when it doesn't say.
        files: Its files, in the order of the page; the same one twice is kept once.
        status: Status of the project, PEP 792.
        reason: Why it has that status; may be empty.

    Raises:
        SourceError: rule ``index.two-hashes``.
    """

    name: str = ""
    files: tuple[IndexFile, ...] = ()
    status: str = "active"
    reason: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "files", tuple(_unique(self.files)))


def _unique(files: Iterable[IndexFile]) -> Iterable[IndexFile]:
    seen: dict[str, IndexFile] = {}
    for file in files:
        before = seen.setdefault(file.filename, file)
        if before is file:
            yield file
        elif before.sha256 != file.sha256:
            message = "One file name stands on the page with two hashes."
            raise SourceError(rules.TWO_HASHES.problem(message, path=file.filename))


def sha256_of(text: str, filename: str) -> str:
    """Return a sha256 as a page states it, in lower case.

    Raises:
        SourceError: rule ``index.hash``, when it is none.
    """
    plain = text.lower()
    if _HEX.fullmatch(plain):
        return plain
    raise SourceError(
        rules.HASH.problem(
            "The page states a sha256 that is none.",
            path=filename,
            expected="64 hexadecimal digits",
            got=text,
        )
    )


def check_api_version(text: str) -> None:
    """Refuse a page of another major version of the protocol (PEP 629).

    Raises:
        SourceError: rule ``index.api-version``.
    """
    if re.fullmatch(r"1(\.[0-9]+)*", text, re.ASCII):
        return
    raise SourceError(
        rules.API_VERSION.problem(
            "The index speaks a version of the protocol that is not known here.",
            expected="1.x",
            got=text,
        )
    )
