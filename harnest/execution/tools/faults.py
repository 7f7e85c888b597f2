"""Why an operation on a file can't be done: one list for files of the host and of a backend.

Each reason has a code by which a command inside a backend reports it, and the built-in exception
that a caller expects. All texts are made here, so they are the same wherever the files are.
"""

from __future__ import annotations

import enum
import errno

__all__ = ["EditError", "Fault", "FileChangedError", "UnreadableContentError", "too_large"]


class FileChangedError(OSError):
    """A file was changed by somebody else meanwhile; nothing was written."""


class UnreadableContentError(ValueError):
    """A file is too large for the operation, or is no text."""


def too_large(shown: str, size: int, most: int) -> UnreadableContentError:
    """Return the exception for a file that is larger than an operation takes.

    Args:
        shown: Its path as a model reads it.
        size: Its size in bytes.
        most: The largest size taken, in bytes.
    """
    return UnreadableContentError(
        f"{shown} has {size} bytes, more than the limit of {most} bytes for this; use grep, or "
        "bash with head, tail or sed, for a part of it"
    )


class EditError(ValueError):
    """The text to replace does not occur in the file, or more often than once."""


class Fault(enum.Enum):
    """A reason, as (exit code inside a backend, errno, text around the path)."""

    MISSING = (81, errno.ENOENT, "{} does not exist")
    OUTSIDE = (82, errno.EPERM, "{} leads out of the work directory through a link")
    SPECIAL = (83, errno.EPERM, "{} is a pipe, socket or device: only regular files are touched")
    DENIED = (84, errno.EACCES, "the permissions of {} or of its folder forbid this")
    IS_DIRECTORY = (85, errno.EISDIR, "{} is a folder")
    EXISTS = (86, errno.EEXIST, "{} exists already")
    NOT_DIRECTORY = (87, errno.ENOTDIR, "{}, or what is before it in the path, is no folder")
    NOT_EMPTY = (88, errno.ENOTEMPTY, "the folder {} is not empty")
    CHANGED = (90, errno.ESTALE, "{} was changed by somebody else meanwhile; nothing was written")
    LINKS = (91, errno.ELOOP, "the links in the path {} lead in a circle, or change")
    IS_BASE = (92, errno.EPERM, "{} is the work directory itself, which stays")
    FULL = (93, errno.ENOSPC, "{} can't be written: no space, or a limit on the size of files")
    FOLDER_NAME = (95, errno.EISDIR, "{} ends in a slash and so names a folder, not a file")
    NAME_TOO_LONG = (94, errno.ENAMETOOLONG, "a name in {} is longer than 255 bytes")

    @property
    def code(self) -> int:
        """Exit code of a command that failed for this reason."""
        return self.value[0]

    def error(self, shown: str) -> OSError:
        """Return the exception for a path.

        Args:
            shown: The path as a model reads it.
        """
        number, text = self.value[1], self.value[2].format(shown)
        if self is Fault.CHANGED:
            return FileChangedError(number, text)
        return OSError(number, text)

    @classmethod
    def of_code(cls, code: int | None) -> Fault | None:
        """Return the reason that an exit code stands for, if it is one of these."""
        return next((fault for fault in cls if fault.code == code), None)

    @classmethod
    def of_error(cls, error: OSError) -> Fault | None:
        """Return the reason that the system's own error stands for, if it is one of these."""
        return _BY_NUMBER.get(error.errno or 0)


_BY_NUMBER = {
    errno.ENOENT: Fault.MISSING,
    errno.EACCES: Fault.DENIED,
    errno.EPERM: Fault.DENIED,
    errno.EROFS: Fault.DENIED,
    errno.EISDIR: Fault.IS_DIRECTORY,
    errno.EEXIST: Fault.EXISTS,
    errno.ENOTDIR: Fault.NOT_DIRECTORY,
    errno.ENOTEMPTY: Fault.NOT_EMPTY,
    errno.ELOOP: Fault.LINKS,
    errno.ENAMETOOLONG: Fault.NAME_TOO_LONG,
    errno.ENOSPC: Fault.FULL,
    errno.EDQUOT: Fault.FULL,
    errno.EFBIG: Fault.FULL,
}
