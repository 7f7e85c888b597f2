"""The annotations of everything public mean something at run time."""

from __future__ import annotations

import importlib
import inspect
import typing

import pytest

MODULES = (
    "harnest.sandbox",
    "harnest.sandbox.optional",
    "harnest.extensions",
    "harnest.context",
    "harnest.credentials",
    "harnest.continuation",
    "harnest.durable",
    "harnest.logging",
    "harnest.execution",
    "harnest.execution.tools",
)
"""Not ``harnest.tracing``: it names types of OpenTelemetry, which comes with the first span."""


def annotated(value: object) -> list[object]:
    """Return what of a public value has annotations: itself, a class's methods and properties."""
    if not inspect.isclass(value):
        return [value] if inspect.isroutine(value) else []
    members = [getattr(member, "fget", member) for member in vars(value).values()]
    return [value, *(member for member in members if inspect.isfunction(member))]


@pytest.mark.parametrize("module", MODULES)
def test_annotations_resolve(module: str) -> None:
    """Frameworks make tools of functions by annotations: typing.get_type_hints resolves all."""
    loaded = importlib.import_module(module)
    found = [one for name in loaded.__all__ for one in annotated(getattr(loaded, name))]
    assert found
    for one in found:
        typing.get_type_hints(one)
