from __future__ import annotations

import contextlib
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from harnest_extension_process.lib.errors import ProcessSandboxError
from harnest_extension_process.lib.settings import PREFIX

from harnest.execution.local import workdir
from harnest.sandbox import SandboxCancelledError, SandboxContext

from .support import SOMEONE, request, until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

COUNT = "open('log', 'a').write('x'); print(len(open('log').read()))"


def directories() -> list[str]:
    """Names of this process's work directories."""
    return [item.path.name for item in workdir.leftovers(PREFIX) if item.pid == os.getpid()]


def folder() -> Path:
    """The work directory of this process, which has one."""
    return next(item.path for item in workdir.leftovers(PREFIX) if item.pid == os.getpid())


def counted(provider: Any, **parts: str) -> int:
    """How often this identity has run the counting program."""
    return int(provider.execute(request(COUNT, context=replace(SOMEONE, **parts))).stdout)


def test_an_execution_gets_a_fresh_directory(make: Callable[..., Any]) -> None:
    """Nothing of one call is there in the next, and nothing stays."""
    provider = make()
    assert [counted(provider), counted(provider)] == [1, 1]
    assert directories() == []


@pytest.mark.parametrize(
    ("scope", "expected"), [("invocation", [1, 2, 1, 1, 1]), ("session", [1, 2, 3, 1, 1])]
)
def test_a_directory_is_kept_for_exactly_its_identity(
    make: Callable[..., Any], scope: str, expected: list[int]
) -> None:
    """Same identity, same files; any other part of it, other files."""
    provider = make(scope=scope)
    runs: list[dict[str, str]] = [
        {},
        {},
        {"invocation_id": "j"},
        {"session_id": "t"},
        {"user_id": "v"},
    ]
    assert [counted(provider, **parts) for parts in runs] == expected


@pytest.mark.parametrize("scope", ["invocation", "session"])
def test_an_identity_with_a_missing_part_is_refused(make: Callable[..., Any], scope: str) -> None:
    """A retained directory is never shared by accident."""
    with pytest.raises(ValueError, match="session_id"):
        make(scope=scope).execute(
            request("1", context=SandboxContext(agent_name="a", user_id="u", invocation_id="i"))
        )
    assert directories() == []


def test_the_least_recently_used_directory_makes_room(make: Callable[..., Any]) -> None:
    """At most max_scopes are kept; who comes back after eviction starts anew."""
    provider = make(scope="session", max_scopes=2)
    users = ["a", "b", "a", "c", "a", "b"]
    assert [counted(provider, user_id=user) for user in users] == [1, 1, 2, 1, 3, 1]
    assert len(directories()) == 2


def test_a_directory_in_use_is_never_evicted(make: Callable[..., Any]) -> None:
    """With all of them in use another identity is refused, not served somebody's files."""
    provider = make(scope="session", max_scopes=1)
    busy = "import time, os\nopen('here', 'w')\nwhile not os.path.exists('go'): time.sleep(0.005)"
    thread = threading.Thread(
        target=lambda: provider.execute(request(busy, context=SOMEONE)), daemon=True
    )
    thread.start()
    assert until(lambda: bool(directories()) and (folder() / "here").exists())
    with pytest.raises(ProcessSandboxError, match="in use") as refusal:
        counted(provider, user_id="other")
    assert refusal.value.phase == "work directory"
    (folder() / "go").touch()
    thread.join()
    assert counted(provider, user_id="other") == 1


def at_once(provider: Any, programs: list[tuple[str, str]]) -> list[str]:
    """What programs print that users start at the same time."""

    def run(user: str, code: str) -> str:
        whose = replace(SOMEONE, user_id=user)
        return str(provider.execute(request(code, context=whose)).stdout)

    with ThreadPoolExecutor(len(programs)) as threads:
        return list(threads.map(run, *zip(*programs, strict=True)))


def test_calls_of_one_identity_come_one_by_one(make: Callable[..., Any]) -> None:
    """Each finds no other one in the middle of its work."""
    code = (
        "import os, time\nopen('inside', 'x').close()\ntime.sleep(0.2)\nos.remove('inside')\n"
        "print('alone')"
    )
    assert at_once(make(scope="session"), [("u", code)] * 3) == ["alone\n"] * 3


def test_calls_of_different_identities_run_in_parallel(
    make: Callable[..., Any], tmp_path: Path
) -> None:
    """Each can wait for the others, which are running as well."""
    code = (
        f"import os, time\nopen({str(tmp_path)!r} + '/%s', 'x').close()\n"
        f"while len(os.listdir({str(tmp_path)!r})) < 3: time.sleep(0.01)\nprint('met')"
    )
    programs = [(user, code % user) for user in "uvw"]
    assert at_once(make(scope="session"), programs) == ["met\n"] * 3


def test_waiting_for_a_busy_directory_counts_against_the_deadline(
    make: Callable[..., Any],
) -> None:
    """A call that is still queued at its deadline comes back as timed out in phase queue."""
    provider = make(scope="session")
    busy = request("import time; open('here','w'); time.sleep(600)", context=SOMEONE)

    def occupy() -> None:
        with contextlib.suppress(SandboxCancelledError):
            provider.execute(busy)

    thread = threading.Thread(target=occupy)
    thread.start()
    assert until(lambda: bool(directories()) and (folder() / "here").exists())
    result = provider.execute(request("print(1)", context=SOMEONE, timeout_seconds=1))
    assert (result.status.value, result.metadata["phase"]) == ("timed_out", "queue")
    assert thread.is_alive()
    provider.close()
    thread.join()


def test_a_directory_that_a_program_locked_up_is_removed(make: Callable[..., Any]) -> None:
    """Folders without permissions, deep trees and odd names don't survive."""
    code = (
        "import os\n"
        "os.makedirs('a/b/c'); open('a/b/c/f', 'w'); open('new\\nline', 'w')\n"
        "os.chmod('a/b/c', 0); os.chmod('a', 0); os.chmod('.', 0)\n"
    )
    assert make().execute(request(code)).status.value == "succeeded"
    assert directories() == []


def test_closing_removes_every_retained_directory(make: Callable[..., Any]) -> None:
    """Nothing is kept beyond the provider."""
    provider = make(scope="session")
    counted(provider)
    counted(provider, user_id="v")
    assert len(directories()) == 2
    provider.close()
    assert directories() == []


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # threads of the test run
def test_closing_in_a_forked_copy_of_the_process_removes_nothing_of_its_parent_s(
    make: Callable[..., Any],
) -> None:
    """Servers fork their workers, each of which closes what it got."""
    provider = make(scope="session")
    assert counted(provider) == 1
    copy = os.fork()
    if not copy:
        try:
            provider.close()
        finally:
            os._exit(0)
    os.waitpid(copy, 0)
    assert counted(provider) == 2


@pytest.mark.parametrize(
    "then",
    ["", "os.mkdir(place)", "os.symlink({other!r}, place)", "open(place, 'x').close()"],
    ids=["nothing", "another", "a link", "a file"],
)
def test_a_session_whose_program_removed_its_directory_gets_a_new_one(
    make: Callable[..., Any], tmp_path: Path, then: str
) -> None:
    """No later call fails for it, and none works in what was put in its place."""
    provider = make(scope="session")
    other = tmp_path / "other"
    (other / "outputs").mkdir(parents=True)
    (other / "outputs" / "file").write_text("of somebody else")
    code = f"import os, shutil\nplace = os.getcwd()\nshutil.rmtree(place)\n{then}"
    first = provider.execute(request(code.format(other=str(other)), context=SOMEONE))
    assert (first.exit_code, first.output_files) == (0, ()), first.stderr
    assert [counted(provider), counted(provider)] == [1, 2]
    provider.close()
    assert (other / "outputs" / "file").read_text() == "of somebody else"
    assert directories() == []


@pytest.mark.parametrize("mode", [0, 0o500])
def test_a_session_whose_program_closed_its_directory_can_use_it_again(
    make: Callable[..., Any], mode: int
) -> None:
    """Its files are still there."""
    provider = make(scope="session")
    assert counted(provider) == 1
    provider.execute(request(f"import os; os.chmod('.', {mode})", context=SOMEONE))
    assert counted(provider) == 2
