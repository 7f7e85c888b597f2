"""What the tier promises: each row is tried in a container before the first call, or follows from its plan."""

from collections.abc import Iterator

from harnest.execution import Guarantee, WorkspaceConfig

from ..limits import WORK_DIRECTORY, WORK_LANES, WORK_PROCESSES


def guarantees(config: WorkspaceConfig) -> tuple[Guarantee, ...]:
    """Return the rows for a workspace of *config* whose containers passed their probe."""
    return tuple(
        Guarantee(name=name, promise=promise, mechanism=mechanism, holds=True)
        for name, promise, mechanism in (*_files(config), *_limits(config), *_endings())
    )


def _files(config: WorkspaceConfig) -> Iterator[tuple[str, str, str]]:
    yield (
        "work-directory",
        f"programs read and write the work directory, as {WORK_DIRECTORY}; it alone outlives a call",
        "a bind mount whose identity is compared from inside; scratch folders are emptied after each call",
    )
    yield (
        "host-files",
        "nothing else of the host can be seen",
        "a container of the image with a read-only root and no other mounts",
    )
    if config.allowed_paths:
        yield (
            "allowed-paths",
            "the allowed paths can be read at their own places, and never written",
            "read-only bind mounts; sockets of engines, trees of the kernel and links are refused",
        )
    yield (
        "network",
        "programs have a network" if config.network_enabled else "programs have no network",
        "a bridge of its own"
        if config.network_enabled
        else "a network namespace with loopback alone",
    )
    yield (
        "user",
        "what programs leave belongs to the owner of the work directory, never to root",
        "the container's user; root's own directories are refused",
    )
    yield (
        "special-files",
        "no set-user-ID or set-group-ID file and no device is made in the work directory",
        "a filter of system calls, no capabilities, no new privileges",
    )


def _limits(config: WorkspaceConfig) -> Iterator[tuple[str, str, str]]:
    yield (
        "memory",
        f"the processes of a call have {config.max_memory_mb} MiB together",
        "the container's control group, without swap; its own counters tell that it was exceeded",
    )
    yield (
        "cpu-time",
        f"no process uses more than {config.max_cpu_seconds} s of CPU time",
        "a resource limit of each process",
    )
    yield (
        "file-size",
        f"no process writes a file over {config.max_file_size_mb} MiB",
        "a resource limit of each process",
    )
    yield (
        "processes",
        f"a call has at most {WORK_PROCESSES} processes and threads",
        "the container's control group",
    )
    yield (
        "output",
        f"at most {config.max_output_bytes} bytes of output are kept; a program that writes more is ended",
        "PID 1 counts before it passes output on",
    )


def _endings() -> Iterator[tuple[str, str, str]]:
    yield (
        "deadline",
        "at its deadline everything of a call is dead, and what it wrote so far is returned",
        "PID 1 kills every process of the container; the daemon kills the container if PID 1 is late",
    )
    yield (
        "background",
        "no process outlives its call, detached or not",
        "PID 1 kills and reaps until no other process is left in the container",
    )
    yield (
        "outcome",
        "a program's own exit code, signal or output is never taken for a time-out or a lack of memory",
        "PID 1, out of reach of programs, reports what the kernel says",
    )
    yield (
        "concurrency",
        f"up to {WORK_LANES} calls run beside each other and share the work directory alone; others queue",
        "a container for each",
    )
    yield (
        "host-death",
        "when the process that opened the workspace dies, its containers end and are removed",
        "the attached input reaches its end; the daemon removes what has ended",
    )
