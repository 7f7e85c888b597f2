"""PEP 691 pages: strict JSON in, a page out.

Unknown keys are ignored, as the protocol asks; known ones must have the type that it gives them.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, TypeVar

from harnest_ext.errors import SourceError
from harnest_ext.sources.index import rules
from harnest_ext.sources.index.page import IndexFile, IndexPage, check_api_version, sha256_of
from harnest_ext.sources.net.strict_json import strict_json

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["read_json_list", "read_json_page"]

_T = TypeVar("_T")


def read_json_page(body: bytes) -> IndexPage:
    """Return what a PEP 691 body says.

    Raises:
        SourceError: kinds ``registry-protocol``, ``unsafe-path``.
    """
    told = strict_json(body)
    if not isinstance(told, dict):
        raise _odd("the page", "an object")
    meta = _typed(told, "meta", dict)
    check_api_version(_typed(meta, "api-version", str))
    status = _typed(told, "project-status", dict, {})
    files = _typed(told, "files", list)
    return IndexPage(
        name=_typed(told, "name", str),
        files=tuple(_file(entry) for entry in files),
        status=_typed(status, "status", str, "active"),
        reason=_typed(status, "reason", str, ""),
    )


def read_json_list(body: bytes) -> list[str]:
    """Return the names of all projects that the root page of an index lists.

    Raises:
        SourceError: kind ``registry-protocol``.
    """
    told = strict_json(body)
    if not isinstance(told, dict):
        raise _odd("the page", "an object")
    check_api_version(_typed(_typed(told, "meta", dict), "api-version", str))
    projects = _typed(told, "projects", list)
    if not all(isinstance(project, dict) for project in projects):
        raise _odd("projects", "a list of objects")
    return [_typed(project, "name", str) for project in projects]


def _file(entry: object) -> IndexFile:
    if not isinstance(entry, dict):
        raise _odd("files", "a list of objects")
    filename = _typed(entry, "filename", str)
    return IndexFile(
        filename=filename,
        url=_typed(entry, "url", str),
        sha256=_sha256(_typed(entry, "hashes", dict), filename),
        size=_size(entry),
        requires_python=_optional_text(entry, "requires-python"),
        yanked=_yanked(entry),
        uploaded=_uploaded(entry),
        metadata_sha256=_metadata(entry, filename),
    )


def _sha256(hashes: Mapping[str, object], filename: str) -> str:
    return sha256_of(_typed(hashes, "sha256", str), filename) if "sha256" in hashes else ""


def _size(entry: Mapping[str, object]) -> int | None:
    size = entry.get("size")
    if size is None:
        return None
    if not isinstance(size, int) or isinstance(size, bool) or size < 0:
        raise _odd("size", "a number of bytes")
    return size


def _yanked(entry: Mapping[str, object]) -> str | None:
    yanked = entry.get("yanked", False)
    if isinstance(yanked, bool):
        return "" if yanked else None
    if not isinstance(yanked, str):
        raise _odd("yanked", "true, false or a reason")
    return yanked or None


def _uploaded(entry: Mapping[str, object]) -> dt.datetime | None:
    text = _optional_text(entry, "upload-time")
    if text is None:
        return None
    try:
        time = dt.datetime.fromisoformat(text)
    except ValueError:
        raise _odd("upload-time", "a time in ISO 8601") from None
    return time if time.tzinfo else time.replace(tzinfo=dt.UTC)


def _metadata(entry: Mapping[str, object], filename: str) -> str | None:
    told = entry.get("core-metadata", entry.get("dist-info-metadata", False))
    if isinstance(told, bool) or told is None:
        return "" if told else None
    if not isinstance(told, dict):
        raise _odd("core-metadata", "true, false or an object of hashes")
    return _sha256(told, filename)


def _optional_text(entry: Mapping[str, object], key: str) -> str | None:
    return None if entry.get(key) is None else _typed(entry, key, str)


def _typed(told: Mapping[str, object], key: str, kind: type[_T], default: _T | None = None) -> _T:
    found = told.get(key, default)
    if not isinstance(found, kind):
        raise _odd(key, f"a JSON {_NAMES[kind]}")
    return found


_NAMES: Mapping[type, str] = {dict: "object", list: "list", str: "text"}


def _odd(what: str, expected: str) -> SourceError:
    message = f"The page does not keep to the protocol: {what} is not {expected}."
    return SourceError(rules.PAGE.problem(message, expected=expected))
