"""What is asked of a gateway, in plain types: the rest of the extension knows no gRPC.

Every method blocks, for at most the seconds it is given, and raises
:class:`~..errors.GatewayRefusedError` where the gateway fails or refuses.
"""

from __future__ import annotations

import enum
import ipaddress
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, Self

from .. import limits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import TracebackType

__all__ = [
    "Connection",
    "Exec",
    "ExecEvent",
    "Gateway",
    "LogLine",
    "PendingRule",
    "Phase",
    "RunningExec",
    "SandboxFacts",
    "SandboxWish",
    "Stream",
]


_ENDPOINT = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):(?P<port>[0-9]{1,5})", re.ASCII)


class Phase(enum.IntEnum):
    """Where a sandbox is in its life."""

    UNSPECIFIED = 0
    PROVISIONING = 1
    READY = 2
    ERROR = 3
    DELETING = 4
    UNKNOWN = 5
    STOPPING = 6
    STOPPED = 7
    STARTING = 8
    COMPLETED = 9

    @classmethod
    def _missing_(cls, value: object) -> Phase | None:
        # That of a later gateway.
        return cls.UNKNOWN if isinstance(value, int) else None


class Stream(enum.StrEnum):
    """What an event of a running command is about."""

    STDOUT = "stdout"
    STDERR = "stderr"
    EXIT = "exit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """Which gateway, and as whom.

    Attributes:
        endpoint: ``host:port``; None for the active gateway of this user, or the one that
            ``OPENSHELL_GATEWAY`` names.
        workspace: Workspace of the gateway that everything is made in.
        token: Bearer token, or a function that returns the one to use now, such as the SDK's
            ``ClientCredentialsAuth``. It is sent over TLS, or to this host.
        ca_path: Certificates that the gateway's is checked against; None for no TLS, unless
            ``tls`` is set.
        cert_path: Our own certificate; None for none.
        key_path: Its key.
        tls: Whether to speak TLS; with the system's certificates if ``ca_path`` is None.
    """

    endpoint: str | None = None
    workspace: str = "default"
    token: Any = field(default=None, repr=False)
    ca_path: str | None = None
    cert_path: str | None = None
    key_path: str | None = None
    tls: bool = False

    def __post_init__(self) -> None:
        if self.endpoint is not None and not _is_endpoint(self.endpoint):
            raise ValueError(
                "endpoint must be 'host:port' with a port from 1 to 65535, or None for the active "
                f"gateway, not {self.endpoint!r:.80}"
            )
        if not isinstance(self.workspace, str) or not self.workspace.strip():
            raise ValueError("workspace must be a non-blank text")
        if (self.cert_path is None) != (self.key_path is None):
            raise ValueError("cert_path and key_path go together")
        if self.token is not None and not (isinstance(self.token, str) or callable(self.token)):
            raise TypeError("token must be a text or a function that returns one")
        if self.endpoint is None and (self.token or self.secured):
            raise ValueError("token and certificates of the active gateway are its own: name none")
        if self.token is not None and not self.secured and not _is_local(self.endpoint or ""):
            raise ValueError("a token is sent over TLS only: set tls, or name certificates")

    @property
    def secured(self) -> bool:
        """Whether TLS is spoken to an endpoint that is named."""
        return self.tls or self.ca_path is not None or self.cert_path is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxWish:
    """A sandbox that is to be made.

    Attributes:
        name: Its name.
        labels: Its labels.
        policy: Its policy as the service has it, in JSON's types.
        image: Image that its programs see; empty for the gateway's own.
        command: Its main process, which must not end before the sandbox is to.
        environment: Variables of all its programs.
        providers: Providers whose credentials its programs can use.
        request_id: Tells a repetition of the same request from another one.
    """

    name: str
    labels: Mapping[str, str]
    policy: Mapping[str, Any] = field(repr=False)
    image: str = ""
    command: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    providers: Sequence[str] = ()
    request_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxFacts:
    """A sandbox that there is."""

    sandbox_id: str
    name: str
    labels: Mapping[str, str]
    phase: Phase
    providers: tuple[str, ...] = ()
    reason: str = ""
    created: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exec:
    """A command to be run in a sandbox.

    Attributes:
        sandbox: Name of the sandbox.
        command: Its arguments.
        stdin: Its input.
        environment: Its own variables.
        directory: Where it runs; empty for the sandbox's own.
        timeout_seconds: When the gateway gives it up with 124, without ending it.

    Raises:
        ValueError: It is larger than a gateway takes.
    """

    sandbox: str
    command: Sequence[str] = field(repr=False)
    stdin: bytes = field(default=b"", repr=False)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    directory: str = ""
    timeout_seconds: int = limits.TIMEOUT_SECONDS

    def __post_init__(self) -> None:
        sizes = [len(item.encode()) for item in self.command]
        if not sizes or len(sizes) > limits.ARGUMENTS:
            raise ValueError(f"a command has 1 to {limits.ARGUMENTS} arguments, not {len(sizes)}")
        if max(sizes) > limits.ARGUMENT_BYTES:
            raise ValueError(
                f"an argument has {max(sizes)} bytes, more than {limits.ARGUMENT_BYTES}"
            )
        variables = sum(len(k.encode()) + len(v.encode()) for k, v in self.environment.items())
        size = sum(sizes) + variables + len(self.stdin) + 4 * limits.KIB
        if size > limits.MESSAGE_BYTES:
            raise ValueError(f"a command needs {size} bytes, more than {limits.MESSAGE_BYTES}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecEvent:
    """A piece of output, or the end with its exit code."""

    stream: Stream
    data: bytes = field(default=b"", repr=False)
    exit_code: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """A line of a sandbox's log; the time is the gateway's own."""

    time: float
    text: str
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingRule:
    """A network rule that the gateway proposes since programs were denied what it would allow.

    Attributes:
        rule_id: Its id.
        status: Such as ``pending``.
        name: Its name.
        hosts: ``host:port`` of each endpoint.
        programs: Programs that it would allow.
        rationale: Why the gateway proposes it.
        security_notes: What to think of before approving it.
        review_token: Ties an approval to what was read here.
    """

    rule_id: str
    status: str
    name: str
    hosts: tuple[str, ...]
    programs: tuple[str, ...]
    rationale: str = ""
    security_notes: str = ""
    review_token: str = field(default="", repr=False)


class RunningExec(Protocol):
    """A command that runs: its events in order, until the end or an error."""

    def __iter__(self) -> Iterator[ExecEvent]:
        """Yield each event; the last one is the end."""
        ...

    def cancel(self) -> None:
        """Stop listening, from any thread. The command goes on."""
        ...


class Gateway(Protocol):
    """A connection to a gateway."""

    def version(self, seconds: float) -> str:
        """Return the gateway's version; it answers, and is healthy."""
        ...

    def create(self, wish: SandboxWish, seconds: float) -> SandboxFacts:
        """Make a sandbox."""
        ...

    def get(self, name: str, seconds: float) -> SandboxFacts:
        """Return a sandbox; ``NOT_FOUND`` if there is none."""
        ...

    def listed(self, selector: str, seconds: float) -> tuple[SandboxFacts, ...]:
        """Return the sandboxes whose labels match."""
        ...

    def delete(self, name: str, seconds: float) -> None:
        """Delete a sandbox; it may be there for a while yet. One that is absent is no error."""
        ...

    def start_exec(self, call: Exec, seconds: float) -> RunningExec:
        """Run a command."""
        ...

    def policy(self, name: str, seconds: float) -> Mapping[str, Any]:
        """Return the policy that a sandbox runs under, in JSON's types."""
        ...

    def logs(self, name: str, since: float | None, seconds: float) -> tuple[LogLine, ...]:
        """Return the last lines of a sandbox's log."""
        ...

    def pending(self, name: str, seconds: float) -> tuple[PendingRule, ...]:
        """Return the rules that wait for a decision."""
        ...

    def approve(self, name: str, rule: PendingRule, seconds: float) -> None:
        """Put a pending rule into the policy."""
        ...

    def reject(self, name: str, rule: PendingRule, reason: str, seconds: float) -> None:
        """Refuse a pending rule."""
        ...

    def create_provider(
        self, profile: Mapping[str, Any], values: Mapping[str, str], seconds: float
    ) -> None:
        """Make a provider from a profile of its own name."""
        ...

    def delete_provider(self, name: str, seconds: float) -> None:
        """Delete a provider and its profile; what is absent is no error."""
        ...

    def close(self) -> None:
        """End the connection."""
        ...

    def __enter__(self) -> Self:
        """Use it."""
        ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        ...


def _is_endpoint(value: object) -> bool:
    match = _ENDPOINT.fullmatch(value) if isinstance(value, str) else None
    return match is not None and 1 <= int(match["port"]) <= 65535


def _is_local(endpoint: str) -> bool:
    host = endpoint.rpartition(":")[0].strip("[]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
