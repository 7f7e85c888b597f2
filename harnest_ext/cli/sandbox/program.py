"""What ``sandbox run`` is to run: the program's text and the files that go with it."""

from __future__ import annotations

import mimetypes
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harnest.sandbox import SandboxFile
from harnest_ext import limits

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import BinaryIO

__all__ = ["input_files", "program_text"]


def program_text(code: str | None, file: str | None) -> str:
    """Return the program: from ``-c``, from a file, or from standard input.

    Args:
        code: The text after ``-c``.
        file: A path, or ``-``.

    Raises:
        click.UsageError: Not exactly one is given, or it is no usable program.
    """
    if (code is None) == (file is None):
        raise click.UsageError("Give one program: -c CODE, a FILE, or - for standard input.")
    if code is None:
        code = _read(file or "-")
    if not code.strip():
        raise click.UsageError("The program is empty.")
    return code


def input_files(paths: Sequence[Path]) -> tuple[SandboxFile, ...]:
    """Return files for the program, each under its own name without folders.

    Raises:
        click.UsageError: Two have one name, or one can't be read or is too large.
    """
    files: dict[str, SandboxFile] = {}
    for path in paths:
        if path.name in files:
            raise click.UsageError(f"Two input files are named {path.name!r}.")
        kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        files[path.name] = SandboxFile(path.name, _bytes(path), kind)
    return tuple(files.values())


def _read(file: str) -> str:
    data = _bounded(sys.stdin.buffer, "-") if file == "-" else _bytes(Path(file))
    try:
        return data.decode("utf-8-sig")  # Python, too, skips the mark that some editors put first
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{file} is not UTF-8: byte {error.start}.") from None


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return _bounded(file, str(path))
    except OSError as error:
        raise click.UsageError(f"{path} can't be read: {error.strerror}.") from None


def _bounded(file: BinaryIO, name: str) -> bytes:
    data = file.read(limits.PROGRAM_BYTES + 1)
    if len(data) > limits.PROGRAM_BYTES:
        raise click.UsageError(f"{name} has more than {limits.PROGRAM_BYTES} bytes.")
    return data
