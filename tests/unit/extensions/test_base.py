"""The base class of extensions."""

from __future__ import annotations

import asyncio
import inspect
import typing

import pytest

import harnest.extensions as namespace
from harnest.context import ContextResourceError
from harnest.extensions import (
    Extension,
    ExtensionContext,
    ExtensionContextUnavailableError,
    ExtensionImportError,
    ExtensionNamespaceError,
    ExtensionStartContext,
)
from harnest.extensions._base import bind_extension


class Plain(Extension):
    """Without a type parameter and without our constructor."""

    def __init__(self) -> None:
        self.made = True


class OwnContext(ExtensionContext):
    """A context with something to offer."""


class Typed(Extension[OwnContext]):
    """With a type parameter."""


def test_the_namespace_exports_what_is_documented() -> None:
    """The exported names are those that the reference names, sorted."""
    assert namespace.__all__ == [
        "Extension",
        "ExtensionContext",
        "ExtensionContextUnavailableError",
        "ExtensionImportError",
        "ExtensionNamespaceError",
        "ExtensionStartContext",
        "extension_mutation",
    ]
    assert issubclass(ExtensionContextUnavailableError, RuntimeError)
    assert issubclass(ExtensionNamespaceError, RuntimeError)
    assert issubclass(ExtensionImportError, ImportError)
    assert issubclass(ExtensionImportError, RuntimeError)


def test_a_subclass_need_not_call_our_constructor() -> None:
    """Private state is made before a subclass's constructor runs."""
    extension = Plain()
    assert extension.made
    with pytest.raises(ExtensionContextUnavailableError, match="no invocation"):
        _ = extension.context
    bind_extension(extension, "plain")
    with pytest.raises(ExtensionContextUnavailableError, match="no invocation"):
        _ = extension.context


def test_start_and_stop_do_nothing_unless_overridden() -> None:
    """An extension without a life cycle starts and stops without an effect."""
    extension = Plain()
    before = dict(vars(extension))
    assert inspect.iscoroutinefunction(Extension.start)
    assert asyncio.run(extension.stop()) is None
    assert dict(vars(extension)) == before


def test_the_default_context_is_the_base_that_the_host_made() -> None:
    """create_context hands back what it is given."""
    base = ExtensionContext("plain")
    assert Plain().create_context(base) is base


def test_a_singleton_is_bound_to_one_name_once() -> None:
    """A second binding is refused, of the same name too."""
    extension = Typed()
    bind_extension(extension, "typed")
    for name in ("typed", "other"):
        with pytest.raises(ExtensionNamespaceError, match="one name once"):
            bind_extension(extension, name)
    assert repr(extension) == "<Typed 'typed'>"
    bind_extension(Typed(), "typed")


def test_a_start_context_of_ones_own_has_no_authority() -> None:
    """An author's test can make one; what needs a capability says what to declare."""
    context = ExtensionStartContext(extension_name="rag", framework="none", root_agent_name="demo")
    with pytest.raises(ContextResourceError, match=r"'context\.storage'"):
        context.storage("notes")
    with pytest.raises(ContextResourceError, match=r"'context\.continuations'"):
        _ = context.continuations
    with pytest.raises(AttributeError):
        context.framework = "adk"  # type: ignore[misc]


@pytest.mark.parametrize("member", ["start", "stop", "create_context", "context"])
def test_annotations_of_the_base_class_resolve(member: str) -> None:
    """typing.get_type_hints works on what authors override."""
    found = vars(Extension)[member]
    hints = typing.get_type_hints(found.fget if isinstance(found, property) else found)
    assert "return" in hints
    if member == "start":
        assert hints["context"] is ExtensionStartContext


def test_annotations_of_contexts_resolve() -> None:
    """typing.get_type_hints works on both kinds of contexts and on the mutation helper."""
    assert typing.get_type_hints(ExtensionStartContext)["extension_name"] is str
    continuations = vars(ExtensionContext)["continuations"].fget
    assert typing.get_type_hints(continuations)["return"].__name__ == "InvocationContinuations"
    assert typing.get_type_hints(namespace.extension_mutation)["operation"] is str
