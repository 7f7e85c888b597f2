"""The profile of a sandbox: what its programs may do, and that everything else is denied.

Text in, text out, nothing looked up. The rules compare paths as the kernel sees them, so the paths
given must be without links: a rule for ``/tmp/x`` matches nothing, since the file's path is
``/private/tmp/x``. The last rule that matches decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from .sbpl import Text, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Profile"]

_SYSTEM: Final = (
    "/Library/Apple/System/Library",
    "/Library/Apple/usr/lib",
    "/Library/Developer/CommandLineTools",
    "/System/Cryptexes",
    "/System/Library",
    "/System/Volumes/Preboot/Cryptexes",
    "/System/iOSSupport",
    "/bin",
    "/private/etc/ssl",
    "/private/var/db/dyld",
    "/private/var/db/timezone",
    "/private/var/select",
    "/sbin",
    "/usr/bin",
    "/usr/lib",
    "/usr/libexec",
    "/usr/sbin",
    "/usr/share",
)
"""Folders of the system. Not ``/System`` whole: ``/System/Volumes/Data`` holds every home."""
_SYSTEM_FILES: Final = (
    "/",
    "/dev/dtracehelper",
    "/private/etc/localtime",
    "/private/etc/protocols",
    "/private/etc/services",
)
_NETWORK_FILES: Final = (
    "/private/etc/hosts",
    "/private/etc/resolv.conf",
    "/private/var/run/resolv.conf",
)
_SOURCES: Final = ("/dev/random", "/dev/urandom", "/dev/zero")
_SINKS: Final = ("/dev/null", "/dev/zero")
_LOOKUPS: Final = (
    "com.apple.system.notification_center",
    "com.apple.system.opendirectoryd.libinfo",
)
"""Services that the C library asks for: names of users, changes of the time zone."""
_NETWORK_LOOKUPS: Final = (
    "com.apple.SystemConfiguration.DNSConfiguration",
    "com.apple.SystemConfiguration.configd",
    "com.apple.trustd.agent",
)
_LINKS: Final = ("/etc", "/tmp", "/var")  # noqa: S108 - of the system
_RESOLVER: Final = "/private/var/run/mDNSResponder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What one sandbox allows.

    Attributes:
        writable: Folders that programs may change: the work directory and their temporary one.
        readable: Folders and files that they may read and run, beside the system's.
        links: Links that lead to what is readable; they can be followed.
        network: Whether they may use the network.

    Raises:
        ValueError: A path is relative, not in its shortest form, the whole file system, or starts
            with a name that is a link on macOS.
    """

    writable: tuple[str, ...]
    readable: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    network: bool = False

    def __post_init__(self) -> None:
        if not self.writable:
            raise ValueError("a sandbox needs a folder that its programs may write to")
        for path in (*self.writable, *self.readable, *self.links):
            _check(path)

    def text(self) -> str:
        """Return the profile."""
        return "\n".join([*self._lines(), ""])

    def _lines(self) -> Iterator[str]:
        yield rule("version", "1")
        yield rule("deny", "default")
        yield from self._processes()
        yield from self._reading()
        yield from self._writing()
        yield from self._services()
        if self.network:
            yield from _networking()

    def _processes(self) -> Iterator[str]:
        yield rule("allow", "process-fork")
        yield rule("allow", "process-exec*", *self._visible())
        # Of processes that have this very profile: others can neither be signalled nor looked at.
        for operation in ("signal", "process-info*"):
            yield rule("allow", operation, ("target", "same-sandbox"))
        yield rule("allow", "sysctl-read")

    def _reading(self) -> Iterator[str]:
        yield rule("allow", "file-read*", *self._visible())
        # The folders above them can be walked through, not listed.
        ways = (*self._all(), *self.links)
        above = sorted({str(up) for path in ways for up in PurePosixPath(path).parents})
        yield rule("allow", "file-read-metadata", *_literals(*above, *self.links, *_LINKS))
        yield rule("allow", "file-read*", *_literals(*_SOURCES, *_SINKS))
        yield rule("allow", "file-read*", "file-write-data", ("subpath", Text("/dev/fd")))

    def _writing(self) -> Iterator[str]:
        yield rule("allow", "file-write*", *_folders(*self.writable))
        yield rule("allow", "file-write-data", "file-ioctl", *_literals(*_SINKS))
        yield rule("deny", "file-write-setugid")

    def _services(self) -> Iterator[str]:
        names = (*_LOOKUPS, *(_NETWORK_LOOKUPS if self.network else ()))
        yield rule("allow", "mach-lookup", *(("global-name", Text(name)) for name in names))
        yield rule("allow", "ipc-posix-sem")

    def _all(self) -> tuple[str, ...]:
        return (*_SYSTEM, *self.readable, *self.writable)

    def _visible(self) -> tuple[tuple[Text | str, ...], ...]:
        files = (*_SYSTEM_FILES, *(_NETWORK_FILES if self.network else ()))
        return (*_folders(*self._all()), *_literals(*files))


def _networking() -> Iterator[str]:
    # Of IP only: sockets in the file system and those of daemons reach further than a network.
    yield rule("allow", "system-socket")
    yield rule("allow", "network-outbound", ("remote", "ip"), *_literals(_RESOLVER))
    yield rule("allow", "network-inbound", "network-bind", ("local", "ip"))


def _folders(*paths: str) -> tuple[tuple[Text | str, ...], ...]:
    return tuple(("subpath", Text(path)) for path in paths)


def _literals(*paths: str) -> tuple[tuple[Text | str, ...], ...]:
    return tuple(("literal", Text(path)) for path in paths)


def _check(path: str) -> None:
    pure = PurePosixPath(path)
    if not path.startswith("/") or str(pure) != path or ".." in pure.parts or path == "/":
        raise ValueError(f"{path!r} is no absolute path in its shortest form, or all of the host")
    if pure.parts[1] in ("etc", "tmp", "var"):
        raise ValueError(f"{path!r} leads over a link of macOS: it is /private{path}")
