"""One program in one fresh container: its output, its outcome, its end, and nothing left of it."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from conftest import (
    AMPLE,
    FOREVER,
    Box,
    command,
    meta,
    open_descriptors,
    ours,
    patiently,
    until,
)
from harnest.sandbox import (
    SandboxCancelledError,
    SandboxFile,
    SandboxInputFilesUnsupportedError,
    SandboxNetworkPolicy,
    SandboxPolicyUnsupportedError,
    SandboxRequest,
    SandboxResult,
    SandboxStatus,
    control,
)
from harnest.sandbox.errors import SandboxClosedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnest.sandbox.optional import OutputStream

pytestmark = pytest.mark.docker
MIB = 1 << 20


def plain(code: str) -> subprocess.CompletedProcess[str]:
    """Run *code* as this host's ``python3 -c`` does."""
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    "code",
    [
        "print(40 * 10)",
        "import sys; print('out'); print('err', file=sys.stderr)",
        "import sys; sys.exit()",
        "import sys; sys.exit(7)",
        "import sys; sys.exit(300)",
        "import sys; sys.exit('a reason')",
        "raise SystemExit(True)",
        "def f():\n    raise ValueError('what')\nf()",
        "1 +",
        "input()",
        "print(__name__, __builtins__.__name__, 'f' in globals(), __spec__, __doc__, __loader__)",
        "import os; os._exit(124)",
        "import os; os._exit(137)",
        "import atexit; atexit.register(print, 'at the end'); print('first')",
        "import threading, time\nthreading.Thread(target=lambda: (time.sleep(.1), print('thread'))).start()",
        "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start(); print('x')",
        "import sys; sys.stdout.write('no newline')",
        "import sys; sys.argv.append('x'); print(sys.argv)",
        "raise KeyboardInterrupt",
    ],
)
def test_a_program_behaves_as_with_python_c(python: Box, code: str) -> None:
    """Output, traceback and exit status are those that ``python3 -c`` gives."""
    expected = plain(code)
    result = python.run(code)
    status = expected.returncode if expected.returncode >= 0 else 128 - expected.returncode
    assert result.stdout == expected.stdout
    assert result.exit_code == status
    assert (result.status is SandboxStatus.SUCCEEDED) == (status == 0)
    if "1 +" not in code:
        # Later Pythons than the image's underline more in a traceback.
        assert result.stderr.splitlines()[-1:] == expected.stderr.splitlines()[-1:]
        assert "harnest" not in result.stderr


def test_the_interpreter_is_isolated_and_the_working_directory_comes_last(python: Box) -> None:
    """``-I`` holds, the directory is /tmp, and it is the last place that modules come from."""
    facts = python.facts(
        "import json, os, sys\n"
        "print(json.dumps([sys.flags.isolated, os.getcwd(), sys.path[-1], sys.stdout.encoding]))"
    )
    assert facts == [1, "/tmp", "/tmp", "utf-8"]


def test_a_program_of_five_megabytes_runs(python: Box) -> None:
    """A program may be far larger than any argument of a command line."""
    result = python.run(f"x = '{'a' * 5_000_000}'\nprint(len(x))")
    assert result.stdout == "5000000\n"


@pytest.mark.parametrize(
    ("code", "reason"),
    [("x = 1\0", "NUL"), ("x = '\ud800'", "surrogate"), ("#" * (16 * MIB + 1), "16 MiB")],
)
def test_what_cannot_be_a_program_is_a_failed_result(python: Box, code: str, reason: str) -> None:
    """NUL, lone surrogates and too much code fail at once, without a container."""
    result = python.run(code)
    assert (result.status, result.exit_code) == (SandboxStatus.FAILED, None)
    assert meta(result)["reason"] == "invalid_code"
    assert reason in result.stderr
    assert "topology" not in meta(result)


def test_fifty_megabytes_come_whole_within_the_budget(box: Callable[..., Box]) -> None:
    """Output within the budget is complete, byte for byte."""
    large = box(max_output_bytes=50 * MIB)
    result = large.run("import sys\nfor n in range(800): sys.stdout.write(f'{n:08}' * 8192)")
    assert result.status is SandboxStatus.SUCCEEDED
    assert result.stdout == "".join(f"{n:08}" * 8192 for n in range(800))


def test_output_over_the_budget_is_cut_and_the_rest_counted(box: Callable[..., Box]) -> None:
    """The bound is on both streams together; what came before it is kept."""
    small = box(max_output_bytes=1000)
    result = small.run(
        "import os\nos.write(2, b'e' * 600)\nos.write(1, b'o' * 450)\nimport time; time.sleep(60)"
    )
    assert result.status is SandboxStatus.OUTPUT_LIMIT_EXCEEDED
    assert len(result.stdout) + len(result.stderr) == 1000
    assert result.stdout.strip("o") == result.stderr.strip("e") == ""
    assert result.exit_code is None
    dropped = meta(result)["truncated"]
    assert sum(dropped.values()) == 50
    assert meta(result)["reason"] == "output_limit"


def test_characters_are_never_cut(python: Box) -> None:
    """Characters of two to four bytes come whole, whatever pieces they are written in."""
    result = python.run(
        "import os\n"
        "for byte in ('é€😀' * 50).encode(): os.write(1, bytes([byte]))\n"
        "os.write(1, b'\\xff\\xe2\\x82')"
    )
    assert result.stdout == "é€😀" * 50 + "\ufffd\ufffd"


def test_the_deadline_ends_the_program_and_keeps_its_output(python: Box) -> None:
    """At the deadline everything is dead, what was written is kept, and the call comes back."""
    result = python.overdue(
        "import os, signal, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "parent = os.getpid()\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    os.kill(parent, signal.SIGSTOP)\n"
        "    print('before', flush=True)\n"
        "os.kill(1, signal.SIGSTOP)\n"
        "time.sleep(600)"
    )
    assert result.stdout == "before\n"
    assert until(lambda: ours() == [])


def test_an_unread_flood_does_not_defeat_the_deadline(box: Callable[..., Box]) -> None:
    """A program that writes while nobody reads still ends at its deadline."""
    flooded = box(max_output_bytes=1 << 30)
    heard: list[str] = []

    def slow(_stream: object, text: str) -> None:
        heard.append(text)
        time.sleep(0.3)  # the reading of it all would take an hour

    def attempt(seconds: int) -> SandboxResult:
        heard.clear()
        request = SandboxRequest(
            code="import sys\nwhile True: sys.stdout.write('x' * 65536)", timeout_seconds=seconds
        )
        started = time.monotonic()
        result = flooded.provider.execute_streaming(request, slow)
        assert time.monotonic() - started < seconds + AMPLE
        return result

    result = patiently(attempt, lambda _: len(heard) > 1)
    assert result.status is SandboxStatus.TIMED_OUT
    assert result.stdout.startswith("".join(heard))
    assert result.stdout.startswith("xxx")


def test_children_in_sessions_of_their_own_die_with_the_program(python: Box) -> None:
    """A double fork with setsid holds neither the pipes nor the call."""
    result = python.run(
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0: time.sleep(600)\n"
        "    time.sleep(600)\n"
        "print('parent')"
    )
    assert (result.stdout, result.exit_code) == ("parent\n", 0)


@pytest.mark.parametrize(
    ("code", "exit_code", "reason"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", 139, "signal"),
        ("import os; os.kill(os.getpid(), 9)", 137, "signal"),
        ("x = bytearray(1 << 30)", 137, "out_of_memory"),
        ("import sys; sys.exit(137)", 137, None),
        ("import sys; sys.exit(124)", 124, None),
        ("import os\nos.kill(-1, 9)", 1, None),
    ],
)
def test_a_failure_has_the_reason_of_the_evidence(
    python: Box, code: str, exit_code: int, reason: str | None
) -> None:
    """A signal, the memory limit and an authored status are told apart by what the kernel counted."""
    result = python.run(code)
    assert (result.status, result.exit_code) == (SandboxStatus.FAILED, exit_code)
    assert meta(result).get("reason") == reason


def test_a_killed_grandchild_is_a_note(python: Box) -> None:
    """A child that the kernel kills for memory does not decide the outcome of a program that goes on."""
    result = python.run(
        "import os\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    x = bytearray(1 << 30)\n"
        "print(os.waitpid(child, 0)[1])"
    )
    assert (result.status, result.stdout) == (SandboxStatus.SUCCEEDED, "9\n")
    assert meta(result)["oom_killed_processes"] == 1
    assert "reason" not in meta(result)


def test_refused_forks_are_the_reason_of_a_failure(box: Callable[..., Box]) -> None:
    """A program that fails at the limit of processes fails for that reason."""
    result = box().run(
        "import os\nwhile True:\n    if os.fork() == 0:\n        import time; time.sleep(60)"
    )
    assert result.exit_code == 1
    assert meta(result)["reason"] == "pids_limit"
    assert meta(result)["refused_forks"] >= 1


def test_a_cancelled_call_leaves_nothing(box: Callable[..., Box]) -> None:
    """Cancelling ends the program and removes its container before the call ends."""
    with box().held() as held:
        held.cancel()
    assert isinstance(held.outcome, SandboxCancelledError)
    assert ours() == []


def test_queued_work_that_is_cancelled_never_runs(box: Callable[..., Box]) -> None:
    """A call that is cancelled in the queue makes no container."""
    one = box(max_concurrency=1)
    with one.held(), control.execute(600) as scope:
        cancelling = threading.Thread(
            target=lambda: until(lambda: one.queued == 1) and scope.cancelled.set()
        )
        cancelling.start()
        with pytest.raises(SandboxCancelledError):
            one.run("print('never')")
        cancelling.join()
        assert len(ours()) == 1


def test_the_queue_counts_against_the_deadline(box: Callable[..., Box]) -> None:
    """A call whose deadline passes in the queue is timed out in the phase ``queue``."""
    one = box(max_concurrency=1)
    with one.held():
        result = one.run("print('late')", timeout_seconds=1)
        assert len(ours()) == 1
    assert (result.status, meta(result)["phase"]) == (SandboxStatus.TIMED_OUT, "queue")


def test_output_comes_while_the_program_runs(python: Box) -> None:
    """Each piece of output is handed on before the next one is written, and joined is the result."""
    pieces: list[tuple[str, str]] = []

    def receive(stream: OutputStream, text: str) -> None:
        pieces.append((stream.value, text))
        if text == "one\n":
            # The container may be gone, and this command with it, as soon as the program saw the file.
            tell = ["docker", "exec", *ours(), "python3", "-c", "open('/tmp/heard', 'w')"]
            subprocess.run(tell, capture_output=True, timeout=120, check=False)

    result = python.provider.execute_streaming(
        SandboxRequest(
            code="import os, sys, time\nprint('one', flush=True)\n"
            "while not os.path.exists('/tmp/heard'): time.sleep(.01)\n"
            "print('two', file=sys.stderr)"
        ),
        receive,
    )
    assert pieces == [("stdout", "one\n"), ("stderr", "two\n")]
    assert (result.stdout, result.stderr) == ("one\n", "two\n")


def test_a_receiver_that_fails_ends_the_program(box: Callable[..., Box]) -> None:
    """An error of the caller's own receiver comes to the caller, and nothing is left."""
    one = box()

    def receive(*_: object) -> None:
        raise LookupError("the caller's own")

    with pytest.raises(LookupError):
        one.provider.execute_streaming(SandboxRequest(code=FOREVER), receive)
    assert ours() == []


def test_a_cancelled_task_ends_its_program(box: Callable[..., Box]) -> None:
    """``aexecute`` runs beside the event loop; cancelling the task leaves nothing."""
    one = box()

    async def both() -> list[str]:
        results = await asyncio.gather(
            *(one.provider.aexecute(SandboxRequest(code=f"print({n})")) for n in range(2))
        )
        task = asyncio.create_task(one.provider.aexecute(SandboxRequest(code=FOREVER)))
        while not ours():  # noqa: ASYNC110 - the call's doing
            await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return [result.stdout for result in results]

    assert asyncio.run(both()) == ["0\n", "1\n"]
    assert ours() == []


def test_calls_run_at_the_same_time(box: Callable[..., Box]) -> None:
    """Calls of no identity do not wait for each other."""
    one = box(max_concurrency=4)
    one.run("print(1)")
    before = open_descriptors()
    together = threading.Barrier(3)

    def run(number: int) -> str:
        # Each program's output is taken when all three have written theirs.
        request = SandboxRequest(code=f"print({number})")
        return one.provider.execute_streaming(request, lambda *_: together.wait(AMPLE)).stdout

    with ThreadPoolExecutor(3) as threads:
        assert list(threads.map(run, range(3))) == ["0\n", "1\n", "2\n"]
    assert open_descriptors() == before


def test_input_files_are_refused_unless_turned_on(python: Box) -> None:
    """Without ``files=`` a request with files is refused before anything is made."""
    file = SandboxFile("a.txt", b"a")
    with pytest.raises(SandboxInputFilesUnsupportedError):
        python.run("print(1)", input_files=(file,))


def test_another_policy_than_the_declared_one_is_refused(python: Box) -> None:
    """A request cannot widen what was declared."""
    with pytest.raises(SandboxPolicyUnsupportedError):
        python.run("print(1)", network_policy=SandboxNetworkPolicy.unrestricted())


def test_a_closed_provider_runs_nothing(box: Callable[..., Box]) -> None:
    """After ``close`` a call is refused; closing again changes nothing."""
    one = box()
    assert one.run("print(1)").stdout == "1\n"
    one.close()
    one.close()
    with pytest.raises(SandboxClosedError):
        one.run("print(1)")


def test_closing_ends_running_calls_within_its_bound(box: Callable[..., Box]) -> None:
    """``close`` waits a bounded time, then cancels what still runs and removes it."""
    one = box()
    with one.held() as held:
        started = time.monotonic()
        one.close()
        assert time.monotonic() - started < AMPLE
        held.wait()
    assert isinstance(held.outcome, SandboxCancelledError)
    assert ours() == []


def test_a_forgetful_program_is_cleaned_up_at_its_exit(daemon: None) -> None:
    """A process that never closes its provider leaves nothing when it exits."""
    code = (
        "import os\n"
        "from harnest.extensions.docker import docker, DockerScope\n"
        "from harnest.sandbox import SandboxContext, SandboxRequest\n"
        "box = docker.sandbox(image='harnest-test/python', scope=DockerScope.SESSION, warm=1).build()\n"
        "who = SandboxContext(agent_name='a', user_id='u', session_id='s')\n"
        "print(os.getpid(), box.execute(SandboxRequest(code='print(1)', context=who)).stdout, end='')\n"
    )
    done = plain(code)
    assert done.returncode == 0, done.stderr
    pid, said = done.stdout.split()
    assert said == "1"
    assert ours(int(pid)) == []


def test_a_forked_child_takes_nothing_from_its_parent(box: Callable[..., Box]) -> None:
    """A child that exits does not remove or hold what its parent retains."""
    from harnest.extensions.docker import DockerScope  # noqa: PLC0415 - beside the one test

    code = (
        "import os, sys, subprocess\n"
        "from harnest.extensions.docker import docker, DockerScope\n"
        "from harnest.sandbox import SandboxContext, SandboxRequest\n"
        "box = docker.sandbox(image='harnest-test/python', scope=DockerScope.SESSION).build()\n"
        "who = SandboxContext(agent_name='a', user_id='u', session_id='s')\n"
        'box.execute(SandboxRequest(code=\'open("/tmp/kept", "w").write("kept")\', context=who))\n'
        "child = os.fork()\n"
        "if child == 0: sys.exit(0)\n"
        "os.waitpid(child, 0)\n"
        "print(box.execute(SandboxRequest(code='print(open(\"/tmp/kept\").read())', context=who)).stdout)\n"
    )
    assert DockerScope.SESSION.retained
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.strip() == "kept", done.stderr


def test_every_container_carries_its_owner(python: Box) -> None:
    """Labels say what a container is and which process it belongs to; its name holds its number."""
    seen: list[dict[str, Any]] = []

    def look(*_: object) -> None:
        seen.extend(json.loads(command("inspect", identifier))[0] for identifier in ours())

    python.provider.execute_streaming(SandboxRequest(code="print('on')"), look)
    (container,) = seen
    labels = container["Config"]["Labels"]
    assert labels["dev.harnest.managed"] == "true"
    assert labels["dev.harnest.extension"] == "docker"
    assert labels["dev.harnest.resource"] == "primary"
    assert labels["dev.harnest.lease"] == "60"
    assert container["Name"] == f"/harnest-u{container['Config']['User'].split(':')[0]}"
