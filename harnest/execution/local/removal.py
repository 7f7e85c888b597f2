"""Removing a directory whatever a program did to it: modes, links, and towers of folders.

No link is followed: everything is named below an open directory. A tree may be deeper than paths
are long, than calls nest and than descriptors last, so what lies deep is first moved up.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path
from typing import Final

__all__ = ["remove"]

_LEVELS: Final = 32
"""Folders that are entered in one another; what is deeper is moved to the top."""
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove(path: Path) -> bool:
    """Remove a directory and everything in it; return whether it is gone.

    What a program made unreadable is made readable first. What can't be removed, another user's
    say, stays, and all the rest goes.
    """
    with contextlib.suppress(OSError):
        if not stat.S_ISDIR(path.lstat().st_mode):
            path.unlink()
            return True
        path.chmod(0o700)
        top = os.open(path, _FOLDER)
        try:
            while _Removal(top).clear(top, 0):
                pass
        finally:
            os.close(top)
        path.rmdir()
    return not os.path.lexists(path)


class _Removal:
    """One pass over a tree.

    Args:
        top: Its top, open.
    """

    def __init__(self, top: int) -> None:
        self._top = top
        self._moved = 0

    def clear(self, folder: int, depth: int) -> bool:
        """Remove what is in an open folder; return whether something was moved to the top."""
        for name in os.listdir(folder):
            with contextlib.suppress(OSError):
                facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
                if not stat.S_ISDIR(facts.st_mode):
                    os.unlink(name, dir_fd=folder)
                elif depth < _LEVELS:
                    self._clear_below(folder, name, depth)
                    os.rmdir(name, dir_fd=folder)
                else:
                    self._move_up(folder, name)
        return self._moved > 0

    def _clear_below(self, folder: int, name: str, depth: int) -> None:
        below = _opened(folder, name)
        try:
            self.clear(below, depth + 1)
        finally:
            os.close(below)

    def _move_up(self, folder: int, name: str) -> None:
        os.close(_opened(folder, name))  # what is moved elsewhere has to be writable itself
        moved = f".moved-{secrets.token_hex(8)}"
        os.rename(name, moved, src_dir_fd=folder, dst_dir_fd=self._top)
        self._moved += 1


def _opened(folder: int, name: str) -> int:
    """Open a folder and make it ours to read, change and pass through."""
    try:
        found = os.open(name, _FOLDER, dir_fd=folder)
    except PermissionError:
        os.chmod(name, 0o700, dir_fd=folder)
        found = os.open(name, _FOLDER, dir_fd=folder)
    with contextlib.suppress(OSError):
        os.fchmod(found, 0o700)
    return found
