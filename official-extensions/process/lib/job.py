"""One request, admitted and in its work directory: files in, program, files out, result."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .capture import Capture
from .errors import ProcessSandboxError
from .execution import run
from .files import collect, put, state_of_outputs
from .outcome import judge
from .program import Program
from .rlimits import effective

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from harnest.sandbox import SandboxResult
    from harnest.sandbox.optional import OutputSink
    from harnest.sandbox.scope import SandboxControl

    from .cgroup import ControlGroup
    from .processes import ProcessBound
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
    bound: ProcessBound
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
        ended = run(
            self._program(work, scope),
            self.settings.variables(str(work)),
            group=self._group(),
            capture=capture,
            scope=scope,
        )
        files = collect(work, before)
        outcome = judge(
            ended.end,
            ended.cause,
            overflowed=capture.overflowed,
            cpu_seconds=self.settings.limits.cpu_seconds,
        )
        times = {"queue": queued_ms, "execution": round((time.monotonic() - start) * 1000, 3)}
        return outcome.result(capture, files, times, refused_processes=ended.refused_processes)

    def _program(self, work: Path, scope: SandboxControl) -> Program:
        return Program(
            python=self.settings.python,
            work=str(work),
            code=self.code,
            deadline=scope.deadline,
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

    def _group(self) -> ControlGroup | None:
        try:
            return self.bound.group()
        except OSError as error:
            raise ProcessSandboxError(
                f"No control group can be made any more ({type(error).__name__}).", phase="start"
            ) from None
