"""Which work directory an execution gets: a fresh one, or its identity's own, kept in bounds."""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harnest.execution.local import workdir
from harnest.execution.local.errors import LocalProgramError
from harnest.execution.local.provider.settings import LocalScope

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harnest.sandbox import SandboxContext
    from harnest.sandbox.scope import SandboxControl

__all__ = ["Scopes", "identity_of"]

_Key = tuple[str, ...]
_PARTS = {
    LocalScope.INVOCATION: ("agent_name", "user_id", "session_id", "invocation_id"),
    LocalScope.SESSION: ("agent_name", "user_id", "session_id"),
}


@dataclass(slots=True, eq=False, kw_only=True)
class _Retained:
    path: Path
    made: os.stat_result
    lock: threading.Lock = field(default_factory=threading.Lock)
    users: int = 0


def identity_of(context: SandboxContext, scope: LocalScope) -> _Key:
    """Return whose work directory a call gets; empty when it gets a fresh one.

    Raises:
        ValueError: A part of the identity that the scope needs is missing.
    """
    names = _PARTS.get(scope, ())
    missing = [name for name in names if not getattr(context, name)]
    if missing:
        raise ValueError(f"scope {scope.value!r} needs {', '.join(missing)} of the caller")
    return tuple(getattr(context, name) for name in names)


class Scopes:
    """The work directories of one provider.

    Args:
        most: Most directories retained; the least recently used idle one is removed for another.
        prefix: Begin of their names.
    """

    def __init__(self, most: int, prefix: str) -> None:
        self._most = most
        self._prefix = prefix
        self._retained: OrderedDict[_Key, _Retained] = OrderedDict()
        self._guard = threading.Lock()
        # A program that forgets to close its provider leaves no directories behind either.
        self._owner = os.getpid()
        self._finalizer = weakref.finalize(self, _remove_own, self._retained, self._owner)

    @contextlib.contextmanager
    def directory(self, key: _Key, control: SandboxControl) -> Iterator[Path]:
        """Hold a work directory for one execution; calls of one identity come one by one.

        Args:
            key: Identity; empty for a fresh directory.
            control: Deadline and cancellation of the wait for it.

        Raises:
            LocalProgramError: None can be made, or all retained ones are in use.
            SandboxCancelledError: The wait was cancelled.
            TimeoutError: The wait reached the deadline.
        """
        if not key:
            path = _made(self._prefix)
            try:
                yield path
            finally:
                workdir.remove(path)
            return
        retained = self._enter(key)
        try:
            with control.acquire(retained.lock):
                if not workdir.kept(retained.path, retained.made):
                    self._renew(retained)
                yield retained.path
        finally:
            with self._guard:
                retained.users -= 1

    def close(self) -> None:
        """Remove every retained directory; in a forked copy of the process, none."""
        with self._guard:
            _remove_own(self._retained, self._owner)

    def _enter(self, key: _Key) -> _Retained:
        with self._guard:
            retained = self._retained.get(key)
            if retained is None:
                self._make_room()
                path = _made(self._prefix)
                retained = self._retained[key] = _Retained(path=path, made=path.lstat())
            self._retained.move_to_end(key)
            retained.users += 1
            return retained

    def _renew(self, retained: _Retained) -> None:
        """Start anew for an identity whose program removed its directory, or replaced it."""
        workdir.remove(retained.path)
        retained.path = _made(self._prefix)
        retained.made = retained.path.lstat()

    def _make_room(self) -> None:
        while len(self._retained) >= self._most:
            idle = next((key for key, item in self._retained.items() if not item.users), None)
            if idle is None:
                raise LocalProgramError(
                    f"All {self._most} retained work directories are in use; wait, or declare "
                    "more with max_scopes.",
                    phase="work directory",
                )
            if not workdir.remove(self._retained[idle].path):
                raise LocalProgramError(
                    "A retained work directory can't be removed, so no other is made.",
                    phase="work directory",
                )
            del self._retained[idle]


def _made(prefix: str) -> Path:
    try:
        return workdir.make(prefix)
    except OSError as error:
        raise LocalProgramError(
            f"No work directory can be made ({type(error).__name__}): check the free space and "
            "the permissions of the place for temporary files.",
            phase="work directory",
        ) from None


def _remove_own(retained: OrderedDict[_Key, _Retained], owner: int) -> None:
    if os.getpid() != owner:  # a forked copy of the process owns none of them
        return
    while retained:
        workdir.remove(retained.popitem()[1].path)
