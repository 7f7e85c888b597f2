"""The life of one sandbox: made or attached to, used, deleted - and never somebody else's."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from harnest.execution import BackendError
from harnest.logging import get_logger

from . import limits
from .errors import (
    DeleteFailedError,
    GatewayRefusedError,
    OpenShellStartError,
    OpenShellUnavailableError,
    OwnershipError,
    PolicyDiffersError,
)
from .gateway.port import Phase, SandboxFacts, SandboxWish
from .policy.document import normal
from .remote import scripts
from .remote.box import Box, repeated
from .removal import found, related, wait_gone

if TYPE_CHECKING:
    from collections.abc import Callable

    from .gateway.port import Gateway
    from .naming import Identity
    from .settings import SandboxSettings

__all__ = ["Session"]

_LOG = get_logger("extensions.openshell")
_FAILED = {Phase.ERROR, Phase.STOPPED, Phase.STOPPING, Phase.COMPLETED, Phase.DELETING}


class Session:
    """One sandbox.

    Args:
        gateway: Where it is.
        settings: What it is made with.
        identity: Whose it is.

    Attributes:
        box: How to run things in it.
        made: Whether this object made it; only then :meth:`end` deletes it.
    """

    def __init__(self, gateway: Gateway, settings: SandboxSettings, identity: Identity) -> None:
        self._gateway = gateway
        self._settings = settings
        self._identity = identity
        self._groups = settings.secrets.groups(lambda number: identity.related("secret", number))
        self._providers: list[str] = []
        self._sandbox_id = ""
        self.made = False
        self.box = Box(gateway=gateway, name=identity.name, work=settings.work)

    @property
    def name(self) -> str:
        """Name of the sandbox."""
        return self._identity.name

    def start(
        self,
        *,
        attach: bool,
        check: Callable[[], None],
        prepare: Callable[[], None] = lambda: None,
    ) -> None:
        """Make the sandbox, or attach to the one that there is, and wait until it is ready.

        Args:
            attach: Whether one that there is may be used.
            check: Raises when nobody waits any more.
            prepare: Does what else has to be done before it is used.

        Raises:
            OpenShellStartError: It could not be made; what was made on the way is deleted.
            OwnershipError: One of that name is somebody else's, or ``attach`` is False.
            PolicyDiffersError: It runs under another policy.
            BaseException: What ``check`` raises; what was made is deleted then too.
        """
        try:
            self._begin(attach=attach)
            self._wait_ready(check)
            if not self.made:
                self._check_policy()
            self._probe()
            prepare()
        except BaseException as error:
            left = self._undo()
            if isinstance(error, GatewayRefusedError | BackendError) and not isinstance(
                error, OwnershipError | OpenShellUnavailableError
            ):
                raise OpenShellStartError(
                    f"no sandbox could be made ready: {error}{left}"
                ) from None
            if left:
                _LOG.error("not everything of a failed start could be deleted", left=left)
            raise

    def end(self) -> None:
        """Delete what this object made, and wait until it is gone; nothing else is touched.

        Raises:
            DeleteFailedError: Something of it could not be deleted; call again.
        """
        left = self._undo()
        if left:
            raise DeleteFailedError(f"not everything could be deleted{left}; close again")

    def delete(self) -> None:
        """Delete the sandbox if it is this owner's, whichever object made it.

        Raises:
            OwnershipError: It is somebody else's; it was not touched.
            DeleteFailedError: It could not be deleted.
        """
        facts = self._found()
        if facts is not None and not self._identity.owns(dict(facts.labels)):
            raise OwnershipError(_foreign(self.name, "deleted"))
        if facts is not None:
            self.made, self._sandbox_id = True, facts.sandbox_id
            self._providers = list(dict.fromkeys([*self._providers, *related(facts)]))
        self.end()

    def _begin(self, *, attach: bool) -> None:
        self._check_answers()
        facts = self._found()
        if facts is not None and facts.phase is Phase.DELETING:
            wait_gone(self._gateway, self.name, facts.sandbox_id)
            facts = None
        if facts is None:
            self._make_providers()
            facts = self._create()
        self._sandbox_id = facts.sandbox_id
        self.made = self._identity.made(dict(facts.labels))
        if not self._identity.owns(dict(facts.labels)):
            raise OwnershipError(_foreign(self.name, "used"))
        if not self.made and not attach:
            raise OwnershipError(
                f"the sandbox {self.name} of this session is there already, and attach is False; "
                "it was not used"
            )

    def _check_answers(self) -> None:
        try:
            repeated(lambda: self._gateway.version(limits.RPC_SECONDS))
        except GatewayRefusedError as error:
            if not error.may_be_done:
                raise
            raise OpenShellUnavailableError(
                f"the gateway does not answer ({error.code})", "Start it, or name another one."
            ) from None

    def _make_providers(self) -> None:
        for group in self._groups:
            self._providers.append(group.name)  # before: an answer may be lost
            profile = group.profile(self._settings.programs(group))
            self._gateway.create_provider(profile, group.values, limits.RPC_SECONDS)

    def _create(self) -> SandboxFacts:
        wish = SandboxWish(
            name=self.name,
            labels=self._identity.labels(),
            policy=self._settings.policy_message(self._groups),
            image=self._settings.image,
            command=self._settings.main,
            environment=self._settings.environment,
            providers=self._providers,
            request_id=self._identity.maker,
        )
        # Until it is known otherwise: whatever this request made is ours to delete.
        self.made = True
        for attempt in range(limits.RETRIES + 1):
            try:
                return self._gateway.create(wish, limits.RPC_SECONDS)
            except GatewayRefusedError as error:
                lost = error.may_be_done or error.code == "ALREADY_EXISTS"
                if not lost or attempt == limits.RETRIES:
                    raise
                facts = self._found()
                if facts is not None:
                    return facts  # made by the lost request, or by somebody faster
                time.sleep(limits.RETRY_SECONDS * 2**attempt)
        raise AssertionError  # the last attempt returns or raises

    def _wait_ready(self, check: Callable[[], None]) -> None:
        limit = time.monotonic() + self._settings.ready_seconds
        pause = limits.POLL_FIRST_SECONDS
        while True:
            check()
            facts = repeated(lambda: self._gateway.get(self.name, limits.RPC_SECONDS))
            if facts.phase is Phase.READY:
                return
            if facts.phase in _FAILED:
                raise BackendError(
                    f"the sandbox {self.name} is {facts.phase.name.lower()}, not ready. "
                    f"{facts.reason}".strip()
                )
            if time.monotonic() + pause > limit:
                raise BackendError(
                    f"the sandbox {self.name} was not ready within {self._settings.ready_seconds} s"
                )
            time.sleep(pause)
            pause = min(pause * 2, limits.POLL_MOST_SECONDS)

    def _check_policy(self) -> None:
        there = repeated(lambda: self._gateway.policy(self.name, limits.RPC_SECONDS))
        wanted = self._settings.policy_message(self._groups)
        if normal(there) != normal(wanted):
            differing = [
                key for key in {*wanted, *there} if _part(there, key) != _part(wanted, key)
            ]
            raise PolicyDiffersError(
                f"the sandbox {self.name} runs under another policy: "
                f"{', '.join(sorted(differing))} differ. It was not used. Delete it, or name "
                "another session."
            )

    def _probe(self) -> None:
        said = self.box.helper(scripts.PROBE, self._settings.work, *scripts.NEEDED).decode(
            "utf-8", "replace"
        )
        if said.strip():
            lacks = "; ".join(said.split("\n")).strip("; ")
            raise BackendError(f"the sandbox lacks what commands are run with: {lacks}")

    def _found(self) -> SandboxFacts | None:
        return found(self._gateway, self.name)

    def _undo(self) -> str:
        """Delete what was made; return what could not be, as the end of a sentence."""
        left: list[str] = []
        if self.made and (failure := _tried(self._delete_sandbox)):
            left.append(f"the sandbox {self.name} ({failure})")
        for name in list(self._providers):
            failure = _tried(partial(self._delete_provider, name))
            if failure:
                left.append(f"the provider {name} ({failure})")
        return f"; left on the gateway: {', '.join(left)}" if left else ""

    def _delete_sandbox(self) -> None:
        facts = self._found()
        own = facts is not None and self._identity.owns(dict(facts.labels))
        if facts is not None and self._sandbox_id not in ("", facts.sandbox_id):
            own = False  # ours is gone, and another was made under its name
        if not self._sandbox_id and facts is not None:
            own = self._identity.made(dict(facts.labels))
        if own:
            repeated(lambda: self._gateway.delete(self.name, limits.RPC_SECONDS))
            wait_gone(self._gateway, self.name, self._sandbox_id)
        self.made = False

    def _delete_provider(self, name: str) -> None:
        repeated(lambda: self._gateway.delete_provider(name, limits.RPC_SECONDS))
        self._providers.remove(name)


def _tried(work: Callable[[], None]) -> str:
    try:
        work()
    except BackendError as error:
        return str(error)
    return ""


def _part(message: object, key: str) -> object:
    found = normal(message) if isinstance(message, dict) else {}
    return found.get(key)


def _foreign(name: str, what: str) -> str:
    return (
        f"a sandbox {name} is there and is not this owner's by its labels; it was not {what}. Name "
        "another session or owner."
    )
