"""One invocation: an identity and its grants, from entry until everything is revoked."""

from __future__ import annotations

import hashlib
import uuid
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from harnest.context import ContextResourceError, InvocationIdentity
from harnest.context._active import ACTIVE
from harnest.extensions._context import (
    CONTEXTS,
    ExtensionContext,
    open_context,
    revoke_context,
)
from harnest.sandbox import SandboxContext
from harnest.sandbox.authority import ExecutionAuthority, acting_as
from harnest_ext.errors import LoadError
from harnest_ext.runtime import rules
from harnest_ext.runtime.authority import CONTINUATIONS
from harnest_ext.runtime.continuations import InvocationSide
from harnest_ext.runtime.credentials import Resolver
from harnest_ext.runtime.grants import refuse_sandbox
from harnest_ext.runtime.handle import GrantedSandbox
from harnest_ext.runtime.safely import ends_caller, place_in, type_name

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from contextvars import ContextVar, Token

    from harnest_ext.problem import Problem
    from harnest_ext.runtime.loading import LoadedExtension
    from harnest_ext.runtime.running import Running
    from harnest_ext.runtime.storage import SqliteStorage

__all__ = ["Invocation", "new_identity"]


def new_identity(
    agent_name: str, user_id: str | None, session_id: str | None, invocation_id: str | None
) -> InvocationIdentity:
    """Return an identity, with a fresh invocation id where none is given."""
    return InvocationIdentity(
        agent_name=agent_name,
        user_id=user_id,
        session_id=session_id,
        invocation_id=invocation_id or uuid.uuid4().hex,
    )


class Invocation:
    """A context manager, sync and async; made by ``AgentRuntime.invocation``.

    Args:
        running: What the runtime has while it runs.
        identity: Who it acts for.
    """

    def __init__(self, running: Running, identity: InvocationIdentity) -> None:
        self._running = running
        self._identity = identity
        self._entered = False
        self._revoked = False
        self._contexts: dict[str, ExtensionContext] = {}
        self._tokens: list[tuple[ContextVar[Any], Token[Any]]] = []
        self._acting: AbstractContextManager[None] | None = None
        self._authority = ExecutionAuthority(
            context=SandboxContext(
                agent_name=identity.agent_name,
                invocation_id=identity.invocation_id,
                user_id=identity.user_id,
                session_id=identity.session_id,
            ),
            revoked=lambda: self._revoked,
        )

    @property
    def identity(self) -> InvocationIdentity:
        """Who it acts for."""
        return self._identity

    @property
    def active(self) -> bool:
        """Whether it was entered and not left."""
        return self._entered and not self._revoked

    def sandbox(self, name: str) -> GrantedSandbox:
        """Return a handle on a granted sandbox, or refuse it."""
        if name not in self._running.granted(self._identity.agent_name):
            raise refuse_sandbox(self._running, self._identity.agent_name, name)
        managed = self._running.pool.get(self._identity.agent_name, name)
        return GrantedSandbox(name, managed, self._authority)

    def sandbox_names(self) -> tuple[str, ...]:
        """Return the granted and declared sandboxes, sorted."""
        return self._running.granted(self._identity.agent_name)

    def credentials(self, caller: str) -> Resolver:
        """Return the way to the credential provider."""
        self._running.authorities.check_credentials(caller)
        return Resolver(self._running.credentials, self._identity, lambda: self.active)

    def extension_context(self, name: str) -> object:
        """Return an extension's context of this invocation."""
        found = self._contexts.get(name)
        if found is None:
            raise ContextResourceError(
                f"The extension {name[:80]!r} is not active in this agent project. Install it "
                f"with 'harnest extensions install {name[:80]}'."
            )
        return found

    def storage(self, name: str, caller: str) -> SqliteStorage:
        """Return a named storage of the caller."""
        return self._running.authorities.storage(name, caller, lambda: self.active)

    def revoke(self) -> None:
        """End everything that was handed out, for every task and thread. Repeatable."""
        self._revoked = True
        for context in self._contexts.values():
            revoke_context(context)
        self._running.forget(self)

    def __enter__(self) -> Self:
        if self._entered:
            raise LoadError(rules.RUNTIME_STATE.problem("An invocation is entered once."))
        self._running.admit(self)
        self._entered = True
        try:
            self._open_contexts()
        except BaseException:
            self.revoke()
            raise
        self._set(ACTIVE, self)
        self._set(CONTEXTS, MappingProxyType(self._contexts))
        self._acting = acting_as(self._authority)
        self._acting.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self.revoke()
        # Left in another task than it was entered in, such as a framework's fixture or generator,
        # there is nothing to reset here; everything is revoked all the same.
        if self._acting is not None:
            with suppress(ValueError):
                self._acting.__exit__(None, None, None)
        while self._tokens:
            variable, token = self._tokens.pop()
            with suppress(ValueError):
                variable.reset(token)

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(self, *error: object) -> None:
        self.__exit__(*error)

    def _set(self, variable: ContextVar[Any], value: object) -> None:
        self._tokens.append((variable, variable.set(value)))

    def _open_contexts(self) -> None:
        # A runtime that closes meanwhile, in another thread or in an extension's code, revokes what
        # is open by then; what is opened later must not outlive it.
        for each in tuple(self._running.active.loaded.values()):
            failed = self._open_context(each)
            if failed is None and self._revoked:
                failed = rules.RUNTIME_STATE.problem("The runtime was closed meanwhile.")
            if failed is not None:
                raise LoadError(failed)

    def _open_context(self, each: LoadedExtension) -> Problem | None:
        slug = each.candidate.slug
        try:
            context = each.extension.create_context(ExtensionContext(slug))
            open_context(context, name=slug, continuations=self._continuations(slug))
        except BaseException as error:
            if ends_caller(error):
                raise
            path, line = place_in(error, each.candidate.folder)
            return rules.CONTEXT_FAILED.problem(
                f"The extension {slug!r} could not open its context: {type_name(error)}.",
                path=str(path),
                line=line,
                got=type_name(error),
            )
        self._contexts[slug] = context
        return None

    def _continuations(self, slug: str) -> Callable[[], InvocationSide] | None:
        authorities = self._running.authorities
        if not authorities.has(slug, CONTINUATIONS):
            return None
        return lambda: InvocationSide(
            authorities.desk(slug),
            run_id=self._identity.invocation_id,
            holder=_holder(self._identity),
            active=lambda: self.active,
        )


def _holder(identity: InvocationIdentity) -> str:
    digest = hashlib.sha256()
    for part in (identity.agent_name, identity.user_id, identity.session_id):
        data = b"-" if part is None else b"+" + part.encode()
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()
