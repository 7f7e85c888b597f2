"""Output handed on as it comes, with the caller's own errors kept apart from the provider's."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from harnest.sandbox.optional import OutputSink, OutputStream, SandboxStreamingProvider
from harnest.sandbox.outcome import settled
from harnest.sandbox.request import SandboxRequest
from harnest.sandbox.result import SandboxResult
from harnest.sandbox.scope import SandboxControl, ScopeEndedError

__all__ = ["GuardedSink"]


class GuardedSink:
    """Passes output on until the caller's sink fails; then it ends the execution.

    Args:
        sink: The caller's sink.

    Attributes:
        error: What the sink raised, None while it works.
    """

    def __init__(self, sink: OutputSink) -> None:
        self._sink = sink
        self.error: BaseException | None = None

    def run(self, provider: Any, request: SandboxRequest, scope: SandboxControl) -> SandboxResult:
        """Execute, streaming if the provider offers it, else with the output at the end.

        Args:
            provider: The provider.
            request: What it runs.
            scope: Scope of the execution; a failing sink ends it.
        """

        def receive(stream: OutputStream, text: str) -> None:
            self._receive(stream, text, scope)

        if isinstance(provider, SandboxStreamingProvider):
            return provider.execute_streaming(request, receive)
        result = settled(provider.execute(request))
        for stream, text in _streams(result):
            receive(stream, text)
        return result

    def _receive(self, stream: OutputStream, text: str, scope: SandboxControl) -> None:
        if self.error is None:
            handled = sys.exception()
            try:
                self._sink(OutputStream(stream), text)
            except BaseException as error:  # noqa: BLE001 - the caller's own; raised to it at the end
                self.error = _without(error, handled)
        if self.error is not None:
            scope.abandon()
            raise ScopeEndedError("the receiver of the output has failed")


def _without(error: BaseException, handled: BaseException | None) -> BaseException:
    # A provider may hand on output while it handles an error of its own, which Python then chains.
    step: BaseException | None = error
    while step is not None and handled is not None:
        if step.__context__ is handled:
            step.__context__ = None
        step = step.__context__
    return error


def _streams(result: SandboxResult) -> Iterator[tuple[OutputStream, str]]:
    if result.stdout:
        yield OutputStream.STDOUT, result.stdout
    if result.stderr:
        yield OutputStream.STDERR, result.stderr
