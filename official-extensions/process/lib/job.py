"""One request, admitted and in its work directory: files in, program, files out, result."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnest.execution.local import (
    Capture,
    LocalProgram,
    LocalProgramError,
    effective,
    run_local,
)

from .errors import ProcessSandboxError
from .files import collect, put, state_of_outputs
from .outcome import judge

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from harnest.execution.local import ProgramBounds
    from harnest.sandbox import SandboxResult
    from harnest.sandbox.optional import OutputSink
    from harnest.sandbox.scope import SandboxControl

    from .settings import ProcessSettings

__all__ = ["Job"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What is to be done.

    Attributes:
        settings: The declaration.
        bound: Its bound on processes.
        code: The program.
        inputs: Content of the input files by checked name.
        isolate_network: Whether it gets no network.
    """

    settings: ProcessSettings
    bound: ProgramBounds
    code: str
    inputs: Mapping[str, bytes]
    isolate_network: bool

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
            ProcessSandboxError: It can't be done; the phase is named.
            SandboxCancelledError: It was cancelled; nothing of it runs.
        """
        start = time.monotonic()
        before = state_of_outputs(work)
        self._place(work)
        capture = Capture(self.settings.max_output_bytes, sink)
        try:
            ended = run_local(
                self._program(work), group=self.bound.group(), capture=capture, scope=scope
            )
        except LocalProgramError as error:
            raise ProcessSandboxError(error.reason, phase=error.phase) from None
        files = collect(work, before)
        outcome = judge(ended, cpu_seconds=self.settings.limits.cpu_seconds)
        times = {"queue": queued_ms, "execution": round((time.monotonic() - start) * 1000, 3)}
        return outcome.result(capture, files, times, refused_processes=ended.refused_processes)

    def _program(self, work: Path) -> LocalProgram:
        return LocalProgram(
            python=self.settings.python,
            work=str(work),
            code=self.code,
            environment=self.settings.variables(str(work)),
            limits=effective(self.settings.limits.named() | self.bound.named()),
            isolate_network=self.isolate_network,
        )

    def _place(self, work: Path) -> None:
        try:
            put(work, self.inputs)
        except OSError as error:
            raise ProcessSandboxError(
                f"The input files can't be written ({type(error).__name__}).", phase="input files"
            ) from None
