"""What an author subclasses."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Generic, Self, cast

from harnest.extensions._context import CONTEXTS, ExtensionContext, is_revoked
from harnest.extensions._errors import (
    ExtensionContextUnavailableError,
    ExtensionNamespaceError,
)
from harnest.extensions._start import ExtensionStartContext

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    ContextT = TypeVar("ContextT", bound=ExtensionContext, default=ExtensionContext)
else:
    from typing import TypeVar

    ContextT = TypeVar("ContextT", bound=ExtensionContext)

__all__ = ["Extension", "bind_extension"]

_BINDING = threading.Lock()


class Extension(Generic[ContextT]):
    """Base of an extension; ``extension.py`` binds one instance of a subclass to ``extension``.

    ``Extension[MyContext]`` tells type checkers what :attr:`context` is. A subclass may define
    ``__init__`` without calling ours: private state is made in ``__new__``. Constructing one must
    have no effect outside of it; resources are opened in :meth:`start`.
    """

    __binding: str | None

    def __new__(cls, *_args: Any, **_kwargs: Any) -> Self:
        """Create the instance with its private state."""
        self = super().__new__(cls)
        object.__setattr__(self, "_Extension__binding", None)
        return self

    async def start(self, context: ExtensionStartContext) -> None:
        """Open what the extension needs while the agent runs; called once, before invocations.

        Args:
            context: Facts about the agent, and the authorities that the manifest declares.
        """

    async def stop(self) -> None:
        """Release what :meth:`start` opened, also after a failed start; called once."""

    def create_context(self, base: ExtensionContext) -> ContextT:
        """Return this extension's context of one invocation; by default the base context.

        Args:
            base: A fresh context that names this extension.
        """
        return cast("ContextT", base)

    @property
    def context(self) -> ContextT:
        """This extension's context of the running invocation.

        Raises:
            ExtensionContextUnavailableError: No invocation is running here, it has ended, or the
                extension is not active in it.
        """
        name = self.__binding
        context = CONTEXTS.get().get(name) if name else None
        if context is None:
            raise ExtensionContextUnavailableError(
                "This extension has no context here: no invocation of an agent that has it is "
                "running in this task. Open one with AgentRuntime.invocation(...)."
            )
        if is_revoked(context):
            raise ExtensionContextUnavailableError(
                f"The invocation that this task inherited has ended; the context of {name!r} was "
                "revoked."
            )
        return cast("ContextT", context)

    def __reduce__(self) -> str:
        # The singleton travels as a reference to its module, never as a second instance.
        return "extension"

    def __repr__(self) -> str:
        bound = f" {self.__binding!r}" if self.__binding else ""
        return f"<{type(self).__name__}{bound}>"


def bind_extension(extension: Extension[Any], name: str) -> None:
    """Bind a singleton to its name, once.

    Raises:
        ExtensionNamespaceError: It is bound already.
    """
    with _BINDING:
        bound = extension.__dict__["_Extension__binding"]
        if bound is not None:
            raise ExtensionNamespaceError(
                f"An extension instance is bound to one name once; this one is {bound!r}."
            )
        object.__setattr__(extension, "_Extension__binding", name)
