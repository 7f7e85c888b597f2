"""The provider of the sandbox contract, beyond what the suite tries."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from harnest_extension_openshell.extension import (
    Connection,
    Endpoint,
    NetworkRule,
    OpenShellSandboxError,
    OpenShellScope,
    Policy,
    extension,
    openshell,
    openshell_sandbox,
)

from harnest.sandbox import (
    Sandbox,
    SandboxContext,
    SandboxFile,
    SandboxNetworkPolicy,
    SandboxPolicyUnsupportedError,
    SandboxRequest,
    SandboxStatus,
)
from harnest.sandbox.optional import (
    SandboxDiagnosingProvider,
    SandboxInventoryProvider,
    SandboxPruningProvider,
    SandboxStreamingProvider,
)
from harnest.sandbox.runtime import ManagedSandbox

from .conftest import FOLDER, SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gateway.server import LocalGateway

ALLOW = SandboxNetworkPolicy.allowlist("a.example.com", ports=(443,), block_private_networks=False)
RULES = Policy(
    network=[
        NetworkRule(
            name="r", endpoints=[Endpoint(host="a.b", ports=[1])], programs=["/usr/bin/curl"]
        )
    ]
)


@pytest.fixture
def make(gateway: LocalGateway) -> Iterator[Callable[..., Any]]:
    """Providers on the gateway; closed after the test."""
    made: list[Any] = []

    def build(**options: Any) -> Any:
        connection = Connection(endpoint=gateway.endpoint)
        options.setdefault("timeout_seconds", SECONDS)
        made.append(openshell.sandbox(connection=connection, **options).build())
        return made[-1]

    yield build
    for provider in made:
        provider.close()
    assert gateway.left() == ([], [], [])


def request(code: str, user: str = "u", **options: Any) -> SandboxRequest:
    """A request of a whole identity."""
    context = SandboxContext(agent_name="a", user_id=user, session_id="s", invocation_id="i")
    return SandboxRequest(code=code, context=context, **options)


def test_declaring_sends_nothing_and_carries_its_bounds() -> None:
    """A declaration is a portable Sandbox; nobody listens at its endpoint."""
    connection = Connection(endpoint="127.0.0.1:1")
    policy = SandboxNetworkPolicy.none()
    declared = openshell.sandbox(connection=connection, network_policy=policy, timeout_seconds=7)
    assert isinstance(declared, Sandbox)
    assert (declared.backend, declared.timeout_seconds) == ("openshell", 7)
    assert declared.network_policy == policy
    assert extension is openshell
    assert openshell_sandbox(timeout_seconds=7).timeout_seconds == 7


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"timeout_seconds": 0}, ValueError),
        ({"timeout_seconds": True}, ValueError),
        ({"max_output_bytes": 0}, ValueError),
        ({"max_sandboxes": 0}, ValueError),
        ({"ready": 17}, ValueError),
        ({"ready": True}, ValueError),
        ({"ready": 3, "max_sandboxes": 2}, ValueError),
        ({"ready_seconds": 0}, ValueError),
        ({"scope": "forever"}, ValueError),
        ({"python": "python3"}, ValueError),
        ({"programs": "/bin/sh"}, TypeError),
        ({"work": "sandbox"}, ValueError),
        ({"image": 1}, TypeError),
        ({"environment": ["A=1"]}, TypeError),
        ({"environment": {"A": "x" * 9000}}, ValueError),
        ({"environment": {f"A{n}": "x" * 8000 for n in range(9)}}, ValueError),
        ({"policy": {}}, TypeError),
        ({"connection": "localhost:1"}, TypeError),
        ({"secrets": "TOKEN"}, TypeError),
        ({"network_policy": "none"}, TypeError),
        ({"network_policy": ALLOW, "policy": RULES}, ValueError),
        ({"network_policy": SandboxNetworkPolicy.none(), "policy": RULES}, ValueError),
        (
            {"network_policy": SandboxNetworkPolicy.unrestricted()},
            SandboxPolicyUnsupportedError,
        ),
        (
            {"network_policy": SandboxNetworkPolicy.allowlist("a.b", block_private_networks=False)},
            SandboxPolicyUnsupportedError,
        ),
    ],
)
def test_an_option_out_of_bounds_is_refused_at_once(
    options: dict[str, Any], error: type[Exception]
) -> None:
    """Nothing waits for the first execution to be found wrong."""
    with pytest.raises(error):
        openshell.sandbox(**options)


def test_an_allow_list_that_also_blocks_private_networks_is_not_promised() -> None:
    """The service has no rule for it, so a declaration that asks for it can't be built."""
    declared = openshell.sandbox(
        connection=Connection(endpoint="127.0.0.1:1"),
        network_policy=SandboxNetworkPolicy.allowlist("a.example.com", ports=(443,)),
    )
    with pytest.raises(SandboxPolicyUnsupportedError, match="private"):
        declared.build()


@pytest.mark.docker
def test_an_allow_list_becomes_one_rule_for_the_interpreter(
    make: Callable[..., Any], gateway: LocalGateway
) -> None:
    """Hosts and ports are those of the declaration; another policy is refused."""
    provider = make(network_policy=ALLOW, programs=["/usr/bin/python3.11"])
    assert provider.execute(request("print(1)", network_policy=ALLOW)).stdout == "1\n"
    (rule,) = gateway.only().spec.policy.network_policies.values()
    assert [(e.host, list(e.ports)) for e in rule.endpoints] == [("a.example.com", [443])]
    assert [b.path for b in rule.binaries] == ["/usr/bin/python3.11"]
    other = SandboxNetworkPolicy.allowlist("b.c", ports=(443,), block_private_networks=False)
    for policy in (other, SandboxNetworkPolicy.none(), SandboxNetworkPolicy.unrestricted()):
        with pytest.raises(SandboxPolicyUnsupportedError):
            provider.execute(request("print(1)", network_policy=policy))


@pytest.mark.docker
def test_identities_never_share_a_sandbox_and_calls_of_one_do(
    make: Callable[..., Any], gateway: LocalGateway
) -> None:
    """Each user gets a sandbox, once; the least recently used idle one goes for another."""
    provider = make(max_sandboxes=2)
    host = "import socket; print(socket.gethostname())"
    names = {user: provider.execute(request(host, user)).stdout for user in "uvu"}
    assert len(set(names.values())) == 2
    assert provider.execute(request(host, "u")).stdout == names["u"]
    provider.execute(request(host, "w"))
    assert len(gateway.state.sandboxes) == 2
    assert provider.execute(request(host, "u")).stdout == names["u"]


@pytest.mark.docker
def test_a_start_that_takes_longer_than_the_deadline_is_a_time_out(
    make: Callable[..., Any], gateway: LocalGateway
) -> None:
    """The making of a sandbox counts; what was made of it is deleted."""
    gateway.faults.never_ready = True
    result = make().execute(request("print(1)", timeout_seconds=1))
    assert (result.status, result.metadata["phase"]) == (SandboxStatus.TIMED_OUT, "sandbox")
    gateway.faults.never_ready = False


@pytest.mark.docker
def test_a_failing_gateway_is_told_by_phase_alone(
    make: Callable[..., Any], gateway: LocalGateway
) -> None:
    """The provider's error names the phase; through the runtime its own message is withheld."""
    gateway.faults.plan("CreateSandbox", "RESOURCE_EXHAUSTED", times=2)
    with pytest.raises(OpenShellSandboxError, match="sandbox") as caught:
        make().execute(request("print(1)"))
    assert caught.value.phase == "sandbox"
    declared = openshell.sandbox(connection=Connection(endpoint=gateway.endpoint))
    managed = ManagedSandbox(declared)
    with pytest.raises(Exception, match='in phase "sandbox"') as hidden:
        managed.execute(managed.request("print(1)"))
    assert "RESOURCE_EXHAUSTED" not in str(hidden.value)
    managed.close()


@pytest.mark.docker
def test_a_provider_can_have_sandboxes_ready(
    make: Callable[..., Any], gateway: LocalGateway
) -> None:
    """They are made when it is built; one that can't be made leaves nothing."""
    make(ready=2)
    assert len(gateway.state.sandboxes) == 2
    gateway.faults.break_provisioning = True
    with pytest.raises(Exception, match="error"):
        openshell.sandbox(connection=Connection(endpoint=gateway.endpoint), ready=2).build()
    assert len(gateway.state.sandboxes) == 2


@pytest.mark.docker
def test_kept_work_directories_give_back_only_what_a_call_changed(
    make: Callable[..., Any],
) -> None:
    """In a session an output of an earlier call comes back again only if it was written again."""
    provider = make(scope=OpenShellScope.SESSION)
    write = (
        "import os; os.makedirs('outputs', exist_ok=True); open('outputs/{0}', 'w').write('{0}')"
    )
    names = [
        [file.name for file in provider.execute(request(write.format(name))).output_files]
        for name in ("a", "b", "a")
    ]
    assert names == [["a"], ["b"], ["a"]]
    result = provider.execute(request("print(open('outputs/b').read())"))
    assert (result.stdout, result.output_files) == ("b\n", ())


@pytest.mark.docker
def test_files_beyond_one_message_move_whole(make: Callable[..., Any]) -> None:
    """Three megabytes in and out, links and special files counted and left."""
    data = bytes(range(256)) * (12 * 1024)
    code = (
        "import os, shutil\n"
        "os.makedirs('outputs')\n"
        "shutil.copy('d/in.bin', 'outputs/out.bin')\n"
        "os.symlink('/etc/passwd', 'outputs/link')\n"
        "os.mkfifo('outputs/pipe')\n"
    )
    files = (SandboxFile("d/in.bin", data),)
    result = make().execute(request(code, input_files=files))
    assert result.status is SandboxStatus.SUCCEEDED, result.stderr
    assert [(file.name, file.data == data) for file in result.output_files] == [("out.bin", True)]
    assert result.metadata["output_files_omitted"] == 2


@pytest.mark.docker
def test_what_a_dead_process_left_is_pruned_and_the_living_are_spared(
    make: Callable[..., Any], gateway: LocalGateway
) -> None:
    """A process that was killed leaves its sandbox; another process of this host removes it."""
    program = (
        "import os, sys, types\n"
        "package = types.ModuleType('harnest_extension_openshell')\n"
        f"package.__path__ = [{str(FOLDER)!r}]\n"
        "sys.modules[package.__name__] = package\n"
        "from harnest_extension_openshell.extension import Connection, openshell\n"
        f"there = Connection(endpoint={gateway.endpoint!r})\n"
        "openshell.sandbox(connection=there, ready=1).build()\n"
        "os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=False, timeout=300)
    provider = make()
    provider.execute(request("print(1)"))
    for protocol in (
        SandboxDiagnosingProvider,
        SandboxInventoryProvider,
        SandboxPruningProvider,
        SandboxStreamingProvider,
    ):
        assert isinstance(provider, protocol)
    alive = {item.resource_id: item.owner_alive for item in provider.inventory()}
    assert sorted(alive.values()) == [False, True]
    report = provider.prune()
    assert [alive[item.resource_id] for item in report.removed] == [False]
    assert report.kept == ()
    assert provider.execute(request("print(2)")).stdout == "2\n"
    states = {item.name: item.state.value for item in provider.diagnose()}
    assert states == {"gateway": "ok", "policy": "degraded"}


def test_a_gateway_that_is_not_there_is_diagnosed() -> None:
    """The diagnosis says so instead of raising."""
    declared = openshell.sandbox(connection=Connection(endpoint="127.0.0.1:1"))
    provider = declared.build()
    found = {item.name: item for item in provider.diagnose()}  # type: ignore[attr-defined]
    assert found["gateway"].state.value == "unavailable"
    provider.close()  # type: ignore[attr-defined]
