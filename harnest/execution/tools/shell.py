"""Running the scripts of file tools by a backend's commands, and understanding how they end."""

from __future__ import annotations

import base64
import binascii
import errno
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from harnest.execution.tools import limits, scripts
from harnest.execution.tools.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnest.execution.backend import ExecutionBackend
    from harnest.execution.result import ExecutionResult

__all__ = ["Output", "OutputLimitError", "Script", "Shell", "encoded"]

_PLAIN = re.compile(rb"[A-Za-z0-9_/]", re.DOTALL)
_OVERLAP = 64
_BROKEN_PIPE = 141


class OutputLimitError(OSError):
    """The backend keeps less output than a script writes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """What a script wrote, and whether it had to leave something out, or did not look deeper."""

    data: bytes
    incomplete: bool = False
    deep: bool = False


def encoded(data: bytes) -> str:
    """Return bytes as ASCII that ``printf`` in a script turns into them again."""
    return "".join(chr(byte) if _PLAIN.match(bytes([byte])) else f"\\{byte:03o}" for byte in data)


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """A script and what it works on.

    Attributes:
        body: Its text, without single quotes.
        arguments: Its arguments, which it decodes by ``d``.
        values: Variables set before: numbers, or text of :func:`encoded`.
        shown: The path that a message names.
    """

    body: str
    arguments: tuple[bytes, ...]
    values: Mapping[str, str | int]
    shown: str

    def command(self) -> str:
        """Return it as a command for any shell that knows words in single quotes."""
        values = "".join(f'{name}="{value}"\n' for name, value in self.values.items())
        words = " ".join(f"'{encoded(item)}'" for item in self.arguments)
        return f"exec sh -c '{values}{scripts.PLACE}{self.body}' sh {words}"


class Shell:
    """Scripts in one backend.

    Args:
        backend: What runs them, whatever its own shell is.
    """

    def __init__(self, backend: ExecutionBackend) -> None:
        self._backend = backend
        self._piece = limits.PIECE_BYTES

    async def run(
        self, script: Script, *, stdin: bytes | None = None, timeout: int | None = None
    ) -> ExecutionResult:
        """Run a script that succeeds.

        Args:
            script: What to run.
            stdin: Its input.
            timeout: Deadline in seconds; None for the backend's own.

        Raises:
            OutputLimitError: The backend kept only a part of the output.
            TimeoutError: Its deadline passed.
            OSError: It failed, for a reason that is its exit code.
        """
        result = await self._backend.execute_command(script.command(), timeout=timeout, stdin=stdin)
        _judge(result, script.shown)
        return result

    async def fetch(self, script: Script, most: int) -> Output:
        """Return all that a script writes, in as many pieces as it takes; it changes nothing.

        Args:
            script: What to run.
            most: Most bytes to get; there may be more.

        Raises:
            FileChangedError: It did not write the same each time.
            OSError: As for :meth:`run`.
        """
        data = b""
        while True:
            start = max(0, len(data) - _OVERLAP)
            result, piece = await self._slice(script, start)
            if data[start:] != piece[: len(data) - start]:
                raise Fault.CHANGED.error(script.shown)
            data = data[:start] + piece
            if len(piece) < self._piece:
                # Only now nobody stopped listening early, and what failed failed by itself.
                said = result.stderr.splitlines()
                lacking, deep = "harnest-incomplete" in said, "harnest-deep" in said
                return Output(data=data, incomplete=lacking, deep=deep)
            if len(data) >= most:
                return Output(data=data)

    async def _slice(self, script: Script, start: int) -> tuple[ExecutionResult, bytes]:
        whole = f"body() {{\n{script.body}}}\n"
        while True:
            tail = f"tail -c +{start + 1} | " if start else ""
            part = f"part() {{ {tail}head -c {self._piece}; }}\n"
            try:
                result = await self.run(replace(script, body=whole + part + scripts.SLICED))
            except OutputLimitError:
                if self._piece <= limits.PIECE_BYTES_LEAST:
                    raise
                self._piece //= 4
                continue
            return result, _decoded(result.stdout, script.shown)


def _judge(result: ExecutionResult, shown: str) -> None:
    if result.timed_out:
        raise TimeoutError(errno.ETIMEDOUT, f"{shown}: the backend's time-out ended this")
    if result.truncated:
        raise OutputLimitError(
            errno.EMSGSIZE, f"{shown}: the backend keeps too little output for file tools"
        )
    if result.memory_exceeded:
        raise OSError(errno.ENOMEM, f"{shown}: the backend's memory does not suffice for this")
    fault = Fault.of_code(result.exit_code)
    if fault is not None:
        raise fault.error(shown)
    if result.exit_code not in {0, _BROKEN_PIPE}:
        raise OSError(errno.EIO, f"{shown}: {_failure(result)}")


def _failure(result: ExecutionResult) -> str:
    last = (result.stderr.strip().splitlines() or ["no message"])[-1][:200]
    denied = f"; denied: {'; '.join(result.denials)}" if result.denials else ""
    return f"the backend's shell ended with exit code {result.exit_code}: {last}{denied}"


def _decoded(text: str, shown: str) -> bytes:
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (ValueError, binascii.Error):
        raise OSError(errno.EIO, f"{shown}: the backend's base64 wrote what is none") from None
