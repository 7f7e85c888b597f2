"""An extension's context of one invocation."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING

import pytest

from harnest.context import ContextResourceError
from harnest.extensions import ExtensionContext, ExtensionContextUnavailableError
from harnest.extensions._context import is_revoked, open_context, revoke_context

if TYPE_CHECKING:
    from collections.abc import Callable


class Stubborn(ExtensionContext):
    """Claims to be active for ever."""

    @property
    def active(self) -> bool:
        """Say so, whatever the host says."""
        return True

    def _require_active(self) -> None:
        return None


class Forgetful(ExtensionContext):
    """Does not call our constructor."""

    def __init__(self) -> None:
        pass


class Typed(ExtensionContext):
    """Has something of its own, as real ones do."""

    __slots__ = ("notes",)

    def __init__(self, name: str, notes: list[str]) -> None:
        super().__init__(name)
        self.notes = notes


@pytest.mark.parametrize(("name", "error"), [("", ValueError), (None, TypeError), (3, TypeError)])
def test_a_context_needs_a_name(name: object, error: type[Exception]) -> None:
    """A name that is no text or empty is refused."""
    with pytest.raises(error, match="extension_name"):
        ExtensionContext(name)  # type: ignore[arg-type]


def test_the_base_context_takes_no_foreign_attributes() -> None:
    """The base class is slotted."""
    with pytest.raises(AttributeError):
        ExtensionContext("rag").other = 1  # type: ignore[attr-defined]


def test_a_revoked_context_refuses_and_says_so() -> None:
    """After revocation the context is inactive and gives no authority."""
    context = ExtensionContext("rag")
    open_context(context, name="rag", continuations=None)
    assert context.active
    context._require_active()
    revoke_context(context)
    assert not context.active
    for use in (context._require_active, lambda: context.continuations):
        with pytest.raises(ExtensionContextUnavailableError, match="has ended"):
            use()
    assert context.extension_name == "rag"


def test_an_override_does_not_weaken_revocation() -> None:
    """The host looks at its own state, not at what a subclass says; so does continuations."""
    context = Stubborn("rag")
    open_context(context, name="rag", continuations=None)
    revoke_context(context)
    assert is_revoked(context)
    with pytest.raises(ExtensionContextUnavailableError):
        _ = context.continuations


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_a_copy_is_revoked_with_its_context(copied: Callable[[Typed], Typed]) -> None:
    """A framework that copies what it keeps gets no context that outlives the invocation."""
    context = Typed("rag", ["a"])
    open_context(context, name="rag", continuations=None)
    other = copied(context)
    other._require_active()
    assert other.notes == ["a"]
    revoke_context(context)
    assert is_revoked(other)
    with pytest.raises(ExtensionContextUnavailableError):
        other._require_active()


def test_a_context_is_not_pickled() -> None:
    """What a pickle holds could be active for ever: making one is refused."""
    with pytest.raises(TypeError, match="belongs to one invocation"):
        pickle.dumps(ExtensionContext("rag"))


def test_continuations_need_the_capability() -> None:
    """Without the capability the text says what to declare."""
    context = ExtensionContext("rag")
    open_context(context, name="rag", continuations=None)
    with pytest.raises(ContextResourceError, match=r"'context\.continuations'"):
        _ = context.continuations


def test_a_context_without_our_constructor_is_held_to_the_rules() -> None:
    """A subclass that skips the constructor is named and revocable like any other."""
    context = Forgetful()
    open_context(context, name="rag", continuations=None)
    assert (context.extension_name, context.active) == ("rag", True)
    revoke_context(context)
    assert not context.active


def test_only_a_fresh_context_of_the_extension_is_opened() -> None:
    """A context of another extension, a used one, or no context at all is refused."""
    used = ExtensionContext("rag")
    open_context(used, name="rag", continuations=None)
    for context in (used, ExtensionContext("other")):
        with pytest.raises(ValueError, match="fresh"):
            open_context(context, name="rag", continuations=None)
    with pytest.raises(TypeError):
        open_context(object(), name="rag", continuations=None)  # type: ignore[arg-type]
