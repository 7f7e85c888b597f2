"""Commands of our own inside of one sandbox: short, repeatable, and bounded."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from harnest.execution import BackendError

from .. import limits
from ..errors import GatewayRefusedError
from ..gateway.port import Exec, Gateway, Stream
from . import scripts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = ["Box", "Collected", "repeated"]

_T = TypeVar("_T")


def repeated(work: Callable[[], _T], pause: Callable[[float], object] = time.sleep) -> _T:
    """Return what a request comes to, repeated while the gateway is unavailable.

    Args:
        work: A request that does no harm when it is carried out twice.
        pause: Waits some seconds.

    Raises:
        GatewayRefusedError: It failed otherwise, or too often.
    """
    for attempt in range(limits.RETRIES):
        try:
            return work()
        except GatewayRefusedError as error:
            if not error.may_be_done:
                raise
            pause(limits.RETRY_SECONDS * 2**attempt)
    return work()


class Collected:
    """Takes all output of a command of our own, up to a bound.

    Args:
        most: Most bytes of both streams together.
    """

    def __init__(self, most: int) -> None:
        self._left = most
        self.data = {"stdout": bytearray(), "stderr": bytearray()}
        self.full = False

    def feed(self, stream: Stream, data: bytes) -> None:
        """Take bytes as they come."""
        self.full = self.full or len(data) > self._left
        kept = data[: self._left]
        self._left -= len(kept)
        self.data[stream] += kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """One sandbox, and how to run things in it.

    Attributes:
        gateway: Its gateway.
        name: Its name.
        work: Its work directory.
        scratch: Folder for our own files inside.
    """

    gateway: Gateway = field(repr=False)
    name: str
    work: str
    scratch: str = "/tmp"  # noqa: S108 - inside of the sandbox, and named at random below it

    def folder(self) -> str:
        """Return the path of a folder that nothing else uses; it is made at its first use."""
        return f"{self.scratch}/.harnest-{secrets.token_hex(12)}"

    def helper(
        self,
        script: str,
        *arguments: str,
        stdin: bytes = b"",
        seconds: float = limits.HELPER_SECONDS,
        most: int = limits.MIB,
    ) -> bytes:
        """Run a script of our own that may be repeated; return its output.

        Args:
            script: POSIX shell.
            arguments: Its arguments.
            stdin: Its input, at most one piece.
            seconds: Its deadline.
            most: Most bytes of output.

        Raises:
            BackendError: It failed or wrote too much.
        """
        return repeated(lambda: self._helped(script, arguments, stdin, seconds, most))

    def stage(self, folder: str, name: str, content: bytes, check: Callable[[], None]) -> None:
        """Write content of any length to numbered files inside, piece by piece.

        Args:
            folder: Folder for them.
            name: Their common name.
            content: The content.
            check: Raises when nobody waits any more.
        """
        steps = range(0, max(len(content), 1), limits.PIECE_BYTES)
        view = memoryview(content)
        pieces = (bytes(view[at : at + limits.PIECE_BYTES]) for at in steps)
        self.stage_pieces(folder, name, pieces, check)

    def stage_pieces(
        self, folder: str, name: str, pieces: Iterable[bytes], check: Callable[[], None]
    ) -> None:
        """Write pieces of content to numbered files inside, one request each.

        Args:
            folder: Folder for them.
            name: Their common name.
            pieces: The pieces, each of at most :data:`~.limits.PIECE_BYTES`.
            check: Raises when nobody waits any more.
        """
        for number, piece in enumerate(pieces):
            check()
            self.helper(scripts.STAGE, folder, f"{name}.{number:08}", stdin=piece)

    def call(self, script: str, arguments: Sequence[str], stdin: bytes, seconds: float) -> Exec:
        """Return the request for a script of our own."""
        return Exec(
            sandbox=self.name,
            command=("/bin/sh", "-c", script, "harnest", *arguments),
            stdin=stdin,
            directory="/",  # the work directory may be gone: programs can remove it
            timeout_seconds=max(1, round(seconds)),
        )

    def _helped(
        self, script: str, arguments: Sequence[str], stdin: bytes, seconds: float, most: int
    ) -> bytes:
        found = Collected(most)
        running = self.gateway.start_exec(self.call(script, arguments, stdin, seconds), seconds + 5)
        code = None
        try:
            for event in running:
                if event.stream is Stream.EXIT:
                    code = event.exit_code
                else:
                    found.feed(event.stream, event.data)
        finally:
            running.cancel()
        if code is None:
            raise GatewayRefusedError("ExecSandbox", "UNKNOWN", "the stream had no exit code")
        if code != 0 or found.full:
            said = bytes(found.data["stderr"][-500:]).decode("utf-8", "replace").strip()
            why = f"wrote more than {most} bytes" if found.full else f"ended with {code}: {said}"
            raise BackendError(f"a command of ours in the sandbox {self.name} {why}")
        return bytes(found.data["stdout"])
