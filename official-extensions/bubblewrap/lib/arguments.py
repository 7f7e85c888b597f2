"""From what a sandbox is to the arguments of ``bwrap``: text in, text out, nothing looked up.

They go to it through a descriptor (``--args``), not its command line, where everybody on the host
could read the program's environment.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from . import limits
from .allowed import HOME

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .view import View

__all__ = ["FILES", "GROUP_ID", "HOST_NAME", "USER_ID", "Box", "arguments"]

USER_ID: Final = 1000
GROUP_ID: Final = 1000
HOST_NAME: Final = "sandbox"

_TMP: Final = "/tmp"  # noqa: S108 - the sandbox's own
_EVERYBODY: Final = "1777"

FILES: Final[Mapping[str, str]] = {
    "/etc/group": "root:x:0:\nsandbox:x:1000:\nnogroup:x:65534:\n",
    "/etc/hostname": f"{HOST_NAME}\n",
    "/etc/hosts": f"127.0.0.1 localhost {HOST_NAME}\n::1 localhost\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
    "/etc/passwd": (
        "root:x:0:0:root:/:/usr/sbin/nologin\n"
        f"sandbox:x:{USER_ID}:{GROUP_ID}:sandbox:{HOME}:/bin/sh\n"
        "nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n"
    ),
}
"""Files of the sandbox's own, in the place of the host's, which name its users and machines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """Everything about a sandbox that its arguments are made from.

    Attributes:
        view: What programs see of the host.
        work: Work directory on the host, without links; programs see it as :data:`HOME`.
        environment: Their whole environment.
        network: Whether they have the host's network; otherwise a loopback of their own.
        tmp_bytes: Most bytes in ``/tmp``.
        hidden_files: Files of ``/proc`` that tell about the host and are covered.
        hidden_folders: Folders of ``/proc`` likewise.
    """

    view: View
    work: str
    environment: Mapping[str, str] = field(repr=False)
    network: bool = False
    tmp_bytes: int = limits.TMP_BYTES
    hidden_files: tuple[str, ...] = ()
    hidden_folders: tuple[str, ...] = ()

    def files(self) -> dict[str, str]:
        """Return the files of the sandbox's own that nothing of the host stands in place of."""
        return {place: text for place, text in FILES.items() if not self.view.shows(place)}


def arguments(box: Box, *, seccomp: int, files: Mapping[str, int]) -> list[str]:
    """Return the arguments of ``bwrap`` up to the program's own command line.

    Args:
        box: The sandbox.
        seccomp: Descriptor of the filter of system calls.
        files: Descriptor of each of the sandbox's own files, by place.
    """
    return [
        *_isolation(box, seccomp),
        *_environment(box.environment),
        *_kernel(box),
        *_scratch(box.tmp_bytes),
        *_host(box.view),
        *(
            part
            for place, descriptor in sorted(files.items())
            for part in ("--perms", "0444", "--ro-bind-data", str(descriptor), place)
        ),
        *("--bind", box.work, HOME),
        # Last: from here on the only places to write to are HOME, /tmp and /dev/shm.
        *("--remount-ro", "/"),
        *("--chdir", HOME),
    ]


def _isolation(box: Box, seccomp: int) -> Iterator[str]:
    yield "--unshare-all"
    if box.network:
        yield "--share-net"
    # Named again: as part of "all" the kernel may refuse it and the sandbox would start without.
    yield from ("--unshare-user", "--disable-userns", "--unshare-cgroup")
    yield from ("--uid", str(USER_ID), "--gid", str(GROUP_ID), "--hostname", HOST_NAME)
    yield from ("--die-with-parent", "--new-session", "--as-pid-1")
    yield from ("--cap-drop", "ALL", "--seccomp", str(seccomp))


def _environment(variables: Mapping[str, str]) -> Iterator[str]:
    yield "--clearenv"
    for name, value in sorted(variables.items()):
        yield from ("--setenv", name, value)


def _kernel(box: Box) -> Iterator[str]:
    yield from ("--proc", "/proc")
    for place in box.hidden_files:
        yield from ("--ro-bind", "/dev/null", place)
    for place in box.hidden_folders:
        yield from ("--size", str(limits.MASK_BYTES), "--tmpfs", place, "--remount-ro", place)
    # What runs as the host's root could otherwise write to /proc/sys, capabilities or not.
    yield from ("--remount-ro", "/proc", "--dev", "/dev")
    shared = str(limits.SHARED_BYTES)
    yield from ("--perms", _EVERYBODY, "--size", shared, "--tmpfs", "/dev/shm")  # noqa: S108 - likewise
    yield from ("--remount-ro", "/dev")


def _scratch(size: int) -> Iterator[str]:
    yield from ("--perms", _EVERYBODY, "--size", str(size), "--tmpfs", _TMP)
    yield from ("--dir", "/run", "--dir", "/var", "--symlink", "../tmp", "/var/tmp")  # noqa: S108 - likewise


def _host(view: View) -> Iterator[str]:
    for text, place in view.links:
        yield from ("--symlink", text, place)
    for source, place in view.read_only:
        yield from ("--ro-bind", source, place)
