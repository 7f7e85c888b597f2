"""The first process of a PID namespace: starts one daemon, signals it on request, reaps everybody.

``nest.py COMMAND...`` reads lines: ``start``, or the number of a signal for what was started. It answers
each with one line, whether that lives, once it is done; what was killed is gone by then, and what was
stopped does nothing any more. It ends with its standard input, and the kernel ends with it everything that
is left in the namespace.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1


def _raise_loopback() -> None:
    """Bring the loopback interface up: a new network namespace has it down."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        name = struct.pack("16sH", b"lo", 0)
        flags = struct.unpack("16sH", fcntl.ioctl(link, _GET_FLAGS, name))[1]
        fcntl.ioctl(link, _SET_FLAGS, struct.pack("16sH", b"lo", flags | _UP))


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def _stopped(process: int) -> bool:
    """Whether none of its threads goes on: each stops only once it takes the signal."""
    for thread in Path(f"/proc/{process}/task").glob("*/stat"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            # The state is the first letter behind the name, which is in brackets and may hold some.
            if thread.read_text().rpartition(")")[2].split()[0] not in "TtZX":
                return False
    return True


def _start(command: list[str]) -> int:
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        # What is ignored stays ignored in a new program, and that one waits for children.
        preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_DFL),  # noqa: PLW1509 - one thread
    ).pid


def _answer(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    """Serve until standard input ends."""
    # Nobody's zombies: the kernel reaps the children of who ignores this signal.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    _raise_loopback()
    process = 0
    _answer("")
    for line in sys.stdin:
        if line.strip() == "start":
            process = _start(sys.argv[1:])
        else:
            number = int(line)
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)
            while number == signal.SIGKILL and _alive(process):
                time.sleep(0.01)
            while number == signal.SIGSTOP and not _stopped(process):
                time.sleep(0.01)
        _answer(str(int(_alive(process))))


if __name__ == "__main__":
    main()
