"""Commands and programs of a backend, in a real container behind a local gateway."""

from __future__ import annotations

import asyncio
import hashlib
import time
from typing import TYPE_CHECKING, Any

import pytest
from support import overdue, until

from harnest.execution import (
    BackendError,
    DescribedBackend,
    ExecutionBackend,
    HookEvent,
    HookManager,
    OwnedBackend,
    WorkspaceClosedError,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from gateway.server import LocalGateway
    from harnest_extension_openshell.extension import OpenShellBackend

pytestmark = pytest.mark.docker

MIB = 1 << 20
LOOK = (
    "for file in /proc/[0-9]*/cmdline; do grep -qs HARNEST_RUN $file || cat $file; done"
    " 2>/dev/null | tr '\\0' ' '"
)
LISTING = ["sh", "-c", LOOK]
"""Prints what runs inside, without the script of ours that has a command among its arguments."""


def using(backend: OpenShellBackend, work: Callable[[OpenShellBackend], Awaitable[Any]]) -> Any:
    """Return what some work with an open backend comes to."""

    async def main() -> Any:
        async with backend:
            return await work(backend)

    return asyncio.run(main())


def test_a_backend_is_what_tools_look_for(backend: Callable[..., OpenShellBackend]) -> None:
    """It is an owned, described backend whose file tools work inside."""
    made = backend()
    assert isinstance(made, ExecutionBackend)
    assert isinstance(made, OwnedBackend)
    assert isinstance(made, DescribedBackend)
    assert (made.tier, made.agent_owned, made.owns_filesystem) == ("openshell", True, True)
    assert (made.timeout_seconds, made.shell) == (120, "/bin/sh")


def test_commands_and_programs_run_as_the_policys_user(
    backend: Callable[..., OpenShellBackend],
) -> None:
    """Streams, exit code, work directory and user are those of the sandbox."""

    async def work(opened: OpenShellBackend) -> None:
        result = await opened.execute_command("pwd; id -un; echo wrong >&2; exit 7")
        assert (result.stdout, result.stderr) == ("/sandbox\nsandbox\n", "wrong\n")
        assert (result.exit_code, result.timed_out, result.succeeded) == (7, False, False)
        result = await opened.execute("import sys\nprint(repr(sys.stdin.read()), __name__)")
        assert (result.stdout, result.exit_code) == ("'' __main__\n", 0)
        result = await opened.execute("raise ValueError('mine')")
        assert result.stderr.splitlines()[-1] == "ValueError: mine"
        result = await opened.execute_command("kill -9 $$")
        assert (result.stderr, result.exit_code) == ("", 137)
        assert "exec(compile" not in result.stderr

    using(backend(), work)


def test_input_of_any_size_arrives_whole(backend: Callable[..., OpenShellBackend]) -> None:
    """Input beyond one message goes in pieces; without input a command reads the end at once."""
    data = bytes(range(256)) * (12 * 1024)  # 3 MiB

    async def work(opened: OpenShellBackend) -> None:
        for size in (0, 1, 512 * 1024, 512 * 1024 + 1, len(data)):
            result = await opened.execute_command("sha256sum", stdin=data[:size])
            assert result.stdout.split()[0] == hashlib.sha256(data[:size]).hexdigest()
        result = await opened.execute_command("cat; echo end")
        assert result.stdout == "end\n"
        left = await opened.execute_command("ls -A /tmp")
        assert len(left.stdout.split()) == 1  # its own

    using(backend(), work)


def test_long_commands_and_programs_are_not_arguments(
    backend: Callable[..., OpenShellBackend],
) -> None:
    """Beyond the 32 KiB of an argument a command is sent as a file, a program as input."""
    filler = "é" * 50_000  # 100,000 bytes

    async def work(opened: OpenShellBackend) -> None:
        result = await opened.execute_command(f"x='{filler}'; echo ${{#x}} $0; echo last\n")
        assert result.stdout.splitlines()[-1] == "last"
        result = await opened.execute(f"x = '{filler * 40}'\nprint(len(x))")
        assert result.stdout == "2000000\n"

    using(backend(), work)


def test_a_programs_own_124_is_no_time_out(backend: Callable[..., OpenShellBackend]) -> None:
    """The gateway says 124 for a time-out; a program that ends with it has simply failed."""

    async def work(opened: OpenShellBackend) -> None:
        for code in (124, 125):
            for before in ("", "rm -rf /tmp/.harnest*;"):  # it can't hide how it ended
                result = await opened.execute_command(f"{before} exit {code}")
                assert (result.exit_code, result.timed_out) == (code, False)
        result = await opened.execute_command("sleep 600", timeout=1)
        assert (result.exit_code, result.timed_out) == (None, True)

    using(backend(), work)


def test_the_gateways_124_is_a_time_out_and_what_runs_on_is_ended(
    backend: Callable[..., OpenShellBackend], gateway: LocalGateway
) -> None:
    """Where the gateway gives a command up before we do, it is ended all the same."""
    gateway.faults.give_up = "sleep 777"

    async def work(opened: OpenShellBackend) -> None:
        result = await opened.execute_command("echo begun; sleep 777")
        assert (result.stdout, result.exit_code, result.timed_out) == ("begun\n", None, True)
        assert "sleep 777" not in gateway.inside(*LISTING)

    using(backend(), work)


def test_a_detached_child_does_not_delay_a_time_out(
    backend: Callable[..., OpenShellBackend], gateway: LocalGateway
) -> None:
    """Output so far is kept, and every process of the command is gone, detached ones too."""

    async def work(opened: OpenShellBackend) -> None:
        start = time.monotonic()
        command = "setsid sleep 771 & sleep 772 & echo so far; touch begun; sleep 773"
        result = await overdue(opened, gateway, command)
        assert time.monotonic() - start < 600  # it did not wait for any of them
        assert (result.stdout, result.timed_out, result.exit_code) == ("so far\n", True, None)
        assert "sleep 77" not in gateway.inside(*LISTING)

    using(backend(), work)


def test_background_children_end_with_their_command(
    backend: Callable[..., OpenShellBackend], gateway: LocalGateway
) -> None:
    """A command that ends by itself leaves nothing running, and is not waited for longer."""

    async def work(opened: OpenShellBackend) -> None:
        result = await opened.execute_command("setsid sleep 774 & sleep 775 & echo done")
        assert (result.stdout, result.exit_code, result.timed_out) == ("done\n", 0, False)
        assert "sleep 77" not in gateway.inside(*LISTING)

    using(backend(), work)


def test_who_drops_session_and_environment_is_found_by_the_output_that_it_holds(
    backend: Callable[..., OpenShellBackend], gateway: LocalGateway
) -> None:
    """A command that has ended is neither waited for nor called overdue for the sake of a child."""

    async def work(opened: OpenShellBackend) -> None:
        for command in ("(setsid env -i sleep 771 &)", "(setsid env -i sleep 772 >&2 &)"):
            result = await opened.execute_command(f"{command}; echo done", timeout=600)
            assert (result.stdout, result.exit_code, result.timed_out) == ("done\n", 0, False)
        assert "sleep 77" not in gateway.inside(*LISTING)

    using(backend(timeout_seconds=600), work)


def test_cancelling_the_task_kills_the_remote_process_group(
    backend: Callable[..., OpenShellBackend], gateway: LocalGateway
) -> None:
    """A cancelled call comes back in a bounded time, and nothing of it runs any more."""

    async def work(opened: OpenShellBackend) -> None:
        call = asyncio.create_task(opened.execute_command("sleep 776 & sleep 777"))
        await until(lambda: "sleep 777" in gateway.inside(*LISTING))
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await until(lambda: "sleep 77" not in gateway.inside(*LISTING))
        after = await opened.execute_command("echo next")
        assert after.stdout == "next\n"

    using(backend(), work)


def test_a_command_that_was_cancelled_before_it_began_never_begins(
    backend: Callable[..., OpenShellBackend],
) -> None:
    """Whoever is told to end first leaves a mark that the command finds when it arrives."""
    from harnest_extension_openshell.lib.remote import scripts  # noqa: PLC0415 - of the alias

    async def work(opened: OpenShellBackend) -> None:
        assert opened._open is not None
        box = opened._open._session.box
        folder = box.folder()
        box.helper(scripts.KILLER, folder, "token")
        with pytest.raises(BackendError, match="125"):
            box.helper(scripts.RUNNER, folder, "token", "/sandbox", "/bin/sh", "-c", "echo ran")

    using(backend(), work)


def test_a_command_that_ends_while_it_is_ended_is_no_error(
    backend: Callable[..., OpenShellBackend], gateway: LocalGateway
) -> None:
    """What a command removes at its own end may go at any moment under whoever ends it."""
    from harnest_extension_openshell.lib.remote import scripts  # noqa: PLC0415 - of the alias

    remove = "import shutil\nopen('begun', 'w')\nwhile True: shutil.rmtree('{}', True)"

    async def work(opened: OpenShellBackend) -> None:
        assert opened._open is not None
        box = opened._open._session.box
        folder = box.folder()
        removing = asyncio.create_task(opened.execute(remove.format(folder)))
        await until(lambda: "begun" in gateway.inside("ls", "/sandbox"))
        for _ in range(20):
            await asyncio.to_thread(box.helper, scripts.KILLER, folder, "token")
        removing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await removing

    using(backend(), work)


def test_more_output_than_is_kept_ends_the_command(
    backend: Callable[..., OpenShellBackend],
) -> None:
    """The first bytes are kept exactly, the rest is told; both streams share the budget."""

    async def work(opened: OpenShellBackend) -> None:
        result = await opened.execute_command("yes")
        assert result.stdout_bytes == b"y\n" * 5_000
        assert (result.truncated, result.exit_code, result.timed_out) == (True, None, False)
        result = await opened.execute_command("head -c 10000 /dev/zero")
        assert (len(result.stdout_bytes), result.truncated, result.exit_code) == (10_000, False, 0)

    using(backend(max_output_bytes=10_000), work)


def test_output_that_is_no_text_is_exact_in_bytes(
    backend: Callable[..., OpenShellBackend],
) -> None:
    """Text for a model has replacement characters, the bytes are as they were written."""

    async def work(opened: OpenShellBackend) -> None:
        result = await opened.execute_command(r"printf 'a\377b'")
        assert (result.stdout, result.stdout_bytes) == ("a\ufffdb", b"a\xffb")

    using(backend(), work)


def test_files_created_are_those_that_the_command_made(
    backend: Callable[..., OpenShellBackend],
) -> None:
    """New and changed regular files, by exact name; what was there before is not listed."""

    async def work(opened: OpenShellBackend) -> None:
        result = await opened.execute_command(
            "mkdir d; echo 1 >d/a; echo 1 >'n\nn'; ln -s /etc/passwd l"
        )
        assert result.files_created == ("d/a", "n\nn")
        result = await opened.execute_command("echo 2 >>d/a; cat 'n\nn'")
        assert result.files_created == ("d/a",)
        assert (await opened.execute_command("true")).files_created == ()

    using(backend(), work)


def test_what_can_not_be_run_is_refused_before_anything_is_sent(
    backend: Callable[..., OpenShellBackend], gateway: LocalGateway
) -> None:
    """Another language, blank or impossible text and wrong time-outs are ValueErrors."""

    async def work(opened: OpenShellBackend) -> None:
        before = len(gateway.service.asked)
        calls: list[Any] = [
            opened.execute("puts 1", "ruby"),
            opened.execute("x = '\0'"),
            opened.execute_command(" "),
            opened.execute_command("\ud800"),
            opened.execute_command("true", timeout=0),
            opened.execute_command("true", timeout=True),
            opened.execute_command("true", timeout=1.5),  # type: ignore[arg-type]
        ]
        for call in calls:
            with pytest.raises(ValueError, match=r"."):
                await call
        with pytest.raises(TypeError):
            await opened.execute_command("true", stdin="text")  # type: ignore[arg-type]
        assert len(gateway.service.asked) == before

    using(backend(), work)


def test_a_time_out_of_one_call_shortens_and_never_extends(
    backend: Callable[..., OpenShellBackend],
) -> None:
    """The configured deadline holds for whoever asks for more."""

    async def work(opened: OpenShellBackend) -> None:
        result = await opened.execute_command("sleep 600", timeout=500)
        assert result.timed_out
        assert result.execution_time_ms < 500_000

    using(backend(timeout_seconds=1), work)


def test_every_call_is_an_event_whatever_comes_of_it(
    backend: Callable[..., OpenShellBackend], gateway: LocalGateway
) -> None:
    """Success, failure, time-out, refusal and an error of the gateway, each with the same keys."""
    seen: list[dict[str, Any]] = []
    hooks = HookManager()
    hooks.on(HookEvent.SANDBOX_EXEC, lambda context: seen.append(dict(context.data)))

    async def work(opened: OpenShellBackend) -> None:
        await opened.execute("print(1)")
        await opened.execute_command("exit 3")
        await opened.execute_command("sleep 600", timeout=1)
        gateway.faults.plan("ExecSandbox", "PERMISSION_DENIED")
        with pytest.raises(BackendError, match="PERMISSION_DENIED"):
            await opened.execute_command("true")
        with pytest.raises(ValueError, match="timeout"):
            await opened.execute("pass", timeout=0)

    using(backend(hooks=hooks), work)
    told = [(item["kind"], item["exit_code"], item["timed_out"]) for item in seen]
    assert told == [
        ("execute", 0, False),
        ("execute_command", 3, False),
        ("execute_command", None, True),
        ("execute_command", None, False),
        ("execute", None, False),
    ]
    keys = {"kind", "tier", "exit_code", "timed_out", "execution_time_ms", "denials"}
    assert all(set(item) == keys and item["tier"] == "openshell" for item in seen)
    assert [item["execution_time_ms"] >= 1 for item in seen] == [True] * 4 + [False]


def test_a_lost_stream_is_an_error_and_the_command_is_ended(
    backend: Callable[..., OpenShellBackend], gateway: LocalGateway
) -> None:
    """What became of the command is not known: no result is made up, and nothing runs on."""

    async def work(opened: OpenShellBackend) -> None:
        gateway.faults.plan("ExecSandbox", "UNAVAILABLE", lost=True)
        with pytest.raises(BackendError, match="UNAVAILABLE"):
            await opened.execute_command("sleep 778 & echo ran >>mark")
        assert "sleep 778" not in gateway.inside(*LISTING)
        result = await opened.execute_command("cat mark")
        assert result.stdout == "ran\n"  # carried out once, not repeated

    using(backend(), work)


def test_calls_run_side_by_side(backend: Callable[..., OpenShellBackend]) -> None:
    """Two calls of one backend overlap, and each gets its own output."""

    async def work(opened: OpenShellBackend) -> None:
        wait = "touch {0}; while [ ! -e {1} ]; do sleep 0.05; done; echo {0}"
        first, second = await asyncio.gather(
            opened.execute_command(wait.format("a", "b")),
            opened.execute_command(wait.format("b", "a")),
        )
        assert (first.stdout, second.stdout) == ("a\n", "b\n")

    using(backend(), work)


def test_closing_ends_what_still_runs(
    backend: Callable[..., OpenShellBackend], gateway: LocalGateway
) -> None:
    """A call that runs while its backend is closed fails, and nothing is left on the gateway."""

    async def main() -> None:
        opened = backend()
        await opened.start()
        call = asyncio.create_task(opened.execute_command("sleep 779"))
        await until(lambda: "sleep 779" in gateway.inside(*LISTING))
        await opened.close()
        with pytest.raises(WorkspaceClosedError, match="meanwhile"):
            await call
        await opened.close()
        with pytest.raises(WorkspaceClosedError):
            await opened.execute_command("true")

    asyncio.run(main())
    assert gateway.left() == ([], [], [])


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a/b", "/sandbox/a/b"),
        ("/sandbox/x", "/sandbox/x"),
        ("a/../b", "/sandbox/b"),
        (".", "/sandbox"),
        ("-x\n", "/sandbox/-x\n"),
        ("../x", PermissionError),
        ("/etc/passwd", PermissionError),
        ("/sandboxes", PermissionError),
        ("", ValueError),
        ("a\0", ValueError),
        ("x" * 5000, ValueError),
    ],
)
def test_paths_are_below_the_work_directory(
    backend: Callable[..., OpenShellBackend], path: str, found: str | type[Exception]
) -> None:
    """A path is made absolute inside; one that leads out is refused."""
    made = backend()
    if isinstance(found, str):
        assert made.resolve_path(path) == found
    else:
        with pytest.raises(found):
            made.resolve_path(path, write=True)
