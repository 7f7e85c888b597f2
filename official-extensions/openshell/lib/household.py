"""The sandboxes of one provider: one for each identity, made at need, kept in bounds."""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from harnest.execution import BackendError
from harnest.logging import get_logger

from . import limits
from .errors import OpenShellSandboxError
from .naming import Identity, instance
from .session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from harnest.sandbox.scope import SandboxControl

    from .declared import DeclaredSettings
    from .gateway.port import Gateway
    from .sync.listing import RemoteEntry

__all__ = ["Household", "Member"]

_LOG = get_logger("extensions.openshell")

_T = TypeVar("_T")
_R = TypeVar("_R")


@dataclass(slots=True, eq=False, kw_only=True)
class Member:
    """The sandbox of one identity.

    Attributes:
        lock: Held while it is made, and by each call of a scope that keeps the work directory.
        session: The sandbox; None until it is made.
        outputs: What was in its folder for outputs after the last call.
        users: Calls that use it or wait for it.
    """

    lock: threading.Lock = field(default_factory=threading.Lock)
    session: Session | None = None
    outputs: dict[str, RemoteEntry] = field(default_factory=dict)
    users: int = 0


class Household:
    """All of them.

    Args:
        settings: The declaration.
        gateway: Where they are.
    """

    def __init__(self, settings: DeclaredSettings, gateway: Gateway) -> None:
        self._settings = settings
        self._gateway = gateway
        self._owner = f"provider {instance()}"
        self._members: OrderedDict[tuple[str, ...], Member] = OrderedDict()
        self._spare: list[Session] = []
        self._doomed: list[Session] = []
        self._guard = threading.Lock()

    def make_ready(self, count: int) -> None:
        """Make sandboxes in advance, side by side.

        Raises:
            BackendError: One could not be made; none is left.
        """
        try:
            _side_by_side(self._add_spare, range(count))
        except BaseException:
            self.close()
            raise

    @contextlib.contextmanager
    def member(self, key: tuple[str, ...]) -> Iterator[Member]:
        """Keep an identity's sandbox from going while a call uses it.

        Args:
            key: The identity.

        Raises:
            OpenShellSandboxError: All sandboxes are in use.
        """
        with self._guard:
            member = self._members.get(key)
            if member is None:
                self._make_room()
                member = self._members[key] = Member()
            self._members.move_to_end(key)
            member.users += 1
        try:
            self._delete_evicted()
            yield member
        finally:
            with self._guard:
                member.users -= 1

    def session(self, member: Member, scope: SandboxControl) -> Session:
        """Return a member's sandbox, made if need be; its lock must be held."""
        if member.session is None:
            with self._guard:
                spare = self._spare.pop() if self._spare else None
            member.session = spare or self._made(scope.check)
        return member.session

    def close(self) -> None:
        """Delete every sandbox.

        Raises:
            BackendError: Some could not be deleted; close again.
        """
        with self._guard:
            found = [member.session for member in self._members.values() if member.session]
            self._doomed += [*found, *self._spare]
            self._members.clear()
            self._spare.clear()
        self._delete_doomed()

    def _add_spare(self, _number: int) -> None:
        session = self._made(lambda: None)
        with self._guard:
            self._spare.append(session)

    def _made(self, check: Callable[[], None]) -> Session:
        identity = Identity(owner=self._owner, session=instance())
        session = Session(self._gateway, self._settings.sandbox, identity)
        session.start(attach=False, check=check)
        return session

    def _make_room(self) -> None:
        while len(self._members) + len(self._spare) >= self._settings.max_sandboxes:
            if self._spare:
                return  # the new member takes it
            idle = next((key for key, item in self._members.items() if not item.users), None)
            if idle is None:
                raise OpenShellSandboxError(
                    f"All {self._settings.max_sandboxes} sandboxes are in use; wait, or declare "
                    "more with max_sandboxes.",
                    phase="sandbox",
                )
            session = self._members.pop(idle).session
            if session is not None:
                self._doomed.append(session)

    def _delete_evicted(self) -> None:
        try:
            self._delete_doomed()
        except BackendError as error:  # told again, and for good, by close
            _LOG.warning("a sandbox could not be deleted yet", error=type(error).__name__)

    def _delete_doomed(self) -> None:
        with self._guard:
            doomed, self._doomed = self._doomed, []
        failures = [failure for failure in _side_by_side(_ended, doomed) if failure is not None]
        if failures:
            with self._guard:
                self._doomed += [session for session, _ in failures]
            raise failures[0][1]


def _ended(session: Session) -> tuple[Session, BackendError] | None:
    try:
        session.end()
    except BackendError as error:
        return session, error
    return None


def _side_by_side(work: Callable[[_T], _R], items: Sequence[_T]) -> list[_R]:
    """Return what some work comes to for each item; where one fails, the others end first."""
    if len(items) < 2:
        return [work(item) for item in items]
    with ThreadPoolExecutor(min(len(items), limits.SIDE_BY_SIDE)) as pool:
        return list(pool.map(work, items))
