"""Spans come from OpenTelemetry, which is imported with the first of them."""

from __future__ import annotations

import subprocess
import sys

from opentelemetry import trace

from harnest.tracing import get_tracer


def test_spans_nest_and_carry_attributes() -> None:
    """Both ways to start a span give OpenTelemetry's own, and one of them makes it current."""
    tracer = get_tracer("docker", "1.0")
    with tracer.start_as_current_span("outer", attributes={"a": 1}) as outer:
        assert trace.get_current_span() is outer
    span = tracer.start_span("inner")
    assert isinstance(span, trace.Span)
    span.end()


def test_a_tracer_costs_no_import_before_its_first_span() -> None:
    """Getting one imports nothing of OpenTelemetry, starting a span does."""
    program = (
        "import sys\n"
        "from harnest.tracing import get_tracer\n"
        "tracer = get_tracer()\n"
        "print('opentelemetry.trace' in sys.modules)\n"
        "tracer.start_span('x').end()\n"
        "print('opentelemetry.trace' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True"]
