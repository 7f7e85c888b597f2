"""What tiers that confine their programs share: probe, engine, and the sandbox provider's part."""

from __future__ import annotations

import contextlib
import socket
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from harnest.execution import (
    ExecutionCall,
    TierUnavailableError,
    UnsupportedPromiseError,
    WorkspaceConfig,
)
from harnest.execution.local import (
    ConfinedRun,
    ConfinedWorkspace,
    Launcher,
    LaunchError,
    LocalProgram,
    LocalSandboxError,
    ProgramBounds,
    Refusal,
    listener,
    prefixes_of,
    report_of,
    unavailable,
    workdir,
)
from harnest.execution.local.provider.confined import ConfinedSettings, ConfinedTier
from harnest.sandbox import SandboxNetworkMode, SandboxNetworkPolicy, SandboxPolicyUnsupportedError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harnest.sandbox.optional import SandboxDiagnosis

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="the launcher is GNU's env"
)


@dataclass(frozen=True)
class Marked:
    """No confinement: programs behind a launcher that adds a variable."""

    prefix: tuple[str, ...] = ("/usr/bin/env", "CONFINED=yes")

    @contextlib.contextmanager
    def program(self, run: ConfinedRun) -> Iterator[LocalProgram]:
        """Prepare one."""
        yield LocalProgram(
            code=run.code,
            argv=run.argv,
            work=str(run.work),
            environment=run.environment,
            limits=run.limits,
            stdin=run.stdin,
            launcher=Launcher(
                prefix=self.prefix, directory=str(run.work), environment=run.environment
            ),
        )


def asked(work: Path, code: str) -> ConfinedRun:
    """A probe."""
    return ConfinedRun(work=work, code=code, environment={})


def test_a_report_is_the_object_that_the_probe_prints(tmp_path: Path) -> None:
    """It was made behind the launcher."""
    code = "import json, os; print(json.dumps({'seen': os.environ['CONFINED']}))"
    assert report_of(Marked(), asked(tmp_path, code), ProgramBounds()) == {"seen": "yes"}


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("print('no JSON')", "does not run"),
        ("print([])", "does not run"),
        ("print('{}'); raise SystemExit('sorry')", "sorry"),
        ("import os; print('{}', flush=True); os.kill(os.getpid(), 9)", "does not run"),
    ],
    ids=["text", "list", "exit", "signal"],
)
def test_a_probe_without_a_report_is_a_refusal(tmp_path: Path, code: str, told: str) -> None:
    """What it said last is the reason, and another interpreter the remedy."""
    with pytest.raises(Refusal, match=told) as refusal:
        report_of(Marked(), asked(tmp_path, code), ProgramBounds())
    assert "python=" in refusal.value.remedy


def test_a_confinement_that_can_t_be_made_is_for_the_tier_to_explain(tmp_path: Path) -> None:
    """Its launcher's last line is at hand, cut."""
    broken = Marked(("/bin/sh", "-c", f"echo first >&2; echo {'x' * 400} >&2; exit 1"))
    with pytest.raises(LaunchError) as failure:
        report_of(broken, asked(tmp_path, "print('{}')"), ProgramBounds())
    assert failure.value.line == "x" * 300


def test_a_listener_of_the_host_is_reached_by_the_host() -> None:
    """While the block lasts, and not after it."""
    with listener() as port:
        socket.create_connection(("127.0.0.1", port), timeout=60).close()
    with socket.socket() as taken:
        # Nobody listens there any more if it can be had; nobody else will while we have it.
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", port))
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), timeout=60)


def test_an_interpreter_says_where_it_is_installed(tmp_path: Path) -> None:
    """Another one is asked; one that does not run, or is too old, is refused."""
    assert sys.prefix in prefixes_of(sys.executable)
    other = tmp_path / "python"
    other.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    other.chmod(0o755)
    assert sys.base_prefix in prefixes_of(str(other))
    other.write_text("#!/bin/sh\necho '[\"/old\", [3, 7]]'\n")
    with pytest.raises(Refusal, match=r"older than Python 3\.8"):
        prefixes_of(str(other))
    other.write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(Refusal, match="does not run"):
        prefixes_of(str(other))


def test_an_engine_runs_python_and_commands_in_its_confinement(tmp_path: Path) -> None:
    """With the configured environment, the call's input, and the outcome of its own."""
    config = WorkspaceConfig(tier="extension:marked", environment={"MINE": "a b"})
    engine = ConfinedWorkspace(config, tmp_path, confinement=Marked(), bounds=ProgramBounds())
    code = "import os, sys; print(os.environ['MINE'], sys.stdin.read()); sys.exit(3)"
    python = engine.run(
        ExecutionCall(kind="execute", text=code, timeout_seconds=60, stdin=b"input")
    )
    assert (python.stdout, python.exit_code) == (b"a b input\n", 3)
    line = 'echo "$MINE"; pwd; exit 4'
    command = engine.run(ExecutionCall(kind="execute_command", text=line, timeout_seconds=60))
    assert (command.stdout.decode(), command.exit_code) == (f"a b\n{tmp_path}\n", 4)
    engine.close()


def test_why_it_is_unavailable_is_told_as_workspaces_tell_it() -> None:
    """A refusal keeps its reason and remedy; a path that can't be allowed is a promise."""
    with pytest.raises(TierUnavailableError) as told, unavailable("marked"):
        raise Refusal("there is none", "Get one.")
    facts = (told.value.tier, told.value.reason, told.value.remedy)
    assert facts == ("marked", "there is none", "Get one.")
    with pytest.raises(UnsupportedPromiseError, match="allowed_paths"), unavailable("marked"):
        raise ValueError("allowed_paths must not hold '/'")


class Failure(LocalSandboxError):
    """The error of the tier below."""


class MarkedTier(ConfinedTier):
    """A tier that notes what it tried."""

    name = "marked"
    prefix = "harnest-marked"
    failure = Failure

    def __init__(self, settings: ConfinedSettings, refusal: Refusal | None = None) -> None:
        self.networks: list[bool] = []
        self.refusal = refusal
        super().__init__(settings, ProgramBounds())

    def tried(self, work: Path, *, network: bool) -> Marked:
        """Note it, or refuse."""
        assert work.is_dir()
        self.networks.append(network)
        if self.refusal is not None:
            raise self.refusal
        return Marked()

    def diagnose(self) -> tuple[SandboxDiagnosis, ...]:
        """Say nothing."""
        return ()


OPEN = SandboxNetworkPolicy.unrestricted()


@pytest.mark.parametrize(
    ("policy", "networks", "modes"),
    [
        (None, [False], {SandboxNetworkMode.NONE}),
        (SandboxNetworkPolicy.none(), [False], {SandboxNetworkMode.NONE}),
        (OPEN, [False, True], {SandboxNetworkMode.NONE, SandboxNetworkMode.UNRESTRICTED}),
    ],
)
def test_each_confinement_that_can_be_asked_for_is_tried(
    policy: SandboxNetworkPolicy | None, networks: list[bool], modes: set[SandboxNetworkMode]
) -> None:
    """In a work directory that is removed again; the one without network is always among them."""
    tier = MarkedTier(ConfinedSettings(network_policy=policy))
    assert (sorted(tier.networks), tier.network_modes) == (networks, modes)
    assert list(workdir.leftovers("harnest-marked")) == []


@pytest.mark.parametrize(
    "policy",
    [
        SandboxNetworkPolicy.allowlist("example.org"),
        SandboxNetworkPolicy.unrestricted(block_private_networks=True),
    ],
)
def test_a_policy_that_needs_a_filter_is_refused(policy: SandboxNetworkPolicy) -> None:
    """Namespaces and profiles give the network or take it away; nothing is tried."""
    with pytest.raises(SandboxPolicyUnsupportedError, match="a marked sandbox"):
        MarkedTier(ConfinedSettings(network_policy=policy))


def test_a_confinement_that_can_t_be_had_is_the_extension_s_own_error() -> None:
    """Its phase is the probe, and the remedy is in its message."""
    with pytest.raises(Failure, match=r"there is none\. Get one\. \(phase: probe\)") as failure:
        MarkedTier(ConfinedSettings(), Refusal("there is none", "Get one."))
    assert failure.value.phase == "probe"
    assert list(workdir.leftovers("harnest-marked")) == []
