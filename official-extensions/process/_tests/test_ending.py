from __future__ import annotations

import contextvars
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from harnest_extension_process.lib.errors import ProcessSandboxError
from harnest_extension_process.lib.settings import PREFIX

from harnest.execution.local import workdir
from harnest.execution.local.supervisor.family import descendants
from harnest.sandbox import SandboxCancelledError, control
from harnest_ext.conformance.timing import Deadlines

from .conftest import FOLDER
from .support import alive, request, until

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="detached processes are contained on Linux only"
)

IGNORING = """
import signal, time, os
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
print(os.getpid(), flush=True)
{begun}
{attack}
time.sleep(600)
"""


def pids(folder: Path) -> list[int]:
    """The process ids that a program noted."""
    return [int(line) for line in folder.read_text().split()] if folder.exists() else []


def detached(note: Path, tail: str) -> str:
    """A program that leaves three detached processes, which note their ids, and goes on."""
    return textwrap.dedent(f"""
        import os, time
        note = os.open({str(note)!r}, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        for n in range(3):
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    os.write(note, b"%d\\n" % os.getpid())
                    if n == 2:
                        os.closerange(0, 3)
                    time.sleep(600)
                os._exit(0)
        for n in range(3):
            os.wait()  # those between: they would be killed and counted as well
        while len(open({str(note)!r}).read().split()) < 3:
            time.sleep(0.005)
        print("ready", flush=True)
        {tail}
    """)


def late(make: Callable[..., Any], folder: Path, program: Callable[[Path, str], str]) -> Any:
    """The result of a program that its deadline ended once it had begun what is judged.

    The program is made of a path for its notes, and a statement that tells that it has begun.
    """
    deadlines = Deadlines()
    for seconds in deadlines:
        note, mark = folder / "note", folder / "begun"
        for path in (note, mark):
            path.unlink(missing_ok=True)
        start = time.monotonic()
        code = program(note, f"open({str(mark)!r}, 'x').close()")
        result = make(timeout_seconds=seconds).execute(request(code))
        deadlines.too_short = not mark.exists()
        assert time.monotonic() - start > seconds * 0.9
    return result


def test_detached_processes_end_with_the_program(make: Callable[..., Any], tmp_path: Path) -> None:
    """A normal exit leaves nothing, though they hold the pipes and have sessions of their own."""
    result = make().execute(request(detached(tmp_path / "note", "")))
    assert (result.status.value, result.stdout) == ("succeeded", "ready\n")
    assert result.metadata["killed_processes"] == 3
    assert len(pids(tmp_path / "note")) == 3
    assert not any(alive(pid) for pid in pids(tmp_path / "note"))


def test_the_deadline_holds_whatever_detached_processes_do(
    make: Callable[..., Any], tmp_path: Path
) -> None:
    """The call returns at its deadline with the output so far, and everything is dead."""
    result = late(make, tmp_path, lambda note, begun: detached(note, f"{begun}; time.sleep(600)"))
    assert (result.status.value, result.exit_code) == ("timed_out", None)
    assert (result.stdout, result.metadata["reason"]) == ("ready\n", "deadline")
    assert not any(alive(pid) for pid in pids(tmp_path / "note"))


@pytest.mark.parametrize(
    "attack",
    [
        "",
        "os.kill(os.getppid(), signal.SIGSTOP)",
        "[os.kill(os.getppid(), n) for n in (15, 2, 1, 3, 10, 12, 14)]",
        "os.kill(os.getpid(), signal.SIGSTOP)",
    ],
    ids=["ignores signals", "suspends the supervisor", "signals it", "suspends itself"],
)
def test_no_program_outlives_its_deadline(
    make: Callable[..., Any], tmp_path: Path, attack: str
) -> None:
    """Signals that it ignores or sends don't win it time."""
    result = late(make, tmp_path, lambda _, begun: IGNORING.format(begun=begun, attack=attack))
    assert result.status.value == "timed_out"
    assert not alive(int(result.stdout))


def test_a_program_that_kills_its_supervisor_dies_and_is_reported(
    make: Callable[..., Any], tmp_path: Path
) -> None:
    """Even then nothing is left, and the outcome is no success."""
    code = detached(tmp_path / "note", "os.kill(os.getppid(), 9); time.sleep(600)")
    result = make().execute(request(code))
    assert (result.status.value, result.exit_code) == ("failed", None)
    assert result.metadata["reason"] == "supervisor_lost"
    assert until(lambda: not any(alive(pid) for pid in pids(tmp_path / "note")))


def test_cancelling_ends_a_running_program(make: Callable[..., Any], tmp_path: Path) -> None:
    """The caller's cancellation reaches it, long before its deadline."""
    provider = make()
    failures: list[BaseException] = []
    with control.execute(600) as scope:

        def run() -> None:
            try:
                provider.execute(request(detached(tmp_path / "note", "time.sleep(600)")))
            except SandboxCancelledError as error:
                failures.append(error)

        context = contextvars.copy_context()
        thread = threading.Thread(target=context.run, args=(run,))
        thread.start()
        assert until(lambda: len(pids(tmp_path / "note")) == 3)
        scope.cancelled.set()
        thread.join()
    assert len(failures) == 1
    assert not any(alive(pid) for pid in pids(tmp_path / "note"))


def test_closing_ends_what_runs_and_refuses_more(make: Callable[..., Any], tmp_path: Path) -> None:
    """A closed provider has no processes and no directories, and says that it is closed."""
    provider = make()
    failures: list[BaseException] = []

    def run() -> None:
        try:
            provider.execute(request(detached(tmp_path / "note", "time.sleep(600)")))
        except SandboxCancelledError as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    assert until(lambda: len(pids(tmp_path / "note")) == 3)
    provider.close()
    thread.join()
    assert len(failures) == 1
    assert not any(alive(pid) for pid in pids(tmp_path / "note"))
    assert not [item for item in workdir.leftovers(PREFIX) if item.pid == os.getpid()]
    with pytest.raises(ProcessSandboxError, match="closed"):
        provider.execute(request("print(1)"))
    provider.close()


HOST = """
import sys, types
package = types.ModuleType("harnest_extension_process")
package.__path__ = [{folder!r}]
sys.modules[package.__name__] = package
from harnest_extension_process.extension import process
from harnest.sandbox import SandboxRequest
process.sandbox().build().execute(SandboxRequest(code={code!r}))
"""


def test_killing_the_host_ends_the_program_and_prune_removes_the_rest(
    make: Callable[..., Any], own_place: Path, tmp_path: Path
) -> None:
    """After SIGKILL of Harnest itself nothing runs on, and its work directory can be removed."""
    code = detached(tmp_path / "note", "time.sleep(600)")
    script = HOST.format(folder=str(FOLDER), code=code)
    with subprocess.Popen(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": ":".join(sys.path), "TMPDIR": str(own_place)},
    ) as host:
        assert until(lambda: len(pids(tmp_path / "note")) == 3)
        host.send_signal(signal.SIGKILL)
        host.wait()
    assert until(lambda: not any(alive(pid) for pid in pids(tmp_path / "note")))
    provider = make()

    def kept(*kinds: str) -> set[str]:
        mine = [item for item in provider.inventory() if item.owner == f"process {host.pid}"]
        return {item.resource_id for item in mine if not kinds or item.kind in kinds}

    removed: set[str] = set()

    def gone() -> bool:  # a group can be removed once the supervisor in it has ended
        removed.update(item.resource_id for item in provider.prune().removed)
        return not kept()

    folders = kept("directory")
    assert any(name.startswith("harnest-process-") for name in folders)
    assert until(gone)
    assert folders <= removed  # groups have one place for all, and others may prune meanwhile


def test_many_calls_leave_no_descriptor_thread_process_or_folder(make: Callable[..., Any]) -> None:
    """After a hundred calls of every outcome everything is as before."""
    provider = make(max_output_bytes=1000)
    codes = ["print(1)", "1/0", "print('x' * 5000)", "import os; os.kill(os.getppid(), 9)"]

    def facts() -> tuple[int, int, int, int]:
        mine = [item for item in workdir.leftovers(PREFIX) if item.pid == os.getpid()]
        children = len(descendants(os.getpid()))
        return (
            len(list(Path("/proc/self/fd").iterdir())),
            threading.active_count(),
            len(mine),
            children,
        )

    provider.execute(request("print(1)"))
    before = facts()
    for number in range(40):
        provider.execute(request(codes[number % 4]))
    # The thread of the last call may be about to end, now as well as when it was counted.
    assert until(lambda: all(now <= then for now, then in zip(facts(), before, strict=True))), (
        before,
        facts(),
    )
