"""Names and labels of what is made on a gateway, and whose it is.

A sandbox's name holds 19 characters, which is too short for a session's id. It is a hash of the
whole of it, so that two sessions that begin alike don't get one sandbox. The labels hold longer
hashes: of the owner, of the session, and of the one object that made it.
"""

from __future__ import annotations

import base64
import getpass
import hashlib
import os
import secrets
import socket
from dataclasses import dataclass, field

from . import limits

__all__ = [
    "MANAGED",
    "RELATED",
    "Identity",
    "default_owner",
    "instance",
    "owner_alive",
    "sandbox_name",
]

MANAGED = "harnest.dev/managed-by"
"""Label of every sandbox that was made here; its value is ``harnest``."""
RELATED = "harnest-"
"""What the names of everything begin with that is made for one sandbox alone."""
_OWNER = "harnest.dev/owner"
_SESSION = "harnest.dev/session"
_MAKER = "harnest.dev/maker"
_HOST = "harnest.dev/host"
_PROCESS = "harnest.dev/process"


def _hash(*parts: str) -> bytes:
    """Return a hash of parts that no other parts have, however they are cut."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.digest()


def sandbox_name(owner: str, session: str) -> str:
    """Return the name of a session's sandbox: ``h`` and 90 bits of a hash of all of it.

    Args:
        owner: Whose session it is.
        session: Its id, of any length.
    """
    text = base64.b32encode(_hash("sandbox", owner, session)).decode().lower()
    return "h" + text[: limits.SANDBOX_NAME_CHARACTERS - 1]


def default_owner() -> str:
    """Return the owner unless one is named: this user on this host."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # no entry for this number
        user = str(os.getuid())
    return f"{user}@{socket.gethostname()}"


def instance() -> str:
    """Return a name for one object of this process that nothing else has."""
    return secrets.token_hex(16)


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Whose sandbox it is, for which session, and which object made it.

    Attributes:
        owner: Who may attach to it and delete it.
        session: The session's whole id.
        maker: The object of this process that makes it.
    """

    owner: str
    session: str
    maker: str = field(default_factory=instance)

    def __post_init__(self) -> None:
        for name in ("owner", "session", "maker"):
            value = getattr(self, name)
            if not isinstance(value, str) or not value.strip():
                raise ValueError(f"{name} must be a non-blank text")

    @property
    def name(self) -> str:
        """Name of the sandbox."""
        return sandbox_name(self.owner, self.session)

    def related(self, kind: str, number: int) -> str:
        """Return the name of something that is made for this sandbox alone.

        Args:
            kind: What it is, a few letters.
            number: Which of them.
        """
        return f"{RELATED}{kind}-{_hash('related', self.maker).hex()[:24]}-{number}"

    def labels(self) -> dict[str, str]:
        """Return the labels that the sandbox carries."""
        return {
            MANAGED: "harnest",
            _OWNER: _label("owner", self.owner),
            _SESSION: _label("session", self.session),
            _MAKER: _label("maker", self.maker),
            _HOST: _label("host", _host()),
            _PROCESS: f"{os.getpid()}-{_started(os.getpid())}",
        }

    def owns(self, labels: dict[str, str]) -> bool:
        """Return whether labels are those of this owner's sandbox for this session."""
        own = self.labels()
        return all(labels.get(name) == own[name] for name in (MANAGED, _OWNER, _SESSION))

    def made(self, labels: dict[str, str]) -> bool:
        """Return whether this very object made the sandbox with these labels."""
        return self.owns(labels) and labels.get(_MAKER) == self.labels()[_MAKER]


def owner_alive(labels: dict[str, str]) -> bool | None:
    """Return whether the process that made a sandbox runs; None if it was on another host."""
    pid, _, started = labels.get(_PROCESS, "").partition("-")
    if labels.get(_HOST) != _label("host", _host()) or not pid.isdigit() or not started:
        return None
    return _started(int(pid)) == started


def _label(kind: str, value: str) -> str:
    return _hash(kind, value).hex()[: limits.LABEL_CHARACTERS]


def _host() -> str:
    """Return what tells this start of this host from others."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:  # noqa: PTH123 - a kernel's file
            return f"{socket.gethostname()} {file.read().strip()}"
    except OSError:
        return socket.gethostname()


def _started(pid: int) -> str:
    """Return when a process started, in the kernel's ticks; ``gone`` without such a process."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123 - a kernel's file
            return file.read().rpartition(b")")[2].split()[19].decode()
    except (OSError, IndexError):
        return "gone" if os.path.isdir("/proc/self") else "unknown"  # noqa: PTH112 - the same
