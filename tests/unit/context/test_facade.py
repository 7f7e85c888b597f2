"""``harnest.context`` by itself, over an invocation that a test makes."""

from __future__ import annotations

import typing
from typing import TYPE_CHECKING, Any

import pytest

from harnest import context
from harnest.context._active import ACTIVE
from harnest.context._facade import typed

if TYPE_CHECKING:
    from collections.abc import Iterator


class Scripted:
    """An invocation that notes who asks for what."""

    def __init__(self) -> None:
        self.active = True
        self.identity = context.InvocationIdentity(
            agent_name="assistant", user_id="ada", session_id=None, invocation_id="i"
        )
        self.asked: list[tuple[str, str]] = []

    def sandbox(self, name: str) -> str:
        """Return something that shows the name."""
        return f"sandbox {name}"

    def sandbox_names(self) -> tuple[str, ...]:
        """Return two names."""
        return ("alpha", "bravo")

    def storage(self, name: str, caller: str) -> str:
        """Note the caller."""
        self.asked.append((name, caller))
        return "storage"


@pytest.fixture
def invocation() -> Iterator[Scripted]:
    """A running invocation."""
    made = Scripted()
    token = ACTIVE.set(made)  # type: ignore[arg-type]
    yield made
    ACTIVE.reset(token)


def test_the_facade_exports_what_is_documented() -> None:
    """Names are sorted and all there."""
    assert sorted(context.__all__) == sorted(set(context.__all__))
    assert {"current", "sandboxes", "credentials", "extensions", "storage"} <= set(context.__all__)
    for name in context.__all__:
        assert hasattr(context, name)


def test_the_errors_are_what_their_readers_expect() -> None:
    """Unavailable is a RuntimeError, a missing resource a LookupError with a readable text."""
    assert issubclass(context.ContextUnavailableError, RuntimeError)
    assert issubclass(context.ContextResourceError, LookupError)
    assert issubclass(context.ContextTypeError, (LookupError, TypeError))
    assert issubclass(context.StorageConflictError, RuntimeError)
    assert str(context.ContextResourceError("add it")) == "add it"


def test_sandboxes_are_a_collection_of_granted_names(invocation: Scripted) -> None:
    """Lookup, iteration, length and membership ask the running invocation."""
    assert context.sandboxes["alpha"] == "sandbox alpha"  # type: ignore[comparison-overlap]
    assert list(context.sandboxes) == ["alpha", "bravo"]
    assert len(context.sandboxes) == 2
    assert "bravo" in context.sandboxes
    assert 3 not in context.sandboxes
    for key in (3, None, b"alpha", ("alpha",)):
        with pytest.raises(TypeError, match="must be str"):
            context.sandboxes[key]  # type: ignore[index]
    assert repr(context.sandboxes) == "harnest.context.sandboxes"


def test_each_use_asks_whether_the_invocation_still_runs(invocation: Scripted) -> None:
    """A revoked invocation is of no use to a task that inherited it."""
    assert context.current() is invocation.identity
    invocation.active = False
    uses: tuple[Any, ...] = (
        context.current,
        lambda: context.sandboxes["alpha"],
        lambda: list(context.sandboxes),
        lambda: context.storage("notes"),
    )
    for use in uses:
        with pytest.raises(context.ContextUnavailableError, match="has ended"):
            use()


def test_a_storage_is_asked_for_in_the_name_of_the_calling_module(invocation: Scripted) -> None:
    """The module that calls decides whose storage it is."""
    context.storage("notes")
    scope: dict[str, Any] = {"__name__": "harnest.extensions.rag.lib.x", "context": context}
    exec("context.storage('notes')", scope)
    assert invocation.asked == [("notes", __name__), ("notes", "harnest.extensions.rag.lib.x")]


def test_an_expected_type_is_held() -> None:
    """None takes everything; another type is told with both names."""
    assert typed(3, None, "thing") == 3
    assert typed(3, int, "thing") == 3
    with pytest.raises(context.ContextTypeError, match="thing is a int, not a str"):
        typed(3, str, "thing")


def test_the_identity_shows_the_agent_alone() -> None:
    """Whose data it is stays out of logs; annotations resolve."""
    identity = context.InvocationIdentity(
        agent_name="assistant", user_id="ada", session_id="s", invocation_id="i"
    )
    assert repr(identity) == "InvocationIdentity(agent_name='assistant')"
    assert typing.get_type_hints(context.InvocationIdentity)["invocation_id"] is str
    with pytest.raises(AttributeError):
        identity.user_id = "eve"  # type: ignore[misc]
