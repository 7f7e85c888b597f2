"""Empty a scratch folder, whatever a program left in it: names, modes, and depth are of its choosing.

Nothing else runs meanwhile, so nothing changes under our hands.
"""

from __future__ import annotations

import os
import stat

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def clear(path: str) -> None:
    """Remove everything below *path* that belongs to this user and lies on the same file system.

    What belongs to somebody else is where the runtime mounted something: it stays.
    """
    Clearing(path).run()


class Clearing:
    """One folder on its way to be empty.

    A folder in it is emptied by moving the folders it holds up to the top: so the deepest tree takes
    no more descriptors, memory or length of paths than a flat one.
    """

    def __init__(self, path: str) -> None:
        # A program owns the folder itself too, and may have closed it.
        os.chmod(path, 0o1777)  # noqa: S103 - as the runtime made it
        self._top = os.open(path, _DIRECTORY)
        self._device = os.fstat(self._top).st_dev
        # Not to be guessed, so that no name of a program's can be in the way.
        self._prefix = os.urandom(16).hex()
        self._moved = 0

    def run(self) -> None:
        """Remove until a whole look finds nothing that can be removed."""
        while sum([self._remove(name) for name in os.listdir(self._top)]):
            pass
        os.close(self._top)

    def _remove(self, name: str) -> int:
        """Return 1 if the entry is gone, 0 if it stays."""
        mode = self._mode(name, self._top)
        if mode is None:
            return 0
        try:
            if stat.S_ISDIR(mode):
                self._empty(name)
                os.rmdir(name, dir_fd=self._top)
            else:
                os.unlink(name, dir_fd=self._top)
        except OSError:
            # Something is mounted there or below.
            return 0
        return 1

    def _empty(self, name: str) -> None:
        os.chmod(name, 0o700, dir_fd=self._top)
        folder = os.open(name, _DIRECTORY, dir_fd=self._top)
        try:
            for inner in os.listdir(folder):
                mode = self._mode(inner, folder)
                if mode is None:
                    continue
                if stat.S_ISDIR(mode):
                    self._lift(inner, folder)
                else:
                    os.unlink(inner, dir_fd=folder)
        finally:
            os.close(folder)

    def _lift(self, name: str, folder: int) -> None:
        # A folder that moves must be writable: its entry ".." changes.
        os.chmod(name, 0o700, dir_fd=folder)
        self._moved += 1
        target = "{}-{}".format(self._prefix, self._moved)
        os.rename(name, target, src_dir_fd=folder, dst_dir_fd=self._top)

    def _mode(self, name: str, folder: int) -> int | None:
        """Return the mode of an entry, None if it is not ours to remove."""
        facts = os.lstat(name, dir_fd=folder)
        ours = facts.st_uid == os.getuid() and facts.st_dev == self._device
        return facts.st_mode if ours else None
