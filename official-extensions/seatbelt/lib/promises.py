"""What a sandbox promises, as rows: the promise, what makes it hold, and whether it does here."""

from __future__ import annotations

from harnest.execution import Guarantee

__all__ = ["promises"]


def promises(*, network: bool) -> tuple[Guarantee, ...]:
    """Return the rows for sandboxes whose probe found every tried promise to hold.

    Args:
        network: Whether their programs may use the network.
    """
    reach = (
        "programs reach IP addresses" if network else "programs reach nothing, this host neither"
    )
    return (
        _row(
            "files",
            "programs read the system's folders, the interpreter and the allowed paths",
            "a profile that denies the rest, tried",
        ),
        _row(
            "work-directory",
            "programs write to the work directory and a folder for temporary files only",
            "a profile outside of both, tried",
        ),
        _row("network", reach, "the profile, tried"),
        _row(
            "processes-of-others",
            "programs neither signal nor look at processes of this host",
            "the profile, tried",
        ),
        _row("set-user-id", "programs leave no set-user-id file", "the profile"),
        _row(
            "end",
            "no process of a call outlives it, one that left its process group neither",
            "the process group is ended; nothing finds what left it",
            holds=False,
        ),
        _row("input", "bytes arrive whole; else it is empty", "an unlinked file"),
        _row("output", "bounded; a program that exceeds it is ended", "counted as it is read"),
        _row("cpu", "CPU seconds of each process", "RLIMIT_CPU"),
        _row("file-size", "size of each file", "RLIMIT_FSIZE"),
        _row("memory", "memory of all processes of a call", "nothing of macOS", holds=False),
        _row(
            "processes",
            "number of processes of a call",
            "nothing of macOS that counts just them",
            holds=False,
        ),
    )


def _row(name: str, promise: str, mechanism: str, *, holds: bool = True) -> Guarantee:
    return Guarantee(name=name, promise=promise, mechanism=mechanism, holds=holds)
