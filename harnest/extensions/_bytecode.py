"""A private cache of compiled code, so that byte code beside the sources is never needed.

An extension's folder may hold byte code that belongs to other sources than the checked ones, so
none of it is ever read. What we compile is kept below the user's own cache folder, one file per
source path, valid for one exact content: its SHA-256 stands in the file. A folder that others
can write to is not used.
"""

from __future__ import annotations

import hashlib
import importlib.util
import marshal
import os
import stat
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Final

__all__ = ["cache_path", "load", "store"]

_HEADER: Final = importlib.util.MAGIC_NUMBER
_DIGEST_BYTES: Final = 32
_TAG: Final = sys.implementation.cache_tag or "python"


def cache_path(source_path: str) -> str | None:
    """Return where the compiled form of a source file is kept, or None without a safe place."""
    root = _root(os.environ.get("XDG_CACHE_HOME", ""), os.environ.get("HOME", ""))
    if root is None:
        return None
    name = hashlib.sha256(os.fsencode(source_path)).hexdigest()
    return f"{root}{os.sep}{name[:2]}{os.sep}{name[2:42]}.{_TAG}-{sys.flags.optimize}.pyc"


def load(path: str, source: bytes) -> CodeType | None:
    """Return the code that was compiled from exactly these bytes, or None."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - a Path costs more than the read
            data = file.read()
    except OSError:
        return None
    start = len(_HEADER) + _DIGEST_BYTES
    if data[:start] != _HEADER + hashlib.sha256(source).digest():
        return None
    try:
        code = marshal.loads(data[start:])  # noqa: S302 - only our own files, see the folder check
    except (EOFError, ValueError, TypeError):
        return None
    return code if isinstance(code, CodeType) else None


def store(path: str, source: bytes, code: CodeType) -> None:
    """Keep compiled code; a cache that can't be written is only slower."""
    if sys.dont_write_bytecode:
        return
    import tempfile  # noqa: PLC0415 - only what was not kept yet needs it

    data = _HEADER + hashlib.sha256(source).digest() + marshal.dumps(code)
    folder = Path(path).parent
    with suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise


@cache
def _root(xdg: str, home: str) -> Path | None:
    # The arguments are what the answer depends on: another home gets another answer.
    root = _user_cache(xdg, home) / "bytecode"
    with suppress(OSError):
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _private(root):
            return root
    return None


def _user_cache(xdg: str, home: str) -> Path:
    if sys.platform == "linux" and (xdg or home).startswith("/"):
        # What platformdirs says there; to import it takes a fifth of an activation's time.
        return Path(xdg or f"{home}/.cache") / "harnest"
    import platformdirs  # noqa: PLC0415 - see above

    return Path(platformdirs.user_cache_dir("harnest", appauthor=False))


def _private(folder: Path) -> bool:
    found = folder.stat(follow_symlinks=False)
    ours = not hasattr(os, "geteuid") or found.st_uid == os.geteuid()
    return stat.S_ISDIR(found.st_mode) and ours and not found.st_mode & 0o022
