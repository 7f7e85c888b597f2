"""The lock file's text: read with tomllib and held to its schema, written byte for byte the same.

Reading is on the path of every command and of activation, so that nothing but tomllib is imported.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from harnest_ext import limits
from harnest_ext.errors import InvalidExtension
from harnest_ext.identity import Slug
from harnest_ext.store import rules
from harnest_ext.store.lock import LockedExtension, LockedSource, LockFile, SourceKind
from harnest_ext.store.lock_lines import quick_tables
from harnest_ext.store.reading import read_regular
from harnest_ext.toml_fault import toml_fault

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harnest_ext.rule import Rule

__all__ = ["parse_lock", "read_lock", "render_lock"]

_VERSION: Final = 1
_HEADER: Final = (
    f"# Written by `harnest extensions`; commit it, do not edit it.\nlock-version = {_VERSION}\n"
)
_TEXT_KEYS: Final = ("name", "version", "requirement", "digest", "harnest", "python")
_LIST_KEYS: Final = ("requires", "dependencies", "capabilities")
_KINDS: Final = {kind.value for kind in SourceKind}
_KEYS: Final = {*_TEXT_KEYS, *_LIST_KEYS, "source", "wheel", "pinned"}


def read_lock(path: Path) -> LockFile:
    """Return what the lock file at ``path`` says; an absent file is an empty lock.

    Raises:
        InvalidExtension: kind ``lock-invalid``, when it breaks the format.
        StoreError: kind ``io-error``, when it can't be read or is larger than ``LOCK_BYTES``.
    """
    data = read_regular(path, limits.LOCK_BYTES)
    return LockFile() if data is None else parse_lock(data, path.name)


def parse_lock(data: bytes, path: str) -> LockFile:
    """Return what ``data`` says.

    Args:
        data: Whole content of a lock file.
        path: Name to report problems under.

    Raises:
        InvalidExtension: kind ``lock-invalid``.
    """
    quick = _quick(data, path)
    return _parsed(data, path) if quick is None else quick


def _quick(data: bytes, path: str) -> LockFile | None:
    try:
        tables = quick_tables(data.decode(), _HEADER)
        lock = None if tables is None else _lock(tables, path, data)
    except (UnicodeDecodeError, InvalidExtension):
        # What is wrong is told by the strict reading, with its place.
        return None
    return lock if lock is not None and render_lock(lock) == data else None


def _parsed(data: bytes, path: str) -> LockFile:
    try:
        document = tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        fault = toml_fault(error, data)
        reason = f"{fault.reason}."
        line = _conflict_line(data)
        if line:
            reason = "It holds the marks of a merge conflict."
        raise _refusal(path, rules.LOCK_TOML, reason, line=line or fault.line) from error
    version = document.pop("lock-version", None)
    if version != _VERSION or isinstance(version, bool):
        found = data.find(b"lock-version")
        line = data.count(b"\n", 0, max(found, 0)) + 1
        told = "Its lock-version is not known here."
        raise _refusal(path, rules.LOCK_VERSION, told, line=line, got=version)
    tables = document.pop("extension", [])
    if document or not isinstance(tables, list):
        raise _refusal(
            path, rules.LOCK_KEYS, "It holds other keys than its own.", got=list(document)
        )
    return _lock(tables, path, data)


def _lock(tables: list[Any], path: str, data: bytes) -> LockFile:
    entries: dict[Slug, LockedExtension] = {}
    for number, table in enumerate(tables):
        try:
            entry = _entry(table, path)
            if entry.name in entries:
                raise _refusal(path, rules.LOCK_DUPLICATE, f"It names '{entry.name}' twice.")
        except InvalidExtension as error:
            line = _entry_line(data, number)
            raise InvalidExtension(replace(error.problems[0], line=line)) from error
        entries[entry.name] = entry
    return LockFile(entries=entries)


def _entry_line(data: bytes, number: int) -> int | None:
    """The line on which the entry of that number begins, in the way that locks are written."""
    lines = enumerate(data.split(b"\n"), 1)
    begun = (at for at, line in lines if line.strip() == b"[[extension]]")
    return next(islice(begun, number, None), None)


def render_lock(lock: LockFile) -> bytes:
    """Return the text of ``lock``: the same bytes for the same entries on every machine."""
    blocks = ("\n".join(_lines(entry)) + "\n" for entry in lock.entries.values())
    return "\n".join([_HEADER, *blocks]).encode()


def _entry(table: object, path: str) -> LockedExtension:
    if not isinstance(table, dict):
        raise _refusal(path, rules.LOCK_KEYS, "`extension` is not a list of tables.")
    name = table.get("name")
    where = f"{path}#{name}" if isinstance(name, str) else path
    unknown = sorted(table.keys() - _KEYS)
    if unknown:
        raise _refusal(
            where, rules.LOCK_KEYS, "An entry holds keys that are not known.", got=unknown
        )
    wheel = _table(table, "wheel", {"sha256", "size"}, where)
    texts = {key: _text(table, key, where) for key in _TEXT_KEYS}
    lists = {key: _texts(table, key, where) for key in _LIST_KEYS}
    pinned, size = table.get("pinned", False), wheel.get("size", 0)
    if not isinstance(pinned, bool) or not isinstance(size, int):
        raise _refusal(where, rules.LOCK_FIELD, "`pinned` or `wheel.size` is of the wrong type.")
    try:
        return LockedExtension(
            name=Slug(texts["name"]),
            version=texts["version"],
            requirement=texts["requirement"],
            source=_source(table, where),
            digest=texts["digest"],
            wheel_sha256=_text(wheel, "sha256", where),
            wheel_size=size,
            requires=lists["requires"],
            dependencies=lists["dependencies"],
            capabilities=lists["capabilities"],
            host_range=texts["harnest"],
            requires_python=texts["python"],
            pinned=pinned,
        )
    except InvalidExtension as error:
        problem = error.problems[0]
        raise _refusal(where, rules.LOCK_FIELD, problem.message, got=problem.got) from error


def _source(table: dict[str, Any], where: str) -> LockedSource:
    source = _table(table, "source", {"kind", "location", "file"}, where)
    kind = _text(source, "kind", where)
    if kind not in _KINDS:
        raise _refusal(where, rules.LOCK_FIELD, "Its source is of no known kind.", got=kind)
    return LockedSource(
        kind=SourceKind(kind),
        location=_text(source, "location", where),
        file=_text(source, "file", where),
    )


def _table(table: dict[str, Any], key: str, known: set[str], where: str) -> dict[str, Any]:
    value = table.get(key, {})
    if not isinstance(value, dict) or value.keys() - known:
        raise _refusal(where, rules.LOCK_FIELD, f"`{key}` is not a table of {sorted(known)}.")
    return value


def _text(table: dict[str, Any], key: str, where: str) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        raise _refusal(where, rules.LOCK_FIELD, f"`{key}` is not a text.", got=value)
    return value


def _texts(table: dict[str, Any], key: str, where: str) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _refusal(where, rules.LOCK_FIELD, f"`{key}` is not a list of texts.", got=value)
    return tuple(value)


def _lines(entry: LockedExtension) -> Iterator[str]:
    source = [("kind", entry.source.kind.value), ("location", entry.source.location)]
    if entry.source.file:
        source.append(("file", entry.source.file))
    yield "[[extension]]"
    yield f"name = {_quoted(entry.name)}"
    yield f"version = {_quoted(entry.version)}"
    if entry.requirement:
        yield f"requirement = {_quoted(entry.requirement)}"
    yield f"source = {{ {', '.join(f'{key} = {_quoted(value)}' for key, value in source)} }}"
    if entry.wheel_sha256:
        sha256 = _quoted(entry.wheel_sha256)
        yield f"wheel = {{ sha256 = {sha256}, size = {entry.wheel_size} }}"
    if entry.digest:
        yield f"digest = {_quoted(entry.digest)}"
    for key in _LIST_KEYS:
        values = sorted(getattr(entry, key))
        if values:
            yield f"{key} = [{', '.join(_quoted(value) for value in values)}]"
    if entry.host_range:
        yield f"harnest = {_quoted(entry.host_range)}"
    if entry.requires_python:
        yield f"python = {_quoted(entry.requires_python)}"
    if entry.pinned:
        yield "pinned = true"


def _quoted(text: str) -> str:
    # JSON's escapes are TOML's, but for DEL, which JSON leaves as it is and TOML forbids.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _conflict_line(data: bytes) -> int | None:
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.startswith((b"<<<<<<< ", b">>>>>>> ")):
            return number
    return None


def _refusal(
    path: str, rule: Rule, message: str, *, line: int | None = None, got: object = None
) -> InvalidExtension:
    path, _, name = path.partition("#")
    if name:
        message = f"{message} (in the entry '{name}')"
    return InvalidExtension(
        rule.problem(
            f"The lock file is not usable: {message}",
            path=path,
            line=line,
            expected="a lock file as `harnest extensions` writes it",
            got="" if got is None else repr(got),
        )
    )
