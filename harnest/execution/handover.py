"""What a program of the sandbox contract is handed: its code and files, their names and bounds.

The name of a file is a plain relative path that means the same everywhere. The files that come back
have such names as well; one with another is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest.execution import limits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnest.sandbox import SandboxFile

__all__ = ["checked_inputs", "is_plain", "refusal_of"]


def checked_inputs(files: Sequence[SandboxFile]) -> dict[str, bytes]:
    """Return the content of input files by their names.

    Args:
        files: At most :data:`~harnest.execution.limits.INPUT_FILES` files, of
            :data:`~harnest.execution.limits.FILES_BYTES` bytes together.

    Raises:
        ValueError: A name is not plain or is used twice, a content is no base64, or they are too
            many or too large. The message is a sentence and holds no name and no content.
    """
    if len(files) > limits.INPUT_FILES:
        raise ValueError(f"There are {len(files)} input files, more than {limits.INPUT_FILES}.")
    contents: dict[str, bytes] = {}
    for number, file in enumerate(files, 1):
        if not is_plain(file.name):
            raise ValueError(
                f"The name of input file {number} must be a relative path without '.', '..', "
                f"backslash or control characters, at most {limits.FILE_NAME_BYTES} bytes and "
                f"{limits.FILE_NAME_DEPTH} components."
            )
        if any(_clash(file.name, other) for other in contents):
            raise ValueError(f"Input file {number} has the name or folder of an earlier one.")
        contents[file.name] = _content(file, number)
    size = sum(map(len, contents.values()))
    if size > limits.FILES_BYTES:
        raise ValueError(f"The input files have {size} bytes, more than {limits.FILES_BYTES}.")
    return contents


def is_plain(name: str) -> bool:
    """Return whether a name is a relative path that no system understands in another way."""
    parts = name.split("/")
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        return False
    return (
        size <= limits.FILE_NAME_BYTES
        and len(parts) <= limits.FILE_NAME_DEPTH
        and not any(part in ("", ".", "..") or len(part.encode()) > 255 for part in parts)
        and "\\" not in name
        and name.isprintable()
    )


def refusal_of(code: str) -> str:
    """Return why a program can't be delivered, or an empty text."""
    try:
        size = len(code.encode())
    except UnicodeEncodeError:
        return "the code holds a lone surrogate, which no file could hold"
    if "\0" in code:
        return "the code holds a NUL character"
    if size > limits.CODE_BYTES:
        return f"the code has {size} bytes, more than {limits.CODE_BYTES}"
    return ""


def _content(file: SandboxFile, number: int) -> bytes:
    try:
        return file.data
    except ValueError:
        raise ValueError(f"The content of input file {number} is no base64.") from None


def _clash(name: str, other: str) -> bool:
    return name == other or name.startswith(other + "/") or other.startswith(name + "/")
