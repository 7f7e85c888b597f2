"""Structured events of agents and extensions on the standard library's logging.

An event is a short stable text; its attributes go to the record's extra fields, so every handler
and formatter of the standard library works with them.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping

__all__ = ["Logger", "get_logger"]

_PREFIX = "agent."
_RESERVED = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_CALLER = 3
"""Frames between the author's call and the standard library's: two of ours, and its own."""


class Logger:
    """A logger with attributes bound to it; made by :func:`get_logger` and :meth:`bind`.

    Args:
        logger: Where records go.
        bound: Attributes of every event.
    """

    __slots__ = ("_bound", "_logger")

    def __init__(self, logger: logging.Logger, bound: Mapping[str, object]) -> None:
        self._logger = logger
        self._bound = dict(bound)

    def bind(self, **attributes: object) -> Logger:
        """Return a logger that adds ``attributes`` to each event; this one stays as it is."""
        return Logger(self._logger, {**self._bound, **attributes})

    def debug(self, event: str, /, **attributes: object) -> None:
        """Log ``event`` at level DEBUG."""
        self._emit(logging.DEBUG, event, attributes)

    def info(self, event: str, /, **attributes: object) -> None:
        """Log ``event`` at level INFO."""
        self._emit(logging.INFO, event, attributes)

    def warning(self, event: str, /, **attributes: object) -> None:
        """Log ``event`` at level WARNING."""
        self._emit(logging.WARNING, event, attributes)

    def error(self, event: str, /, **attributes: object) -> None:
        """Log ``event`` at level ERROR."""
        self._emit(logging.ERROR, event, attributes)

    def critical(self, event: str, /, **attributes: object) -> None:
        """Log ``event`` at level CRITICAL."""
        self._emit(logging.CRITICAL, event, attributes)

    def exception(self, event: str, /, **attributes: object) -> None:
        """Log ``event`` at level ERROR with the exception being handled and its traceback."""
        self._emit(logging.ERROR, event, attributes, exc_info=True)

    def log(self, level: int, event: str, /, **attributes: object) -> None:
        """Log ``event`` at any level.

        Args:
            level: A level of the standard library's logging.
            event: Short stable text.
            **attributes: What is known about it; dotted names through ``**{...}``.
        """
        self._emit(level, event, attributes)

    def _emit(
        self, level: int, event: str, attributes: Mapping[str, object], *, exc_info: bool = False
    ) -> None:
        if self._logger.isEnabledFor(level):
            extra = {_safe(name): value for name, value in {**self._bound, **attributes}.items()}
            # Without arguments the standard library formats nothing: percent signs stay.
            self._logger.log(level, event, exc_info=exc_info, extra=extra, stacklevel=_CALLER)


def get_logger(name: str, /, **bound: object) -> Logger:
    """Return the logger ``harnest.agent.<name>``.

    Args:
        name: Name below ``harnest.agent``, such as ``docker`` or ``docker.pool``.
        **bound: Attributes of every event. A name that a log record uses for itself gets the
            prefix ``agent.``.

    Raises:
        ValueError: The name is blank.
    """
    if not isinstance(name, str) or not name.strip():
        raise ValueError("a logger's name must be a non-blank str")
    return Logger(logging.getLogger(f"harnest.agent.{name}"), bound)


def _safe(name: str) -> str:
    return _PREFIX + name if name in _RESERVED else name
