"""One request, admitted and in its work directory: files in, program, files out, result."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnest.execution.local.capture import Capture
from harnest.execution.local.errors import LocalProgramError
from harnest.execution.local.execution import run_local
from harnest.execution.local.provider.files import collect, put, state_of_outputs
from harnest.execution.local.provider.outcome import judge

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from harnest.execution.local.execution import Ended
    from harnest.execution.local.provider.tier import LocalTier
    from harnest.sandbox import SandboxResult
    from harnest.sandbox.optional import OutputSink
    from harnest.sandbox.scope import SandboxControl

__all__ = ["Job"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What is to be done.

    Attributes:
        tier: How the program is started.
        code: The program.
        inputs: Content of the input files by checked name.
        network: Whether it has the host's network.
        output_bytes: Most bytes kept of both streams together.
    """

    tier: LocalTier
    code: str
    inputs: Mapping[str, bytes]
    network: bool
    output_bytes: int

    def run(
        self, work: Path, scope: SandboxControl, sink: OutputSink | None, *, queued_ms: float
    ) -> SandboxResult:
        """Do it.

        Args:
            work: Its work directory, held for it.
            scope: Deadline and cancellation.
            sink: Takes output as it comes; None for nobody.
            queued_ms: Milliseconds that it waited for the directory.

        Raises:
            LocalProgramError: It can't be done; the phase is named.
            SandboxCancelledError: It was cancelled; nothing of it runs.
        """
        start = time.monotonic()
        before = state_of_outputs(work)
        self._place(work)
        capture = Capture(self.output_bytes, sink)
        ended = self._ended(work, capture, scope)
        files = collect(work, before)
        times = {"queue": queued_ms, "execution": round((time.monotonic() - start) * 1000, 3)}
        outcome = judge(ended, provider=self.tier.name, cpu_seconds=self.tier.cpu_seconds)
        return outcome.result(capture, files, times)

    def _ended(self, work: Path, capture: Capture, scope: SandboxControl) -> Ended:
        program = self.tier.program(self.code, work, network=self.network)
        try:
            prepared = program.__enter__()
        except OSError as error:
            raise LocalProgramError(
                f"The program can't be prepared ({type(error).__name__}): check the memory and "
                "descriptors of this process.",
                phase="start",
            ) from None
        try:
            return run_local(prepared, group=self.tier.group(), capture=capture, scope=scope)
        finally:
            program.__exit__(None, None, None)

    def _place(self, work: Path) -> None:
        try:
            put(work, self.inputs)
        except OSError as error:
            raise LocalProgramError(
                f"The input files can't be written ({type(error).__name__}).", phase="input files"
            ) from None
