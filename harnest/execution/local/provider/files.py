"""Files into and out of a work directory, below directory descriptors, following no link.

Names are plain relative paths. What a program leaves under ``outputs/`` comes back if it is a
regular file that is new or changed; anything else there is counted, not opened.
"""

from __future__ import annotations

import contextlib
import itertools
import mimetypes
import os
import stat
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from harnest.execution import limits
from harnest.execution.handover import is_plain
from harnest.execution.local.provider.limits import OUTPUT_ENTRIES
from harnest.sandbox import SandboxFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

__all__ = ["OUTPUTS", "Collected", "collect", "put", "state_of_outputs"]

OUTPUTS = "outputs"
"""Folder in the work directory whose files come back."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_Stamp = tuple[int, int, int]
_Entry = tuple[str, os.stat_result, int]
"""Name below ``outputs/``, facts, and descriptor of the folder that it is in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What came back.

    Attributes:
        files: The files, by name in order.
        omitted: How many entries were left out: links, special files, or out of bounds.
    """

    files: tuple[SandboxFile, ...]
    omitted: int


def put(work: Path, contents: Mapping[str, bytes]) -> None:
    """Write input files, replacing files of those names that an earlier call left.

    Raises:
        OSError: A link or a file stands where a folder is needed, or the disk refuses.
    """
    for name, data in contents.items():
        *folders, last = name.split("/")
        with _opened(work, folders, create=True) as folder:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(last, dir_fd=folder)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with os.fdopen(os.open(last, flags, 0o600, dir_fd=folder), "wb") as file:
                file.write(data)


def state_of_outputs(work: Path) -> dict[str, _Stamp]:
    """Return what ``outputs/`` holds before a call, to tell afterwards what it changed."""
    return {name: _stamp(facts) for name, facts, _ in _walk(work) if stat.S_ISREG(facts.st_mode)}


def collect(work: Path, before: Mapping[str, _Stamp]) -> Collected:
    """Return the files that a call wrote under ``outputs/``, in bounds.

    Args:
        work: Its work directory.
        before: What :func:`state_of_outputs` returned before it.
    """
    files: list[SandboxFile] = []
    left, omitted = limits.FILES_BYTES, 0
    for name, facts, folder in _walk(work):
        if before.get(name) == _stamp(facts):
            continue
        data = _content(folder, name, facts, left) if len(files) < limits.INPUT_FILES else None
        if data is None:
            omitted += 1
            continue
        left -= len(data)
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        files.append(SandboxFile(name=name, content=data, mime_type=kind))
    return Collected(files=tuple(files), omitted=omitted)


def _content(folder: int, name: str, facts: os.stat_result, most: int) -> bytes | None:
    if not stat.S_ISREG(facts.st_mode) or facts.st_size > most or not is_plain(name):
        return None
    try:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with os.fdopen(os.open(PurePosixPath(name).name, flags, dir_fd=folder), "rb") as file:
            same = os.path.samestat(os.fstat(file.fileno()), facts)
            data = file.read(most + 1) if same else b""
    except OSError:
        return None
    return data if same and len(data) <= most else None


def _walk(work: Path) -> Iterator[_Entry]:
    """Yield what is below ``outputs/``, as far as it is looked at; folders count as well."""
    with contextlib.suppress(OSError), _opened(work, [OUTPUTS], create=False) as top:
        yield from _below(top, "", limits.FILE_NAME_DEPTH, itertools.repeat(None, OUTPUT_ENTRIES))


def _below(folder: int, base: str, levels: int, budget: Iterator[None]) -> Iterator[_Entry]:
    """Yield each entry of an open folder; then, for those that can be entered, what is in them."""
    with os.scandir(folder) as entries:
        some = itertools.islice(entries, OUTPUT_ENTRIES)
        names = [n for _, n in sorted((e.is_dir(follow_symlinks=False), e.name) for e in some)]
    for name, _ in zip(names, budget, strict=False):
        facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
        inner = _entered(name, folder) if stat.S_ISDIR(facts.st_mode) and levels > 1 else None
        if inner is None:
            yield base + name, facts, folder
            continue
        try:
            yield from _below(inner, f"{base}{name}/", levels - 1, budget)
        finally:
            os.close(inner)


def _entered(name: str, folder: int) -> int | None:
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except OSError:
        return None


@contextlib.contextmanager
def _opened(work: Path, folders: Sequence[str], *, create: bool) -> Iterator[int]:
    with contextlib.ExitStack() as stack:
        descriptor = os.open(work, _FOLDER)
        stack.callback(os.close, descriptor)
        for name in folders:
            if create:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(name, 0o700, dir_fd=descriptor)
            descriptor = os.open(name, _FOLDER, dir_fd=descriptor)
            stack.callback(os.close, descriptor)
        yield descriptor


def _stamp(facts: os.stat_result) -> _Stamp:
    return facts.st_ino, facts.st_ctime_ns, facts.st_size
