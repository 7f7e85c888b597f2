"""What the program tries. It is sent as text after a line that sets WANTED."""

import json
import os
import pathlib
import socket
from collections.abc import Callable

WANTED = globals()["WANTED"]


def tried(action: Callable[[], object]) -> str:
    """Return "yes", or why not."""
    try:
        action()
    except Exception as error:  # noqa: BLE001 - whatever keeps the program from it is the answer
        return "no: " + type(error).__name__
    return "yes"


def read(path: str) -> None:
    """Read a file."""
    pathlib.Path(path).read_text(encoding="utf-8")


def write(path: str) -> None:
    """Add to a file."""
    with pathlib.Path(path).open("a", encoding="utf-8") as file:
        file.write("changed\n")


def may_change(path: str) -> None:
    """Ask whether a folder can be written to; it is not tried, for where it can."""
    if not os.access(path, os.W_OK):
        raise PermissionError


def connect() -> None:
    """Connect to a listener of the host."""
    socket.create_connection(("127.0.0.1", WANTED["port"]), timeout=2).close()


def signal_agent() -> None:
    """Send the agent's process a signal that does nothing."""
    os.kill(WANTED["agent"], 0)


def read_secret() -> None:
    """Read a variable of the agent's environment."""
    os.environ[WANTED["secret"]]


print(
    json.dumps(
        {
            "writes in its work directory": tried(lambda: write("made.txt")),
            "reads any file of the host": tried(lambda: read(WANTED["private"])),
            "changes any file of the host": tried(lambda: write(WANTED["private"])),
            "reads an allowed path": tried(lambda: read(WANTED["shared"])),
            "changes an allowed path": tried(lambda: write(WANTED["shared"])),
            "may change the system": tried(lambda: may_change("/usr")),
            "connects to a listener of the host": tried(connect),
            "signals the agent's process": tried(signal_agent),
            "reads the agent's environment": tried(read_secret),
        }
    )
)
