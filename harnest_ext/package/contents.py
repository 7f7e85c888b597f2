"""Rules that hold for every tree: what its entries are, how they are named, how much they are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.manifest import MANIFEST_FILE
from harnest_ext.package.layout import MANIFEST_TWIN
from harnest_ext.package.names import folded, path_problem
from harnest_ext.package.rules import tree as rules
from harnest_ext.package.tree import EntryType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from harnest_ext.package.tree import Entry
    from harnest_ext.problem import Problem

__all__ = [
    "collisions",
    "excesses",
    "foreign_problem",
    "native_problem",
    "special_problem",
    "unsafe_paths",
]

_NATIVE = re.compile(r".+\.(?:so(?:\.[0-9]+)*|pyd|dll|dylib|a|o|obj|lib|node|exe)", re.IGNORECASE)
_NATIVE_HEADS = (
    b"\x7fELF",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
)
"""How ELF and Mach-O files begin; those of Windows begin with MZ and have PE further on."""
_PE = re.compile(rb"PE\0\0")
_PATH_HOOK = re.compile(r".+\.(?:pth|egg-link)")
_BYTE_CODE = re.compile(r".+\.py[co]")
_SPECIAL_BITS = 0o7000
_STICKY = 0o1000


def special_problem(entry: Entry) -> Problem | None:
    """Return why an entry is no plain file or folder, or None if it is one."""
    if entry.type not in {EntryType.FILE, EntryType.FOLDER}:
        return rules.SPECIAL_FILE.problem(
            f"This is a {entry.type.value}.",
            path=entry.shown,
            expected="a regular file or folder",
            got=entry.type.value,
        )
    bits = entry.mode & _SPECIAL_BITS
    if not entry.is_file:
        bits &= ~_STICKY
    if not bits:
        return None
    return rules.SPECIAL_MODE.problem(
        "A special permission bit is set.",
        path=entry.shown,
        expected="no setuid, setgid or sticky bit",
        got=f"mode {entry.mode:04o}",
    )


def unsafe_paths(entries: Iterable[Entry]) -> Iterator[Problem]:
    """Yield what is wrong with the paths of entries."""
    for entry in entries:
        problem = path_problem(entry.path)
        if problem:
            yield problem


def collisions(entries: Iterable[Entry]) -> Iterator[Problem]:
    """Yield entries that are one file on systems which fold case or normalise names.

    Parents count although nothing names them; a folder may be named again, a file may not.
    """
    taken: dict[str, str] = {}
    folders: set[str] = set()
    for entry in entries:
        path = entry.path
        parents = (path[:cut] for cut, ch in enumerate(path) if ch == "/")
        named = [parent for parent in parents if parent not in folders]
        folders.update(named)
        if entry.type is EntryType.FOLDER and path not in folders:
            named.append(path)
            folders.add(path)
        elif entry.type is not EntryType.FOLDER:
            named.append(path)
        for place in named:
            form = folded(place)
            if form in taken:
                yield _collision(entry, place, taken[form])
                break
            taken[form] = place


def _collision(entry: Entry, path: str, other: str) -> Problem:
    what = "is there twice" if path == other else f"is the same as {other!r} on some systems"
    return rules.COLLISION.problem(
        f"The path {path!r} {what}.", path=entry.shown, expected="each path once", got=path
    )


def excesses(files: Sequence[Entry]) -> Iterator[Problem]:
    """Yield the limits that files exceed: their number, the size of one, the size of all."""
    if len(files) > limits.PACKAGE_FILES:
        yield rules.FILES.problem(
            "The package has too many files.",
            path=files[limits.PACKAGE_FILES].shown,
            expected=f"at most {limits.PACKAGE_FILES} files",
            got=f"{len(files)} files",
        )
    total = 0
    for file in files:
        total += file.size
        if file.size > limits.FILE_BYTES:
            yield rules.FILE_SIZE.problem(
                "A file is too big.",
                path=file.shown,
                expected=f"at most {limits.FILE_BYTES} bytes",
                got=f"{file.size} bytes",
            )
    if total > limits.PACKAGE_BYTES:
        yield rules.TOTAL_SIZE.problem(
            "The package is too big.",
            expected=f"at most {limits.PACKAGE_BYTES} bytes in all files",
            got=f"{total} bytes",
        )


def native_problem(entry: Entry, head: bytes) -> Problem | None:
    """Return the problem of a file that begins as native code does, whatever its name is.

    Args:
        entry: The file.
        head: Its first bytes, 1 KiB of them or all.
    """
    if head.startswith(_NATIVE_HEADS) or (head.startswith(b"MZ") and _PE.search(head)):
        return rules.NATIVE.problem("This is native code.", path=entry.shown)
    return None


def foreign_problem(entry: Entry, *, in_wheel: bool) -> Problem | None:
    """Return why an entry has no place in any package, or None."""
    name = entry.path.rpartition("/")[2].lower()
    if not entry.is_file:
        if name != "harnest":
            return None
        return rules.HARNEST_FOLDER.problem("A folder is named 'harnest'.", path=entry.shown)
    if name in {MANIFEST_FILE, MANIFEST_TWIN} and entry.path != MANIFEST_FILE:
        what = f"There is another manifest beside {MANIFEST_FILE}."
        return rules.MANIFEST_SECOND.problem(what, path=entry.shown, expected="one manifest")
    where = "in a wheel" if in_wheel else "outside __pycache__"
    matches = (
        (_PATH_HOOK, rules.PATH_HOOK, "Python would follow this file."),
        (_NATIVE, rules.NATIVE, "This is native code."),
        (_BYTE_CODE, rules.BYTE_CODE, f"Byte code {where} is not accepted."),
    )
    found = (rule.problem(what, path=entry.shown) for p, rule, what in matches if p.fullmatch(name))
    return next(found, None)
