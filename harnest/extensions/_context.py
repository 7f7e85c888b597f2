"""An extension's view of one invocation, and how the host opens and revokes it.

The state lies in a slot of the base class and the host reads it through that slot, so whatever a
subclass overrides, a revoked context is revoked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from types import MappingProxyType
from typing import Never, Self

from harnest.context import ContextResourceError
from harnest.continuation import InvocationContinuations
from harnest.extensions._errors import ExtensionContextUnavailableError

__all__ = [
    "CONTEXTS",
    "ExtensionContext",
    "is_revoked",
    "open_context",
    "revoke_context",
]


class _State:
    """What the host knows about one context; shared by every copy of the variable or context."""

    __slots__ = ("active", "continuations", "name", "opened")

    def __init__(self, name: str) -> None:
        self.name = name
        self.active = True
        self.opened = False
        self.continuations: Callable[[], InvocationContinuations] | None = None

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        # Frameworks copy the state that they keep: a copy of a context is revoked with it.
        return self

    def __reduce__(self) -> Never:
        raise TypeError("a context belongs to one invocation of this process: it can't be pickled")


class ExtensionContext:
    """Base of what an extension offers to one invocation.

    A subclass that does work calls :meth:`_require_active` first, so that a handle kept beyond
    the invocation is dead.

    Args:
        extension_name: Name of the extension that it belongs to, non-empty.

    Raises:
        TypeError: ``extension_name`` is not a str.
        ValueError: ``extension_name`` is empty.
    """

    __slots__ = ("__state",)

    def __init__(self, extension_name: str) -> None:
        if not isinstance(extension_name, str):
            raise TypeError("extension_name must be str")
        if not extension_name:
            raise ValueError("extension_name must not be empty")
        self.__state = _State(extension_name)

    @property
    def extension_name(self) -> str:
        """Name of the extension that the context belongs to."""
        return self.__state.name

    @property
    def active(self) -> bool:
        """Whether the invocation is still running."""
        return self.__state.active

    @property
    def continuations(self) -> InvocationContinuations:
        """Authority to suspend this invocation until an external result arrives.

        Raises:
            ExtensionContextUnavailableError: The invocation has ended.
            ContextResourceError: The extension does not declare ``context.continuations``.
        """
        ExtensionContext._require_active(self)
        give = self.__state.continuations
        if give is None:
            raise ContextResourceError(
                f"The extension {self.__state.name!r} has no continuations here. Declare "
                "'context.continuations' under 'capabilities' in its extension.yaml and open the "
                "invocation through AgentRuntime."
            )
        return give()

    def _require_active(self) -> None:
        """Raise :class:`ExtensionContextUnavailableError` when the invocation has ended."""
        if not self.__state.active:
            raise ExtensionContextUnavailableError(
                f"This context of the extension {self.__state.name!r} belongs to an invocation "
                "that has ended. Ask for a new one in the running invocation."
            )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of extension {self.__state.name!r}>"


CONTEXTS: ContextVar[Mapping[str, ExtensionContext]] = ContextVar(
    "harnest.extensions.contexts", default=MappingProxyType({})
)
"""The contexts of the running invocation, by extension name."""

_STATE = ExtensionContext.__dict__["_ExtensionContext__state"]


def open_context(
    context: ExtensionContext,
    *,
    name: str,
    continuations: Callable[[], InvocationContinuations] | None,
) -> None:
    """Bind what ``create_context`` returned to one invocation.

    Args:
        context: The context; it must be fresh.
        name: The extension that it must belong to.
        continuations: Gives the authority to suspend, or None without the capability.

    Raises:
        TypeError: It is no :class:`ExtensionContext`.
        ValueError: It belongs to another extension, or served an earlier invocation.
    """
    if not isinstance(context, ExtensionContext):
        raise TypeError("create_context must return an ExtensionContext")
    state: _State | None = getattr(context, _STATE.__name__, None)
    if state is None:
        # The subclass did not call our constructor; its context is still held to the rules.
        state = _State(name)
        _STATE.__set__(context, state)
    if state.name != name or state.opened or not state.active:
        raise ValueError("create_context must return a fresh context of its own extension")
    state.opened = True
    state.continuations = continuations


def revoke_context(context: ExtensionContext) -> None:
    """End a context for every holder, in any task or thread."""
    state: _State = _STATE.__get__(context)
    state.active = False
    state.continuations = None


def is_revoked(context: ExtensionContext) -> bool:
    """Tell whether the host ended a context, whatever its class says."""
    state: _State = _STATE.__get__(context)
    return not state.active
