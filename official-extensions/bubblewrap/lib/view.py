"""What programs see of this host: named folders and files, read-only, and the links to them.

Nothing is visible unless it is listed here: no home, no ``/run``, no ``/var``, no ``/sys``, and of
``/etc`` only what C libraries, TLS and time zones need. Names of users are the sandbox's own.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["View", "covers", "system_view"]

_SYSTEM: Final = ("/bin", "/lib", "/lib32", "/lib64", "/libx32", "/sbin", "/usr")
_SETTINGS: Final = (
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/crypto-policies",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/magic",
    "/etc/mime.types",
    "/etc/os-release",
    "/etc/perl",
    "/etc/pki/ca-trust/extracted",
    "/etc/pki/tls/certs",
    "/etc/protocols",
    "/etc/services",
    "/etc/ssl/cert.pem",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/terminfo",
    "/etc/timezone",
)
_NETWORK: Final = ("/etc/gai.conf", "/etc/host.conf", "/etc/hosts", "/etc/resolv.conf")
"""What names are looked up by; visible only with the host's network."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Folders and files of this host in their places inside.

    Attributes:
        read_only: Pairs of what it is on the host, without links, and its place inside; sorted by
            place, so that a folder comes before what lies in it.
        links: Pairs of a link's text and its place inside, sorted by place.
    """

    read_only: tuple[tuple[str, str], ...] = ()
    links: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        for _, place in (*self.read_only, *self.links):
            if not PurePosixPath(place).is_absolute() or place == "/":
                raise ValueError(f"{place!r} is no place inside: it must be absolute, and not /")

    def shows(self, place: str) -> bool:
        """Return whether a place is one of the folders or files, or lies in one."""
        return any(covers(shown, place) for _, shown in self.read_only)

    def joined(self, other: View) -> View:
        """Return both together; what one of them shows already is not listed again."""
        links = dict.fromkeys(sorted((*self.links, *other.links), key=_place))
        kept: list[tuple[str, str]] = []
        for entry in sorted({*self.read_only, *other.read_only}, key=_place):
            if not any(covers(place, entry[1]) for _, place in kept):
                kept.append(entry)
        return View(read_only=tuple(kept), links=tuple(links))


def covers(folder: str, place: str) -> bool:
    """Return whether ``place`` is ``folder`` or lies in it: absolute, in their shortest form."""
    return folder in ("/", place) or place.startswith(f"{folder}/")


def system_view(*, network: bool) -> View:
    """Return what every program sees: the distribution's programs and libraries.

    Args:
        network: Whether it has the host's network, and so needs to know how to look up names.
    """
    names = (*_SYSTEM, *_SETTINGS, *(_NETWORK if network else ()))
    links = [(os.readlink(name), name) for name in _links(names)]  # noqa: PTH115 - its text
    files = [(os.path.realpath(name), name) for name in names if _is_shown(name)]
    return View(read_only=tuple(files), links=tuple(sorted(links, key=_place)))


def _links(names: Iterable[str]) -> list[str]:
    """Return those top folders that are links, as ``/bin`` is where all of it lies in ``/usr``."""
    return [name for name in names if name.count("/") == 1 and Path(name).is_symlink()]


def _is_shown(name: str) -> bool:
    # Other links - /etc/localtime, /etc/resolv.conf - are shown as the file that they lead to.
    top_link = name.count("/") == 1 and Path(name).is_symlink()
    return not top_link and (Path(name).is_dir() or Path(name).is_file())


def _place(entry: tuple[str, str]) -> str:
    return entry[1]
