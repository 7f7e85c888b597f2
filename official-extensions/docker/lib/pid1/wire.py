"""The frames between the host and PID 1: one letter, four bytes of length, a payload."""

from __future__ import annotations

import struct

HEADER = struct.Struct(">cI")
PROGRAM_HEAD = struct.Struct(">dQII")
"""Seconds to the deadline, output budget in bytes, most output files (0: none), most bytes of them."""
FILE_HEAD = struct.Struct(">QH")
"""Size of a file in bytes and of its name."""
TASK_HEAD = struct.Struct(">dQBBQQQHH")
"""Seconds to the deadline, output budget in bytes, kind of text, whether there is input, then limits of
each process: CPU seconds, bytes of a file, bytes of address space (0: none); how many scratch folders
and how many mount points are named.

The rest are texts, parted by NUL: work directory, shell, interpreter (none: PID 1's own), text, scratch folders, mount points, and
``NAME=value`` for each variable.
"""
PYTHON = 0
SHELL = 1

# What the host says.
WELCOME = b"W"
PROGRAM = b"P"
INPUT = b"I"
CANCEL = b"C"
BEAT = b"B"
TASK = b"T"
STDIN = b"S"

# What PID 1 says.
HELLO = b"H"
STDOUT = b"O"
STDERR = b"E"
FILE = b"F"
DATA = b"D"
EXIT = b"X"

WELCOME_BYTES = 4096
"""Most bytes of the host's first word."""
PROGRAM_BYTES = (16 << 20) + PROGRAM_HEAD.size
"""Most bytes of a program frame."""
TASK_BYTES = (16 << 20) + (2 << 20)
"""Most bytes of a task frame: a program, and the texts around it."""
STDIN_BYTES = 1 << 16
"""Most bytes of one frame of input; one without any is the end of the input."""

OLD_PYTHON_STATUS = 97
"""PID 1's own exit status when the image's Python is older than 3.8."""


def pack(kind: bytes, payload: bytes = b"") -> bytes:
    """Return one frame."""
    return HEADER.pack(kind, len(payload)) + payload


def pack_facts(facts: dict[str, object]) -> bytes:
    """Return a mapping of short texts as lines ``name value``."""
    return "".join("{} {}\n".format(name, value) for name, value in facts.items()).encode()


def parse_facts(payload: bytes) -> dict[str, str]:
    """Return the mapping of :func:`pack_facts`; a line without a value is a ValueError."""
    facts = {}
    for line in payload.decode("ascii").splitlines():
        name, mark, value = line.partition(" ")
        if not mark or not name:
            raise ValueError("a fact without a value")
        facts[name] = value
    return facts
