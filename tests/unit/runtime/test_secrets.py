"""Secrets that lie in errors, environment, code and files come out nowhere."""

from __future__ import annotations

import asyncio
import gc
import logging
from typing import TYPE_CHECKING, Any

import pytest
from opentelemetry import trace

from harnest import context
from harnest.sandbox import SandboxFile
from harnest_ext.errors import LoadError
from tests.support.projects import SANDBOX_FILE, echo_extension, extension, installed
from tests.support.runtimes import open_runtime, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.packages import PackageSpec

SECRET = "hunter2-is-secret"
RAISING = f"raise RuntimeError('{SECRET}') from KeyError('{SECRET}')"


@pytest.fixture(autouse=True)
def records(
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[None]:
    """Whatever a test did: no log record and nothing printed holds the secret."""
    monkeypatch.setenv("TEST_API_KEY", SECRET)
    with caplog.at_level(logging.DEBUG):
        yield
    told = [str(vars(record)) + record.getMessage() for record in caplog.records]
    told += [str(record.exc_info) for record in caplog.records]
    out, err = capsys.readouterr()
    assert SECRET not in "".join([*told, out, err])


def using(project: Path, use: Callable[[], Any]) -> BaseException | None:
    """Open a project and an invocation, do something there, and return what was raised."""
    try:
        with open_runtime(project) as runtime, runtime.invocation(agent_name="assistant"):
            use()
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is looked at
        return error
    return None


STAGES = {
    "import": extension("alpha", f"    {RAISING}"),
    "start": extension("alpha", f"    async def start(self, context):\n        {RAISING}\n"),
    "stop": extension("alpha", f"    async def stop(self):\n        {RAISING}\n"),
    "context": extension("alpha", f"    def create_context(self, base):\n        {RAISING}\n"),
    "group": extension(
        "alpha",
        "    async def start(self, context):\n"
        f"        raise ExceptionGroup('{SECRET}', [ValueError('{SECRET}')])\n",
    ),
}


@pytest.mark.parametrize("spec", STAGES.values(), ids=STAGES)
def test_an_extensions_errors_tell_their_type_alone(tmp_path: Path, spec: PackageSpec) -> None:
    """In whichever stage it raises, neither text, cause nor context lead to the message."""
    error = using(installed(tmp_path, [spec]), lambda: None)
    assert isinstance(error, LoadError)
    assert error.got in {"RuntimeError", "ExceptionGroup"}
    assert SECRET not in shown(error)


BACKGROUND = f"""    async def start(self, context):
        import asyncio
        self.ends = asyncio.get_running_loop().create_future()
        asyncio.create_task(self.fail())
        self.late = asyncio.create_task(self.fail_late())
        await asyncio.sleep(0)

    async def fail(self):
        {RAISING}

    async def fail_late(self):
        try:
            await self.ends
        finally:
            {RAISING}
"""


def test_tasks_that_fail_unobserved_are_told_by_type(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """What an extension left running in the background and nobody awaits, too."""
    gc.collect()  # what other tests left is told now
    caplog.clear()
    project = installed(tmp_path, [extension("alpha", BACKGROUND)])
    assert using(project, lambda: None) is None
    gc.collect()
    told = [record for record in caplog.records if record.name == "harnest.runtime"]
    assert len(told) == 2
    assert all("RuntimeError" in record.getMessage() for record in told)


def test_a_sandbox_files_errors_tell_their_type_alone(tmp_path: Path) -> None:
    """A declaration that raises with a secret in its text does not pass it on."""
    error = using(installed(tmp_path, sandboxes={"python": RAISING}), lambda: None)
    assert isinstance(error, LoadError)
    assert SECRET not in shown(error)


def test_a_providers_errors_and_the_callers_data_are_told_nowhere(tmp_path: Path) -> None:
    """Code and files with secrets in them, and a provider that raises with them."""
    project = installed(
        tmp_path,
        [echo_extension()],
        sandboxes={"python": SANDBOX_FILE.format(name="python", timeout=60)},
    )
    file = SandboxFile(f"{SECRET}.txt", SECRET.encode(), "text/plain")

    def use() -> None:
        handle = context.sandboxes["python"]
        assert SECRET not in repr(handle)
        handle.execute(f"fail {SECRET}", input_files=[file])

    error = using(project, use)
    assert type(error).__name__ == "SandboxExecutionError"
    assert SECRET not in shown(error)  # type: ignore[arg-type]

    async def main() -> None:
        async with (
            open_runtime(project) as runtime,
            runtime.invocation(agent_name="assistant", user_id=SECRET),
        ):
            assert SECRET not in repr(context.current())
            await context.sandboxes["python"].aexecute(f"fail {SECRET}", input_files=[file])

    with pytest.raises(Exception, match="RuntimeError") as caught:
        asyncio.run(main())
    assert SECRET not in shown(caught.value)


def test_spans_hold_no_secret(tmp_path: Path) -> None:
    """What the runtime itself traces of an execution has no code, file, output or message."""
    sdk = pytest.importorskip("opentelemetry.sdk.trace")
    from opentelemetry.sdk.trace.export import (  # noqa: PLC0415 - an optional package
        SimpleSpanProcessor,
    )
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import (  # noqa: PLC0415 - the same
        InMemorySpanExporter,
    )

    exporter = InMemorySpanExporter()
    provider = sdk.TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    project = installed(
        tmp_path,
        [echo_extension()],
        sandboxes={"python": SANDBOX_FILE.format(name="python", timeout=60)},
    )
    with trace.use_span(provider.get_tracer("test").start_span("outer"), end_on_exit=True):
        for code in (f"echo {SECRET}", f"fail {SECRET}"):
            using(project, lambda code=code: context.sandboxes["python"].execute(code))  # type: ignore[misc]
    spans = [span.to_json() for span in exporter.get_finished_spans()]
    provider.shutdown()
    assert len(spans) >= 1
    assert SECRET not in "".join(spans)
