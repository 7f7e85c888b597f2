"""RECORD: every file of a wheel with its hash and size, read strictly and compared both ways."""

from __future__ import annotations

import base64
import binascii
import csv
import hashlib
import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.package.names import path_problem
from harnest_ext.package.rules import wheel as rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from harnest_ext.package.findings import Findings
    from harnest_ext.rule import Rule

__all__ = ["Row", "compare", "encoded", "read_record"]

_STRONG = {name: hashlib.new(name).digest_size for name in ("sha256", "sha384", "sha512")}
"""Bytes of a digest of each hash that is accepted."""
_UNLISTED = ("RECORD", "RECORD.jws", "RECORD.p7s")
_SIZE = re.compile(r"0|[1-9][0-9]{0,11}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of RECORD.

    Attributes:
        line: Line in the file.
        algorithm: Name of the hash; empty if the row has none.
        digest: The hash in URL-safe base64 without padding.
        size: Bytes of the file; None if the row has none.
    """

    line: int
    algorithm: str
    digest: str
    size: int | None


def encoded(digest: bytes) -> str:
    """Return a hash as RECORD writes it."""
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii")


def read_record(data: bytes, path: str, findings: Findings) -> dict[str, Row]:
    """Return the rows of RECORD by path; malformed and repeated ones are reported.

    Args:
        data: Content of the file.
        path: How the file is named in problems.
        findings: Where problems go.
    """
    reader = _Reader(path, findings)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        reader.report(rules.RECORD, data.count(b"\n", 0, error.start) + 1, "RECORD is not UTF-8.")
        return {}
    rows: dict[str, Row] = {}
    try:
        for number, (line, cells) in enumerate(_cells(text), 1):
            if number > limits.PACKAGE_FILES:
                got = f"more than {limits.PACKAGE_FILES} rows"
                reader.report(rules.RECORD, line, "RECORD is too long.", got=got)
                break
            row = reader.row(line, cells)
            if row and cells[0] in rows:
                reader.report(rules.RECORD, line, "A file is listed twice.", got=cells[0])
            elif row:
                rows[cells[0]] = row
    except csv.Error as error:
        reader.report(rules.RECORD, None, f"RECORD is not CSV: {error}.")
    return rows


def _cells(text: str) -> Iterator[tuple[int, list[str]]]:
    lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    for cells in lines:
        if cells:
            yield lines.line_num, cells


class _Reader:
    """Takes rows apart and reports what is wrong with them."""

    def __init__(self, path: str, findings: Findings) -> None:
        self._path = path
        self._findings = findings

    def row(self, line: int, cells: list[str]) -> Row | None:
        """Return a row, if it is well formed."""
        if len(cells) != 3:
            got = f"{len(cells)} columns"
            self.report(rules.RECORD, line, "A row has not three columns.", got=got)
            return None
        name, stated, size = cells
        unsafe = path_problem(name)
        if unsafe:
            self.report(rules.RECORD_PATH, line, unsafe.message, got=name)
            return None
        algorithm, _, digest = stated.partition("=")
        if stated and algorithm not in _STRONG:
            what = f"{name!r} has no hash of the accepted kinds."
            self.report(rules.RECORD_HASH, line, what, got=algorithm)
            return None
        if stated and not _is_digest(algorithm, digest):
            self.report(rules.RECORD, line, f"The hash of {name!r} is malformed.", got=stated)
            return None
        if size and not _SIZE.fullmatch(size):
            self.report(rules.RECORD, line, f"The size of {name!r} is no number.", got=size)
            return None
        return Row(line=line, algorithm=algorithm, digest=digest, size=int(size) if size else None)

    def report(self, rule: Rule, line: int | None, message: str, *, got: str = "") -> None:
        """Report a problem at a line."""
        expected = "path,sha256=...,size" if rule is not rules.RECORD_PATH else "a path inside"
        self._findings.add(
            rule.problem(message, path=self._path, line=line, expected=expected, got=got)
        )


def _is_digest(algorithm: str, text: str) -> bool:
    try:
        size = len(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (binascii.Error, ValueError):
        return False
    return "=" not in text and size == _STRONG[algorithm]


def compare(
    rows: Mapping[str, Row],
    files: Iterable[str],
    record: str,
    findings: Findings,
) -> frozenset[str]:
    """Report files that RECORD does not list and rows of what is not there.

    Args:
        rows: The rows by path.
        files: Paths of all files in the wheel.
        record: Path of RECORD itself.
        findings: Where problems go.

    Returns:
        The files whose hash must be verified.
    """
    folder = record.removesuffix("RECORD")
    unlisted = {folder + name for name in _UNLISTED}
    present = frozenset(files)
    for path in sorted(present - unlisted):
        row = rows.get(path)
        if row is None:
            what = f"RECORD does not list {path!r}."
            findings.add(rules.RECORD.problem(what, path=path, expected="a row in RECORD"))
        elif not row.algorithm or row.size is None:
            what = f"RECORD gives no hash or no size for {path!r}."
            findings.add(
                rules.RECORD.problem(what, path=record, line=row.line, expected="sha256 and size")
            )
    for path in sorted(rows.keys() - present):
        what = f"RECORD lists {path!r}, which is not there."
        line = rows[path].line
        findings.add(rules.RECORD.problem(what, path=record, line=line, got=path))
    own = rows.get(record)
    if own and (own.algorithm or own.size is not None):
        what = "RECORD gives a hash or size of itself."
        findings.add(rules.RECORD.problem(what, path=record, line=own.line, expected="RECORD,,"))
    return frozenset(p for p in present if p != record and p in rows and rows[p].algorithm)
