"""Declare when a service can be used."""

from dataclasses import dataclass

from ..limits import (
    ARGUMENTS,
    ATTEMPTS_MAX,
    INTERVAL_SECONDS_MAX,
    INTERVAL_SECONDS_MIN,
    PORT_MAX,
)
from .checks import command, integer, seconds, text


@dataclass(frozen=True, slots=True, kw_only=True)
class DockerReadiness:
    """Declare one bounded readiness check, of exactly one kind.

    Attributes:
        command: program and arguments, run inside the service; status 0 means ready. It becomes the
            container's Docker health check. At most 64 arguments of at most 8 KiB.
        tcp: a port on which the service accepts a connection from the primary container.
        log: a text that the service writes to either of its output streams.
        interval_seconds: between two attempts, 0.001 to 3600.
        timeout_seconds: of one attempt, 0.001 to 3600.
        retries: attempts before the service counts as failed, 1 to 100.
        start_period_seconds: time in which failures do not count, 0 or 0.001 to 3600.

    Raises:
        ValueError: not exactly one kind, or a value out of its bounds or of the wrong scalar type.
        TypeError: *command* is not a list or tuple.
    """

    command: tuple[str, ...] = ()
    tcp: int | None = None
    log: str | None = None
    interval_seconds: float = 1.0
    timeout_seconds: float = 2.0
    retries: int = 30
    start_period_seconds: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "command", command(self.command, "readiness command", most=ARGUMENTS)
        )
        if sum((bool(self.command), self.tcp is not None, self.log is not None)) != 1:
            raise ValueError("readiness needs exactly one of command (not empty), tcp and log")
        if self.tcp is not None:
            integer(self.tcp, "readiness tcp", least=1, most=PORT_MAX)
        if self.log is not None:
            text(self.log, "readiness log")
        integer(self.retries, "retries", least=1, most=ATTEMPTS_MAX)
        self._check_times()

    def _check_times(self) -> None:
        bounds = {"least": INTERVAL_SECONDS_MIN, "most": INTERVAL_SECONDS_MAX}
        for option in ("interval_seconds", "timeout_seconds", "start_period_seconds"):
            value = getattr(self, option)
            if option == "start_period_seconds" and value == 0 and not isinstance(value, bool):
                object.__setattr__(self, option, 0.0)
            else:
                object.__setattr__(self, option, seconds(value, option, **bounds))

    @property
    def patience_seconds(self) -> float:
        """The longest time that the declared attempts can take, in seconds."""
        return self.start_period_seconds + self.retries * (
            self.interval_seconds + self.timeout_seconds
        )
