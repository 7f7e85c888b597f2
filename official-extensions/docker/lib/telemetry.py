"""Time the phases of a call, and tell logs and traces about them: durations and status, no payload."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from harnest.logging import get_logger
from harnest.tracing import get_tracer

EXTENSION: Final = "harnest.extension.name"
TOPOLOGY: Final = "harnest.docker.topology_id"
SERVICE: Final = "harnest.docker.service.name"
_EVENT: Final = "docker.phase"

_LOGGER = get_logger("docker", **{EXTENSION: "docker"})
_TRACER = get_tracer("harnest.extension.docker")


class Journal:
    """The phases of one call: which one runs now, and how long each took.

    Attributes:
        topology: id of the topology, empty while there is none.
        phase: the current or last phase.
        fresh: whether the topology was made for this call.
        removed: whether everything that had to be removed is gone.
    """

    def __init__(self, topology: str = "") -> None:
        self.topology = topology
        self.phase = ""
        self.fresh = True
        self.removed = True
        self._milliseconds: dict[str, float] = {}

    @contextmanager
    def step(self, phase: str, service: str = "") -> Iterator[None]:
        """Time *phase*; a log record and a span carry its duration and whether it ended well."""
        self.phase = phase
        attributes: dict[str, Any] = {EXTENSION: "docker", TOPOLOGY: self.topology}
        if service:
            attributes[SERVICE] = service
        started = time.monotonic()
        status = "failed"
        # The exception's text stays out of the span: it may not be ours.
        with _TRACER.start_as_current_span(
            f"docker {phase}",
            attributes=attributes,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield
                status = "ok"
            finally:
                took = round((time.monotonic() - started) * 1000, 3)
                self._milliseconds[phase] = self._milliseconds.get(phase, 0.0) + took
                outcome: dict[str, str | float] = {
                    "harnest.docker.duration_ms": took,
                    "harnest.docker.status": status,
                }
                span.set_attributes(outcome)
                _LOGGER.info(_EVENT, **attributes, **outcome, **{"harnest.docker.phase": phase})

    def answered(self, status: str) -> None:
        """Log what the whole call came to."""
        _LOGGER.info("docker.call", **{TOPOLOGY: self.topology, "harnest.docker.status": status})

    def durations(self) -> dict[str, float]:
        """Return milliseconds by phase."""
        return {phase: round(took, 3) for phase, took in self._milliseconds.items()}


def warn(event: str, topology: str = "", **attributes: object) -> None:
    """Log a warning about what goes on behind calls."""
    _LOGGER.warning(event, **{TOPOLOGY: topology}, **attributes)
