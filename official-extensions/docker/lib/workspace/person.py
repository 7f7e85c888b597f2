"""Say as whom programs of a workspace run: the owner of its work directory, and never root.

So what they leave on the host belongs to somebody who could have written it there anyway.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from harnest.execution import UnsupportedPromiseError

from ..limits import WORK_UID


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A user and a group by number, neither of them 0."""

    uid: int
    gid: int

    def __post_init__(self) -> None:
        if self.uid < 1 or self.gid < 1:
            raise ValueError("programs never run as root")

    @classmethod
    def of(cls, directory: Path, *, made: bool, uid: int, gid: int) -> Self:
        """Return who works in *directory* for a process of user *uid* and group *gid*.

        Args:
            directory: the work directory.
            made: whether it was made for this workspace: for root it is given to a user of its own.
            uid: effective user of the process.
            gid: effective group of the process.

        Raises:
            UnsupportedPromiseError: it belongs to root, or the process cannot write in it.
        """
        if uid:
            return cls._user(directory, uid, gid)
        if made:
            os.chown(directory, WORK_UID, WORK_UID, follow_symlinks=False)
        facts = directory.lstat()
        if not facts.st_uid:
            raise UnsupportedPromiseError(
                f"directory: {directory} belongs to root, and programs of the tier 'docker' never run "
                "as root. Do: give it to another user (chown -R USER), or leave directory out."
            )
        return cls(uid=facts.st_uid, gid=facts.st_gid or facts.st_uid)

    @classmethod
    def _user(cls, directory: Path, uid: int, gid: int) -> Self:
        if not os.access(directory, os.R_OK | os.W_OK | os.X_OK, effective_ids=True):
            raise UnsupportedPromiseError(
                f"directory: this process, user {uid}, can't write in {directory}, so its programs "
                "could not either. Do: change its owner or mode, or leave directory out."
            )
        return cls(uid=uid, gid=gid or uid)
