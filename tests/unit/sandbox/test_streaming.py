"""Output is handed on as it comes; a failing receiver ends the execution with its own error."""

from __future__ import annotations

import pytest

from harnest.sandbox import SandboxRequest, SandboxResult, control
from harnest.sandbox.optional import OutputSink, OutputStream
from harnest.sandbox.runtime import ManagedSandbox
from tests.fakes.provider import ScriptedProvider, declare, until_stopped


class Streaming(ScriptedProvider):
    """Sends a text on each stream, then waits to be stopped if told so."""

    def execute_streaming(self, request: SandboxRequest, on_output: OutputSink) -> SandboxResult:
        """Stream two texts."""
        self.requests.append(request)
        on_output(OutputStream.STDOUT, "out")
        on_output("stderr", "err")  # type: ignore[arg-type]
        return until_stopped() if request.code == "wait" else SandboxResult("out", "err")


def test_texts_arrive_in_order_and_the_result_is_whole() -> None:
    """Each text comes with its stream, before the result."""
    got: list[tuple[OutputStream, str]] = []
    sandbox = ManagedSandbox(declare(Streaming()))
    result = sandbox.execute_streaming(
        sandbox.request("x"), lambda stream, text: got.append((stream, text))
    )
    assert got == [(OutputStream.STDOUT, "out"), (OutputStream.STDERR, "err")]
    assert all(type(stream) is OutputStream for stream, _ in got)
    assert (result.stdout, result.stderr) == ("out", "err")


@pytest.mark.parametrize(
    ("result", "texts"),
    [
        (SandboxResult("out", "err"), [("stdout", "out"), ("stderr", "err")]),
        (SandboxResult(), []),
    ],
)
def test_without_streaming_the_output_comes_at_the_end(
    result: SandboxResult, texts: list[tuple[str, str]]
) -> None:
    """A provider that doesn't offer it is executed, then its streams are handed on."""
    got: list[tuple[str, str]] = []
    sandbox = ManagedSandbox(declare(ScriptedProvider(lambda _: result)))
    assert (
        sandbox.execute_streaming(
            sandbox.request("x"), lambda stream, text: got.append((stream, text))
        )
        is result
    )
    assert got == texts


@pytest.mark.parametrize("kind", [BrokenPipeError, KeyboardInterrupt])
@pytest.mark.parametrize("provider", [Streaming(), ScriptedProvider(lambda _: SandboxResult("o"))])
def test_a_failing_receiver_ends_the_execution(
    provider: ScriptedProvider, kind: type[BaseException]
) -> None:
    """Its own error comes back, once; the caller's surrounding call is not cancelled by it."""
    calls = []

    def receive(stream: OutputStream, text: str) -> None:
        calls.append((stream, text))
        raise kind

    sandbox = ManagedSandbox(declare(provider))
    with control.execute(None) as scope:
        with pytest.raises(kind):
            sandbox.execute_streaming(sandbox.request("wait"), receive)
        scope.check()
    assert len(calls) == 1


def test_a_provider_that_hides_the_receivers_error_still_ends() -> None:
    """Swallowed or replaced by the provider, the receiver's error is what the caller gets."""

    class Swallowing(ScriptedProvider):
        def execute_streaming(
            self, request: SandboxRequest, on_output: OutputSink
        ) -> SandboxResult:
            for _ in range(3):
                try:
                    on_output(OutputStream.STDOUT, "x")
                except RuntimeError as error:
                    if request.code == "replace":
                        raise OSError from error
            return SandboxResult()

    def receive(*_: object) -> None:
        raise BrokenPipeError

    sandbox = ManagedSandbox(declare(Swallowing()))
    for code in ("swallow", "replace"):
        with pytest.raises(BrokenPipeError):
            sandbox.execute_streaming(sandbox.request(code), receive)
