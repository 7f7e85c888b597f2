"""Sandboxes as they are made: refused elsewhere, enforced on macOS."""

from __future__ import annotations

import json
import os
import socket
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from harnest_extension_seatbelt.extension import (
    SeatbeltLimits,
    SeatbeltSandboxError,
    extension,
    seatbelt,
    seatbelt_sandbox,
)
from harnest_extension_seatbelt.lib.allowed import allowed_paths
from harnest_extension_seatbelt.lib.confinement import Confinement
from harnest_extension_seatbelt.lib.interpreter import Interpreter
from harnest_extension_seatbelt.lib.places import unlinked
from harnest_extension_seatbelt.lib.probe import objections
from harnest_extension_seatbelt.lib.settings import PREFIX
from harnest_extension_seatbelt.lib.tool import TOOL, check_tool

from harnest.execution import (
    ExecutionCall,
    TierUnavailableError,
    UnsupportedPromiseError,
    WorkspaceConfig,
    WorkspaceEngine,
    WorkspaceExtension,
)
from harnest.execution.local import (
    Capture,
    ConfinedRun,
    LaunchError,
    Refusal,
    run_local,
    sealed,
    workdir,
)
from harnest.sandbox import Sandbox, SandboxNetworkPolicy, SandboxRequest, control
from harnest.sandbox.optional import OutputStream

MAC = sys.platform == "darwin"
elsewhere = pytest.mark.skipif(MAC, reason="this is macOS, where sandboxes are made")
on_mac = pytest.mark.skipif(not MAC, reason="sandbox-exec is macOS's: enforcement is tried there")


@elsewhere
def test_on_another_system_a_workspace_is_refused_before_anything_runs(tmp_path: Path) -> None:
    """The refusal names the tier, the wrong system and what to use instead."""
    with pytest.raises(TierUnavailableError, match="wrong system") as refusal:
        seatbelt.workspace(WorkspaceConfig(tier="seatbelt"), tmp_path)
    assert refusal.value.tier == "seatbelt"
    assert sys.platform in refusal.value.reason
    assert "bubblewrap" in refusal.value.remedy
    assert list(tmp_path.iterdir()) == []


@elsewhere
def test_on_another_system_a_sandbox_is_refused_when_it_is_built() -> None:
    """Declaring is possible anywhere; building says in which phase and why it failed."""
    declared = seatbelt.sandbox()
    with pytest.raises(SeatbeltSandboxError, match="wrong system") as refusal:
        declared.build()
    assert refusal.value.phase == "probe"


def test_macos_is_the_right_system_only_with_its_program() -> None:
    """The program is named by one absolute path, and its absence is told."""
    assert TOOL == "/usr/bin/sandbox-exec"
    if Path(TOOL).exists():
        check_tool("darwin")
    else:
        with pytest.raises(Refusal, match="sandbox-exec"):
            check_tool("darwin")


def test_declaring_starts_nothing_and_carries_its_bounds() -> None:
    """A declaration is a portable Sandbox."""
    declared = seatbelt.sandbox(timeout_seconds=7, python="/not/there", allowed_paths=["/x"])
    assert isinstance(declared, Sandbox)
    assert (declared.backend, declared.timeout_seconds) == ("seatbelt", 7)
    assert extension is seatbelt
    assert seatbelt_sandbox(timeout_seconds=7).timeout_seconds == 7
    assert isinstance(seatbelt, WorkspaceExtension)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"timeout_seconds": 0}, ValueError),
        ({"python": "python3"}, ValueError),
        ({"allowed_paths": "/usr"}, TypeError),
        ({"allowed_paths": [3]}, TypeError),
        ({"allowed_paths": ["relative"]}, ValueError),
        ({"environment": {"A": "\0"}}, ValueError),
        ({"limits": {"cpu_seconds": 1}}, TypeError),
        ({"network_policy": "none"}, TypeError),
        ({"scope": "forever"}, ValueError),
    ],
)
def test_an_option_out_of_bounds_is_refused_at_once(
    options: dict[str, Any], error: type[Exception]
) -> None:
    """Nothing waits for the first execution to be found wrong."""
    with pytest.raises(error):
        seatbelt.sandbox(**options)


@pytest.mark.parametrize("options", [{"cpu_seconds": 0}, {"address_space_bytes": 1}])
def test_a_limit_out_of_bounds_is_refused(options: dict[str, Any]) -> None:
    """Limits are whole numbers within their bounds."""
    with pytest.raises(ValueError, match=next(iter(options))):
        SeatbeltLimits(**options)


GOOD = {
    "scratch": True,
    "work": True,
    "shell": True,
    "outside": [],
    "listed": [],
    "reached": False,
    "signalled": False,
}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"outside": ["/Users/me"]}, "write outside"),
        ({"listed": ["/Users/me"]}, "read folders"),
        ({"reached": True}, "network"),
        ({"signalled": True}, "signal"),
        ({"work": False}, "written to"),
        ({"scratch": False}, "written to"),
        ({"shell": False}, "shell"),
    ],
)
def test_each_promise_that_the_probe_finds_broken_is_an_objection(
    change: dict[str, Any], reason: str
) -> None:
    """A report without fault gives none; each fault gives its own."""
    assert list(objections(GOOD, network=False, shell="/bin/sh")) == []
    found = list(objections(GOOD | change, network=False, shell="/bin/sh"))
    assert len(found) == 1
    assert reason in found[0][0]


def test_a_network_that_was_asked_for_and_is_not_there_is_an_objection() -> None:
    """The promise holds in both directions."""
    assert len(list(objections(GOOD, network=True, shell="/bin/sh"))) == 1


@pytest.mark.parametrize("path", ["/", "/dev", "/dev/null"])
def test_a_path_that_opens_the_sandbox_is_refused(path: str) -> None:
    """The message names the path."""
    with pytest.raises(ValueError, match="allowed_paths") as refusal:
        allowed_paths([path])
    assert repr(path) in str(refusal.value)


def test_allowed_paths_are_real_and_only_folders_and_files(tmp_path: Path) -> None:
    """Links are resolved; sockets and pipes are refused."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    os.mkfifo(tmp_path / "fifo")
    assert allowed_paths([str(tmp_path / "link")])[0].endswith("/folder")
    with pytest.raises(ValueError, match="neither a folder nor a regular file"):
        allowed_paths([str(tmp_path / "fifo")])


def test_an_interpreter_is_readable_with_the_links_that_lead_to_it(tmp_path: Path) -> None:
    """Its installation, its environment and its file; each link on the way, and no home."""
    link = tmp_path / "python"
    link.symlink_to(sys.executable)
    own = Interpreter.at(sys.executable)
    assert own.path == sys.executable
    assert not any(Path(folder) in Path.home().parents for folder in own.readable)
    assert str(link) in [
        place.removeprefix("/private") for place in Interpreter.at(str(link)).links
    ]


def test_the_profile_lies_outside_of_what_programs_can_write(tmp_path: Path) -> None:
    """A private file, beside the folder for temporary files, gone when the program is over."""
    confinement = Confinement(interpreter=Interpreter.at(sys.executable), allowed=(), network=False)
    run = ConfinedRun(work=tmp_path, code="print(1)", environment={})
    with confinement.program(run) as program:
        assert program.launcher is not None
        tool, option, name = program.launcher.prefix
        profile = Path(name)
        assert (tool, option) == (TOOL, "-f")
        assert profile.stat().st_mode & 0o777 == 0o600
        assert profile.parent.stat().st_mode & 0o777 == 0o700
        text = profile.read_text()
        scratch = Path(program.environment["TMPDIR"])
        assert tmp_path.resolve() not in profile.resolve().parents
        assert scratch.resolve() not in profile.resolve().parents
        assert f'(allow file-write*\n  (subpath "{unlinked(program.work)}")' in text
    assert not profile.exists()
    assert [item for item in workdir.leftovers(PREFIX) if item.pid == os.getpid()] == []


def test_a_program_runs_behind_the_tool_with_its_profile_directory_and_environment(
    tmp_path: Path,
) -> None:
    """All but the confinement itself, with a tool that only looks at the profile, on any system."""
    tool = tmp_path / "sandbox-exec"
    tool.write_text(
        '#!/bin/sh\n[ "$1" = -f ] && grep -q "deny default" "$2" || exit 65\nshift 2\nexec "$@"\n'
    )
    tool.chmod(0o755)
    work = tmp_path / "work"
    work.mkdir()
    code = """
import os, sys, tempfile
open('made', 'w').close()
print(os.getcwd() == os.environ['HOME'], os.environ['MINE'], sys.stdin.read())
print(os.path.realpath(tempfile.gettempdir()) == os.path.realpath(os.environ['TMPDIR']))
sys.exit(9)
"""
    confinement = Confinement(interpreter=Interpreter.at(sys.executable), allowed=(), network=False)
    capture = Capture(10_000)
    with sealed(b"input") as stdin, control.execute(60) as scope:
        run = ConfinedRun(work=work, code=code, environment={"MINE": "a b"}, stdin=stdin)
        with confinement.program(run) as program:
            assert program.launcher is not None
            prefix = (str(tool), *program.launcher.prefix[1:])
            started = replace(program, launcher=replace(program.launcher, prefix=prefix))
            ended = run_local(started, group=None, capture=capture, scope=scope)
    assert capture.text(OutputStream.STDOUT) == "True a b input\nTrue\n"
    assert (ended.exit_code, [path.name for path in work.iterdir()]) == (9, ["made"])


def test_a_tool_that_rejects_the_profile_runs_nothing(tmp_path: Path) -> None:
    """What it says is the reason, as for a profile that this macOS doesn't understand."""
    confinement = Confinement(interpreter=Interpreter.at(sys.executable), allowed=(), network=False)
    run = ConfinedRun(work=tmp_path, code="open('ran', 'w')", environment={})
    with control.execute(60) as scope, confinement.program(run) as program:
        assert program.launcher is not None
        prefix = ("/bin/sh", "-c", "echo unbound variable: same-sandbox >&2; exit 65")
        started = replace(program, launcher=replace(program.launcher, prefix=prefix))
        with pytest.raises(LaunchError) as failure:
            run_local(started, group=None, capture=Capture(1000), scope=scope)
    assert failure.value.detail == "unbound variable: same-sandbox"
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def room(tmp_path: Path) -> WorkspaceEngine:
    """A workspace on macOS."""
    directory = tmp_path / "work"
    directory.mkdir()
    config = WorkspaceConfig(tier="seatbelt")
    return seatbelt.workspace(config, directory.resolve())


def told(room: WorkspaceEngine, code: str) -> Any:
    """What a program prints as JSON."""
    with control.execute(60):
        result = room.run(ExecutionCall(kind="execute", text=code, timeout_seconds=60))
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


TRY = """
import json, os, socket
def done(action):
    try:
        action()
    except OSError:
        return False
    return True
"""


@on_mac
def test_files_outside_are_neither_read_nor_written(room: WorkspaceEngine, tmp_path: Path) -> None:
    """A file beside the work directory, the home and the system stay as they are."""
    secret = tmp_path / "secret"
    secret.write_text("hidden")
    code = f"""{TRY}
print(json.dumps([done(lambda: open({str(secret)!r})), done(lambda: open({str(secret)!r}, 'w')),
    done(lambda: os.listdir({str(Path.home())!r})), done(lambda: open('/private/tmp/x', 'w')),
    done(lambda: os.link({str(secret)!r}, 'linked')),
    done(lambda: open('inside', 'w')), done(lambda: os.chmod('inside', 0o4755))]))
"""
    assert told(room, code) == [False, False, False, False, False, True, False]
    assert secret.read_text() == "hidden"


@on_mac
def test_the_network_is_out_of_reach(room: WorkspaceEngine) -> None:
    """A listener of the host is not reached."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        code = f"""{TRY}
print(json.dumps(done(lambda: socket.create_connection(('127.0.0.1', {port}), timeout=3))))
"""
        assert told(room, code) is False


@on_mac
def test_processes_of_the_host_cannot_be_signalled(room: WorkspaceEngine) -> None:
    """Children can, the host's process can't."""
    code = f"""{TRY}
import subprocess
child = subprocess.Popen(['/bin/sleep', '30'])
print(json.dumps([done(lambda: os.kill({os.getpid()}, 0)), done(child.kill)]))
"""
    assert told(room, code) == [False, True]


@on_mac
def test_an_allowed_path_is_readable_and_stays_as_it_is(tmp_path: Path) -> None:
    """Its files are read and not changed."""
    data, work = tmp_path / "data", tmp_path / "work"
    data.mkdir()
    work.mkdir()
    (data / "file").write_text("content")
    config = WorkspaceConfig(tier="seatbelt", allowed_paths=[data])
    room = seatbelt.workspace(config, work.resolve())
    name = str(data.resolve() / "file")
    code = f"{TRY}\nprint(json.dumps([open({name!r}).read(), done(lambda: open({name!r}, 'w'))]))"
    assert told(room, code) == ["content", False]


@on_mac
def test_a_provider_runs_programs_and_refuses_lists_of_hosts() -> None:
    """The contract over the same sandboxes."""
    provider = seatbelt.sandbox().build()
    assert provider.execute(SandboxRequest(code="print(40 * 10)")).stdout == "400\n"
    provider.close()
    with pytest.raises(ValueError, match="filters no connections"):
        seatbelt.sandbox(network_policy=SandboxNetworkPolicy.allowlist("example.org")).build()


@on_mac
def test_a_path_that_cannot_be_allowed_is_an_unsupported_promise(tmp_path: Path) -> None:
    """It is refused before anything is run."""
    with pytest.raises(UnsupportedPromiseError, match="allowed_paths"):
        seatbelt.workspace(WorkspaceConfig(tier="seatbelt", allowed_paths=["/dev"]), tmp_path)
