from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import pytest
from harnest_extension_bubblewrap.extension import (
    BubblewrapLimits,
    BubblewrapSandboxError,
    BubblewrapScope,
    bubblewrap,
    bubblewrap_sandbox,
    extension,
)
from harnest_extension_bubblewrap.lib.confinement import Confinement
from harnest_extension_bubblewrap.lib.probe import probe
from harnest_extension_bubblewrap.lib.tool import Tool, find_tool

from harnest.execution import TierUnavailableError, WorkspaceConfig, WorkspaceExtension
from harnest.execution.local import Refusal
from harnest.sandbox import Sandbox, SandboxNetworkPolicy
from harnest.sandbox.optional import (
    SandboxDiagnosingProvider,
    SandboxInventoryProvider,
    SandboxPruningProvider,
    SandboxStreamingProvider,
)

from .support import SOMEONE, request

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_declaring_starts_nothing_and_carries_its_bounds() -> None:
    """A declaration is a portable Sandbox; its deadline and policy travel with every request."""
    policy = SandboxNetworkPolicy.none()
    declared = bubblewrap.sandbox(network_policy=policy, timeout_seconds=7, python="/not/there")
    assert isinstance(declared, Sandbox)
    assert (declared.backend, declared.timeout_seconds, declared.network_policy) == (
        "bubblewrap",
        7,
        policy,
    )
    assert extension is bubblewrap
    assert bubblewrap_sandbox(timeout_seconds=7).timeout_seconds == 7
    assert isinstance(bubblewrap, WorkspaceExtension)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"timeout_seconds": 0}, ValueError),
        ({"timeout_seconds": True}, ValueError),
        ({"max_output_bytes": 0}, ValueError),
        ({"max_scopes": 1025}, ValueError),
        ({"scope": "forever"}, ValueError),
        ({"python": "python3"}, ValueError),
        ({"environment": ["A=1"]}, TypeError),
        ({"environment": {"A": "\0"}}, ValueError),
        ({"inherit": "PATH"}, TypeError),
        ({"allowed_paths": "/usr"}, TypeError),
        ({"allowed_paths": ["relative"]}, ValueError),
        ({"allowed_paths": [3]}, TypeError),
        ({"limits": {"cpu_seconds": 1}}, TypeError),
        ({"network_policy": "none"}, TypeError),
    ],
)
def test_an_option_out_of_bounds_is_refused_at_once(
    options: dict[str, Any], error: type[Exception]
) -> None:
    """Nothing waits for the first execution to be found wrong."""
    with pytest.raises(error):
        bubblewrap.sandbox(**options)


@pytest.mark.parametrize(
    "options",
    [
        {"cpu_seconds": 0},
        {"open_files": 15},
        {"processes": 0},
        {"memory_bytes": 1},
        {"tmp_bytes": 1},
        {"tmp_bytes": 1 << 40},
        {"file_bytes": 1.0},
    ],
)
def test_a_limit_out_of_bounds_is_refused(options: dict[str, Any]) -> None:
    """Limits are whole numbers within their bounds."""
    with pytest.raises(ValueError, match=next(iter(options))):
        BubblewrapLimits(**options)


def test_the_provider_offers_streaming_inventory_prune_and_diagnosis(
    make: Callable[..., Any],
) -> None:
    """Commands find these by protocol; the boundary is said to hold because it was tried."""
    provider = make(scope=BubblewrapScope.EXECUTION, environment={"TOKEN": "s3cret"})
    for protocol in (
        SandboxDiagnosingProvider,
        SandboxInventoryProvider,
        SandboxPruningProvider,
        SandboxStreamingProvider,
    ):
        assert isinstance(provider, protocol)
    found = {item.name: item.state.value for item in provider.diagnose()}
    assert (found["bwrap"], found["security-boundary"]) == ("ok", "ok")
    assert found["user"] == ("ok" if os.geteuid() else "degraded")
    assert "s3cret" not in repr(provider) + repr(vars(provider))


def test_files_go_in_and_out_and_a_session_keeps_its_own(make: Callable[..., Any]) -> None:
    """The work directory is the caller's own, and only what a call wrote comes back."""
    provider = make(scope="session")
    code = """
import os
os.makedirs('outputs', exist_ok=True)
open('outputs/out', 'a').write('x'); os.path.exists('l') or os.symlink('/etc/passwd', 'l')
os.path.lexists('outputs/link') or os.symlink('/etc/passwd', 'outputs/link')
"""
    first = provider.execute(request(code, context=SOMEONE))
    second = provider.execute(request(code, context=SOMEONE))
    assert [file.data for file in first.output_files] == [b"x"]
    assert [file.data for file in second.output_files] == [b"xx"]


@pytest.mark.usefixtures("host")
def test_a_builder_that_cannot_make_the_sandbox_refuses_with_its_words(tmp_path: Path) -> None:
    """What bwrap says is the reason; nothing is run outside of a sandbox instead."""
    told = tmp_path / "bwrap"
    told.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    told.chmod(0o755)
    confinement = _confinement(str(told))
    with pytest.raises(Refusal, match="No permissions to create new namespace") as refusal:
        probe(confinement, tmp_path)
    assert "user namespaces" in refusal.value.remedy


@pytest.mark.usefixtures("host")
def test_a_builder_that_confines_nothing_is_found_out(tmp_path: Path) -> None:
    """Whatever runs the program, the probe believes only what it finds inside."""
    fake = tmp_path / "bwrap"
    # It takes the arguments and starts the program as it is.
    fake.write_text('#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n')
    fake.chmod(0o755)
    with pytest.raises(Refusal, match=r"namespaces|writable|does not run"):
        probe(_confinement(str(fake)), tmp_path)


@pytest.mark.usefixtures("host")
@pytest.mark.parametrize(
    ("changed", "into", "reason"),
    [
        (["--seccomp", "*"], [], "filter"),
        (["--uid", "*"], [], "user"),
        (["--remount-ro", "/"], [], "writable"),
        (["--unshare-all"], ["--unshare-pid", "--unshare-ipc", "--unshare-uts"], "host: net"),
        (["--ro-bind", "*", "/usr"], ["--bind", "/usr", "/usr"], "writable"),
    ],
)
def test_a_builder_that_leaves_one_thing_out_is_found_out(
    tmp_path: Path, changed: list[str], into: list[str], reason: str
) -> None:
    """The probe misses each of them."""
    partial = tmp_path / "bwrap"
    partial.write_text(f"""#!{sys.executable}
import os, sys
wanted, into = {changed!r}, {into!r}
at = sys.argv.index("--")
told = os.read(int(sys.argv[2]), 1 << 20).split(b"\\0")[:-1]
args = [os.fsdecode(part) for part in told]
size = len(wanted)
where = next(n for n in range(len(args))
    if all(w in ("*", a) for w, a in zip(wanted, args[n : n + size])))
args[where : where + size] = into
os.execv({find_tool().path!r}, ["bwrap", *args, "--", *sys.argv[at + 1 :]])
""")
    partial.chmod(0o755)
    with pytest.raises(Refusal, match=reason):
        probe(_confinement(str(partial)), tmp_path)


@pytest.mark.usefixtures("host")
def test_a_shell_that_is_not_inside_is_refused_before_anything_runs(tmp_path: Path) -> None:
    """A path of the host that programs don't see is no shell for them."""
    shell = tmp_path / "shell"
    shell.write_text("#!/bin/sh\n")
    shell.chmod(0o755)
    work = tmp_path / "work"
    work.mkdir()
    with pytest.raises(TierUnavailableError, match="shell"):
        bubblewrap.workspace(WorkspaceConfig(tier="bubblewrap", shell=str(shell)), work.resolve())
    with pytest.raises(TierUnavailableError, match="the shell /tmp"):  # a folder
        bubblewrap.workspace(WorkspaceConfig(tier="bubblewrap", shell="/tmp"), work.resolve())


@pytest.mark.usefixtures("host")
def test_building_fails_with_its_phase(make: Callable[..., Any]) -> None:
    """An interpreter that is not there is told when the sandbox is built, and no path with it."""
    with pytest.raises(BubblewrapSandboxError) as refusal:
        make(python="/nowhere/secret-python")
    assert refusal.value.phase == "probe"
    assert "secret" not in str(refusal.value)


def _confinement(path: str) -> Confinement:
    made = Confinement.of(python=sys.executable, allowed_paths=(), network=False, tmp_bytes=1 << 20)
    return Confinement(
        tool=Tool(path=path, machine=made.tool.machine),
        view=made.view,
        python=made.python,
        network=False,
        tmp_bytes=made.tmp_bytes,
    )
