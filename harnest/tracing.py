"""Spans of agents and extensions on OpenTelemetry, which is imported with the first span."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from opentelemetry.trace import Span
    from opentelemetry.trace import Tracer as NativeTracer

__all__ = ["Tracer", "get_tracer"]


class Tracer:
    """A tracer that finds the process's provider with its first span.

    Args:
        name: Instrumentation scope of the spans.
        version: Version of what the scope names.
    """

    __slots__ = ("_name", "_native", "_version")

    def __init__(self, name: str, version: str | None) -> None:
        self._name = name
        self._version = version
        self._native: NativeTracer | None = None

    def start_as_current_span(self, name: str, /, **options: Any) -> AbstractContextManager[Span]:
        """Open a span that is the parent of those started inside.

        Args:
            name: Name of the span.
            **options: Those of OpenTelemetry's method of the same name.
        """
        return self._tracer().start_as_current_span(name, **options)

    def start_span(self, name: str, /, **options: Any) -> Span:
        """Start a span that the caller ends.

        Args:
            name: Name of the span.
            **options: Those of OpenTelemetry's method of the same name.
        """
        return self._tracer().start_span(name, **options)

    def _tracer(self) -> NativeTracer:
        if self._native is None:
            from opentelemetry import trace  # noqa: PLC0415 - costs more than most commands

            self._native = trace.get_tracer(self._name, self._version)
        return self._native


def get_tracer(name: str = "agent", version: str | None = None) -> Tracer:
    """Return a tracer; nothing is imported before its first span.

    Args:
        name: Instrumentation scope, such as an extension's name.
        version: Version of what the scope names.
    """
    return Tracer(name, version)
