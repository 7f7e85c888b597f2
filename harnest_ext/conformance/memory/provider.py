"""A provider for tests: programs run in memory, or are answered by the test; no process, no Docker.

It keeps the whole contract - outcomes, deadlines, cancellation, output budgets, scopes, files - as
the provider suite demands, and starts in microseconds. A program is Python that is run by a thread
of this process with stand-ins for what would reach the host. **It is no isolation of any kind.**
"""

from __future__ import annotations

import contextlib
import os
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakSet

from harnest.sandbox import (
    SandboxCancelledError,
    SandboxExecutionError,
    SandboxFile,
    SandboxNetworkMode,
    SandboxProviderCapabilities,
    SandboxResult,
    SandboxStatus,
    control,
)
from harnest.sandbox.optional import (
    DiagnosisState,
    OutputStream,
    SandboxDiagnosis,
    SandboxPruneReport,
    SandboxResource,
)
from harnest_ext import limits
from harnest_ext.conformance.memory.capture import MemoryOutput
from harnest_ext.conformance.memory.files import MemoryFiles
from harnest_ext.conformance.memory.program import MemoryProgram

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harnest.sandbox import SandboxContext, SandboxRequest
    from harnest.sandbox.optional import OutputSink
    from harnest.sandbox.scope import SandboxControl

__all__ = ["MemoryProvider"]

_PARTS: Final = {
    "execution": (),
    "invocation": ("agent_name", "user_id", "session_id", "invocation_id"),
    "session": ("agent_name", "user_id", "session_id"),
}
_OUTPUTS: Final = "outputs/"
_ALL: WeakSet[MemoryProvider] = WeakSet()


@dataclass(slots=True, eq=False)
class _Scratch:
    files: MemoryFiles = field(default_factory=MemoryFiles)
    lock: threading.Lock = field(default_factory=threading.Lock)


class MemoryProvider:
    """Runs programs in memory.

    Args:
        scope: ``execution``, ``invocation`` or ``session``: how long a program's files are kept.
        max_output_bytes: Budget of both output streams together.
        answers: Results by code: such a program is not run, it is answered.

    Attributes:
        requests: Every request that arrived, in order.

    Raises:
        ValueError: There is no such scope.
    """

    def __init__(
        self,
        *,
        scope: str = "execution",
        max_output_bytes: int = limits.MEMORY_OUTPUT_BYTES,
        answers: Mapping[str, SandboxResult] | None = None,
    ) -> None:
        if scope not in _PARTS:
            raise ValueError(f"scope must be one of {', '.join(_PARTS)}")
        self.sandbox_capabilities = SandboxProviderCapabilities(
            network_modes=frozenset({SandboxNetworkMode.NONE})
        )
        self.requests: list[SandboxRequest] = []
        self._scope = scope
        self._budget = max_output_bytes
        self._answers = dict(answers or {})
        self._kept: dict[tuple[str, ...], _Scratch] = {}
        self._guard = threading.Lock()
        self._running: set[SandboxControl] = set()
        self._closed = False
        _ALL.add(self)

    def execute(self, request: SandboxRequest) -> SandboxResult:
        """Run or answer a program.

        Raises:
            SandboxCancelledError: The call was cancelled, or the provider closed.
            SandboxExecutionError: The provider is closed, or an input file is not usable.
            SandboxPolicyUnsupportedError: Another policy than ``none()`` is asked for.
            ValueError: The scope needs an identity that the request lacks.
        """
        return self._execute(request, None)

    def execute_streaming(self, request: SandboxRequest, on_output: OutputSink) -> SandboxResult:
        """Do the same, handing on output while the program runs."""
        return self._execute(request, on_output)

    def inventory(self) -> tuple[SandboxResource, ...]:
        """Return the scratch directories that providers of this process keep."""
        return tuple(resource for each in sorted(_ALL, key=id) for resource in each.kept())

    def kept(self) -> tuple[SandboxResource, ...]:
        """Return the scratch directories that this provider keeps."""
        owner = f"process {os.getpid()}"
        return tuple(
            SandboxResource(
                kind="files", resource_id=f"{id(self):x}-{number}", owner=owner, owner_alive=True
            )
            for number, _ in enumerate(self._kept)
        )

    def prune(self) -> SandboxPruneReport:
        """Remove nothing: memory does not outlive its owner."""
        return SandboxPruneReport()

    def diagnose(self) -> tuple[SandboxDiagnosis, ...]:
        """Say that this isolates nothing."""
        detail = "Programs run in a thread of this process; for tests only."
        return (
            SandboxDiagnosis(name="isolation", state=DiagnosisState.UNAVAILABLE, detail=detail),
        )

    def close(self) -> None:
        """End what runs and forget every file; may be called again."""
        with self._guard:
            self._closed = True
            for scope in self._running:
                scope.cancelled.set()
            self._kept.clear()

    def _execute(self, request: SandboxRequest, sink: OutputSink | None) -> SandboxResult:
        if request.network_policy is not None:
            self.sandbox_capabilities.require(request.network_policy)
        key = self._key(request.context)
        inputs = _inputs(request.input_files)
        self.requests.append(request)
        if "\0" in request.code or not _encodes(request.code):
            return SandboxResult(
                status=SandboxStatus.FAILED,
                metadata=_metadata("configuration", "invalid_code"),
            )
        with self._admitted(request) as scope:
            scope.check()
            scratch = self._scratch(key)
            try:
                with scope.acquire(scratch.lock):
                    return self._run(request, scratch.files, inputs, scope, sink)
            except TimeoutError:
                metadata = _metadata("queue", "deadline")
                return SandboxResult(status=SandboxStatus.TIMED_OUT, metadata=metadata)

    def _run(
        self,
        request: SandboxRequest,
        files: MemoryFiles,
        inputs: Mapping[str, bytes],
        scope: SandboxControl,
        sink: OutputSink | None,
    ) -> SandboxResult:
        if request.code in self._answers:
            return self._answers[request.code]
        files.contents.update(inputs)
        before = dict(files.contents)
        output = MemoryOutput(self._budget, sink)
        program = MemoryProgram(request.code, files, output)
        timed_out = _watch(program, scope)
        if output.sink_error is not None:
            raise output.sink_error
        changed = {n: d for n, d in files.contents.items() if before.get(n) != d}
        return _result(program, output, changed, timed_out=timed_out)

    @contextlib.contextmanager
    def _admitted(self, request: SandboxRequest) -> Iterator[SandboxControl]:
        with control.execute(request.timeout_seconds) as scope:
            with self._guard:
                if self._closed:
                    raise SandboxExecutionError("the memory sandbox is closed")
                self._running.add(scope)
            try:
                yield scope
            finally:
                with self._guard:
                    self._running.discard(scope)

    def _key(self, context: SandboxContext) -> tuple[str, ...]:
        parts = [getattr(context, name) for name in _PARTS[self._scope]]
        if not all(parts):
            raise ValueError(f"scope {self._scope!r} needs a whole identity")
        return tuple(parts)

    def _scratch(self, key: tuple[str, ...]) -> _Scratch:
        if not key:
            return _Scratch()
        with self._guard:
            return self._kept.setdefault(key, _Scratch())


def _watch(program: MemoryProgram, scope: SandboxControl) -> bool:
    """Let a program run; return whether its deadline ended it."""
    program.start()
    try:
        while not program.over.wait(limits.MEMORY_POLL_SECONDS):
            scope.check()
    except TimeoutError:
        program.end(limits.MEMORY_END_SECONDS)
        return True
    except SandboxCancelledError:
        program.end(limits.MEMORY_END_SECONDS)
        raise
    program.join()
    return False


def _result(
    program: MemoryProgram, output: MemoryOutput, changed: Mapping[str, bytes], *, timed_out: bool
) -> SandboxResult:
    if output.overflowed:
        status, reason, code = SandboxStatus.OUTPUT_LIMIT_EXCEEDED, "output_limit", None
    elif timed_out:
        status, reason, code = SandboxStatus.TIMED_OUT, "deadline", None
    else:
        code = program.exit_code
        status, reason = (SandboxStatus.FAILED if code else SandboxStatus.SUCCEEDED), ""
    metadata = _metadata("execution", reason)
    metadata["truncated"] = {s.value: n for s, n in output.dropped.items() if n}
    return SandboxResult(
        stdout=output.text(OutputStream.STDOUT),
        stderr=output.text(OutputStream.STDERR),
        output_files=tuple(
            SandboxFile(name.removeprefix(_OUTPUTS), data, "application/octet-stream")
            for name, data in sorted(changed.items())
            if name.startswith(_OUTPUTS)
        ),
        metadata=metadata,
        status=status,
        exit_code=code,
    )


def _metadata(phase: str, reason: str) -> dict[str, Any]:
    metadata: dict[str, Any] = {"provider": "memory", "phase": phase, "truncated": {}}
    return metadata | {"reason": reason} if reason else metadata


def _inputs(files: tuple[SandboxFile, ...]) -> dict[str, bytes]:
    contents: dict[str, bytes] = {}
    for number, file in enumerate(files, 1):
        if any(part in ("", ".", "..") for part in file.name.split("/")):
            raise SandboxExecutionError(f"input file {number} has no plain relative name")
        contents[file.name] = file.data
    return contents


def _encodes(code: str) -> bool:
    try:
        code.encode()
    except UnicodeEncodeError:
        return False
    return True
