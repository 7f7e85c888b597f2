"""Bytes handed to a program as a descriptor that nobody can write to.

A file in a place that programs can write to could be replaced, by a link to elsewhere say, before
or after it is used. What is handed on here has no name.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["sealed"]


@contextlib.contextmanager
def sealed(data: bytes | None) -> Iterator[int]:
    """Hold a descriptor from which ``data`` can be read; at its end it is closed.

    Args:
        data: The content; None for the null device.

    Raises:
        OSError: There is no room for it.
    """
    descriptor = _opened(data)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _opened(data: bytes | None) -> int:
    if data is None:
        return os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    if hasattr(fcntl, "F_ADD_SEALS"):
        return _in_memory(data)
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        return os.open(file.name, os.O_RDONLY | os.O_CLOEXEC)


def _in_memory(data: bytes) -> int:
    writable = os.memfd_create("harnest", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        with os.fdopen(os.dup(writable), "wb") as file:
            file.write(data)
        seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
        fcntl.fcntl(writable, fcntl.F_ADD_SEALS, seals)
        # Opened anew: a place to read at of its own, and no way to write.
        return os.open(f"/proc/self/fd/{writable}", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(writable)
