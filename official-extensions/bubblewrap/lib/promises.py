"""What a sandbox promises, as rows: the promise, what makes it hold, and whether it does here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest.execution import Guarantee

if TYPE_CHECKING:
    from .bounds import Bounds

__all__ = ["promises"]


def promises(*, network: bool, bounds: Bounds) -> tuple[Guarantee, ...]:
    """Return the rows for sandboxes whose probe found every tried promise to hold.

    Args:
        network: Whether they have the host's network.
        bounds: What bounds their programs.
    """
    return (*_access(network=network), *_rights(), *_ending(), *_amounts(bounds))


def _access(*, network: bool) -> tuple[Guarantee, ...]:
    reach = (
        ("programs have that of this host, without its abstract sockets", "--share-net, a filter")
        if network
        else ("programs have none but a loopback of their own", "a network namespace, tried")
    )
    return (
        _row(
            "files",
            "programs see the system's folders, the interpreter and the allowed paths, read-only",
            "a mount namespace with nothing else in it, tried",
        ),
        _row(
            "work-directory",
            "programs write to the work directory, /tmp and /dev/shm, and nowhere else",
            "read-only mounts, tried; the last two in memory, of bounded size",
        ),
        _row("network", *reach),
    )


def _rights() -> tuple[Guarantee, ...]:
    return (
        _row(
            "processes-of-others",
            "programs neither see nor signal processes of this host",
            "namespaces of processes and IPC, tried",
        ),
        _row(
            "privileges",
            "programs have none, can't gain any and leave no set-user-id file",
            "a user namespace without capabilities, no new privileges, a filter, tried",
        ),
        _row(
            "kernel",
            "programs make the listed system calls only",
            "a seccomp filter, tried",
        ),
        _row(
            "environment",
            "programs see the configured variables and nobody else does",
            "a cleared environment, handed over by a descriptor",
        ),
    )


def _ending() -> tuple[Guarantee, ...]:
    return (
        _row(
            "end",
            "no process of a call outlives it, or this process",
            "a namespace of processes that ends with its process 1; --die-with-parent",
        ),
        _row("input", "bytes arrive whole; else it is empty", "a sealed file in memory"),
        _row("output", "bounded; a program that exceeds it is ended", "counted as it is read"),
    )


def _amounts(bounds: Bounds) -> tuple[Guarantee, ...]:
    return (
        _row("cpu", "CPU seconds of each process", "RLIMIT_CPU"),
        _row("file-size", "size of each file", "RLIMIT_FSIZE"),
        _row("memory", "memory of all processes of a call", "a control group", holds=bounds.memory),
        _row(
            "processes",
            f"at most {bounds.processes} processes and threads of a call",
            bounds.counting.value,
            holds=bounds.counting.exact,
        ),
    )


def _row(name: str, promise: str, mechanism: str, *, holds: bool = True) -> Guarantee:
    return Guarantee(name=name, promise=promise, mechanism=mechanism, holds=holds)
