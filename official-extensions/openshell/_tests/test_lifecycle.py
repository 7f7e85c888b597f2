"""Sandboxes made, attached to and deleted; whatever goes wrong on the way, nothing is left."""

from __future__ import annotations

import asyncio
import re
import threading
from typing import TYPE_CHECKING, Any

import pytest
from harnest_extension_openshell.extension import (
    Connection,
    DeleteFailedError,
    Endpoint,
    NetworkRule,
    OpenShellBackend,
    OpenShellConfig,
    OpenShellStartError,
    OpenShellUnavailableError,
    OwnershipError,
    Policy,
    PolicyDiffersError,
    Secret,
)
from support import until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gateway.server import LocalGateway

pytestmark = pytest.mark.docker

NOTHING: tuple[list[str], list[str], list[str]] = ([], [], [])
ALLOWING = Policy(
    network=[
        NetworkRule(
            name="api",
            endpoints=[Endpoint(host="api.example.com", ports=[443], protocol="rest")],
            programs=["/usr/bin/python3.11"],
        )
    ]
)


def started(backend: OpenShellBackend) -> OpenShellBackend:
    """Start a backend in an event loop of its own."""
    asyncio.run(backend.start())
    return backend


def closed(gateway: LocalGateway, *backends: OpenShellBackend) -> None:
    """Close backends; nothing of theirs is left then."""
    for backend in backends:
        asyncio.run(backend.close())
    assert gateway.left() == NOTHING


@pytest.fixture
def secret(monkeypatch: pytest.MonkeyPatch) -> Secret:
    """A secret whose value is set."""
    monkeypatch.setenv("OPENSHELL_TEST_SECRET", "s3cret-value")
    return Secret(name="OPENSHELL_TEST_SECRET", hosts=["api.example.com"])


def ran(backend: OpenShellBackend, command: str) -> str:
    """Return what a command prints."""
    return asyncio.run(backend.execute_command(command)).stdout


def test_a_sandbox_is_made_with_everything_explicit(
    backend: Callable[..., OpenShellBackend], gateway: LocalGateway
) -> None:
    """Name, labels and the whole policy are sent; the default denies every connection."""
    opened = started(backend(session_id="s" * 1000))
    found = gateway.only()
    assert found.name == opened.sandbox_name
    assert re.fullmatch(r"[a-z](?:-?[a-z0-9]){0,18}", found.name)
    assert found.labels["harnest.dev/managed-by"] == "harnest"
    assert found.spec.HasField("policy")
    assert dict(found.spec.policy.network_policies) == {}
    assert found.spec.policy.landlock.compatibility == "hard_requirement"
    assert found.spec.policy.process.run_as_user == "sandbox"
    assert list(found.spec.policy.filesystem.read_write) == ["/dev/null", "/sandbox", "/tmp"]
    closed(gateway, opened)


def test_two_sessions_with_a_common_prefix_never_share_a_sandbox(
    backend: Callable[..., OpenShellBackend], gateway: LocalGateway
) -> None:
    """Ids that differ only behind the 19th character are two sandboxes."""
    first = started(backend(session_id="customer-0001-session-a"))
    second = started(backend(session_id="customer-0001-session-b"))
    ran(first, "echo first >mark")
    assert ran(second, "cat mark 2>/dev/null || echo nothing") == "nothing\n"
    assert len(gateway.state.sandboxes) == 2
    closed(gateway, first, second)


def test_a_second_owners_close_does_not_delete_the_firsts_sandbox(
    backend: Callable[..., OpenShellBackend], gateway: LocalGateway
) -> None:
    """Whoever attached to a session's sandbox leaves it to the one that made it."""
    first = started(backend(session_id="shared", owner="me"))
    ran(first, "echo kept >mark")
    second = started(backend(session_id="shared", owner="me"))
    assert second.sandbox_name == first.sandbox_name
    assert ran(second, "cat mark") == "kept\n"
    asyncio.run(second.close())
    assert ran(first, "cat mark") == "kept\n"
    closed(gateway, first)


def test_starting_and_closing_twice_at_once_is_doing_it_once(
    backend: Callable[..., OpenShellBackend], gateway: LocalGateway
) -> None:
    """Two tasks that start one backend get one sandbox, and two that close it delete it."""

    async def main() -> None:
        made = backend()
        await asyncio.gather(made.start(), made.start())
        assert gateway.service.asked.count("CreateSandbox") == 1
        await asyncio.gather(made.close(), made.close())

    asyncio.run(main())
    assert gateway.left() == NOTHING


def test_another_owners_sandbox_is_neither_used_nor_deleted(
    backend: Callable[..., OpenShellBackend], gateway: LocalGateway
) -> None:
    """A sandbox of the right name with another owner's label is refused, and stays."""
    first = started(backend(session_id="s", owner="me"))
    gateway.only().labels["harnest.dev/owner"] = "somebody-else"
    with pytest.raises(OwnershipError, match="not this owner's"):
        started(backend(session_id="s", owner="me"))
    with pytest.raises(OwnershipError, match="not deleted"):
        asyncio.run(first.delete())
    assert len(gateway.state.sandboxes) == 1
    asyncio.run(first.close())  # its own labels are gone: it is not its own any more
    assert len(gateway.state.sandboxes) == 1


def test_attaching_can_be_refused(
    backend: Callable[..., OpenShellBackend], gateway: LocalGateway
) -> None:
    """With attach=False a session's sandbox is made new or not at all."""
    first = started(backend(session_id="s"))
    with pytest.raises(OwnershipError, match="attach is False"):
        started(backend(session_id="s", attach=False))
    assert ran(first, "echo still") == "still\n"
    closed(gateway, first)


def test_a_sandbox_under_another_policy_is_not_attached_to(
    backend: Callable[..., OpenShellBackend], gateway: LocalGateway
) -> None:
    """A wider, narrower or otherwise different policy is refused and named; the same is not."""
    first = started(backend(session_id="s", policy=ALLOWING))
    same = started(backend(session_id="s", policy=ALLOWING))
    asyncio.run(same.close())
    for policy in (Policy(), Policy(network=ALLOWING.network, landlock="best_effort")):
        with pytest.raises(PolicyDiffersError, match=r"network_policies|landlock"):
            started(backend(session_id="s", policy=policy))
    assert ran(first, "echo still") == "still\n"
    closed(gateway, first)


def test_an_owner_can_delete_a_sandbox_that_it_attached_to(
    backend: Callable[..., OpenShellBackend], gateway: LocalGateway
) -> None:
    """What a vanished maker left is deleted on request, with its providers."""
    started(backend(session_id="s"))
    second = started(backend(session_id="s"))
    asyncio.run(second.delete())
    assert gateway.left() == NOTHING


@pytest.mark.parametrize("fault", ["break_provisioning", "never_ready"])
def test_a_failed_start_deletes_what_it_made(
    backend: Callable[..., OpenShellBackend],
    gateway: LocalGateway,
    secret: Secret,
    fault: str,
) -> None:
    """A sandbox that ends in error, or is never ready, is gone when the error comes out."""
    setattr(gateway.faults, fault, True)
    made = backend(ready_seconds=1, policy=ALLOWING, secrets=[secret])
    with pytest.raises(OpenShellStartError, match=r"error|not ready"):
        started(made)
    assert gateway.left() == NOTHING


@pytest.mark.parametrize(
    "what", ["CreateSandbox", "ImportProviderProfiles", "CreateProvider", "ExecSandbox"]
)
def test_a_start_that_the_gateway_refuses_leaves_nothing(
    backend: Callable[..., OpenShellBackend],
    gateway: LocalGateway,
    secret: Secret,
    what: str,
) -> None:
    """Whichever request is refused, what the ones before it made is deleted."""
    gateway.faults.plan(what, "RESOURCE_EXHAUSTED")
    with pytest.raises(OpenShellStartError, match=f"{what} with RESOURCE_EXHAUSTED"):
        started(backend(policy=ALLOWING, secrets=[secret]))
    assert gateway.left() == NOTHING


def test_a_project_that_can_not_be_copied_leaves_nothing(
    backend: Callable[..., OpenShellBackend], gateway: LocalGateway, project: Path
) -> None:
    """A failing upload is a failed start; what can't be deleted then is named with the reason."""
    deep = project.joinpath(*["d"] * 70)
    deep.mkdir(parents=True)
    made = backend(project=project)
    with pytest.raises(OpenShellStartError, match="levels"):
        started(made)
    assert gateway.left() == NOTHING
    gateway.faults.plan("DeleteSandbox", "PERMISSION_DENIED")
    with pytest.raises(OpenShellStartError, match=r"levels.*PERMISSION_DENIED") as caught:
        started(made)
    assert gateway.only().name in str(caught.value)


@pytest.mark.parametrize("times", [1, 3])
def test_a_lost_answer_to_the_creation_makes_no_second_sandbox(
    backend: Callable[..., OpenShellBackend], gateway: LocalGateway, times: int
) -> None:
    """The sandbox that the lost request made is recognised by its label and used."""
    gateway.faults.plan("CreateSandbox", "UNAVAILABLE", lost=True, times=times)
    opened = started(backend())
    assert len(gateway.state.sandboxes) == 1
    closed(gateway, opened)


def test_lost_answers_everywhere_leave_nothing(
    backend: Callable[..., OpenShellBackend], gateway: LocalGateway
) -> None:
    """Requests that are safe to repeat are repeated, also while deleting."""
    for what in ("Health", "GetSandbox", "CreateSandbox", "DeleteSandbox"):
        gateway.faults.plan(what, "UNAVAILABLE", lost=True)
        gateway.faults.plan(what, "UNAVAILABLE")
    opened = started(backend())
    assert ran(opened, "echo ok") == "ok\n"
    closed(gateway, opened)


def test_a_slow_sandbox_is_waited_for(
    backend: Callable[..., OpenShellBackend], gateway: LocalGateway
) -> None:
    """Provisioning may take its time, as long as it is within the bound."""
    gateway.faults.looks = 4
    opened = started(backend())
    assert ran(opened, "echo ok") == "ok\n"
    assert gateway.only().looks >= 4
    asyncio.run(opened.close())


@pytest.mark.parametrize("moment", ["provisioning", "copying", "done"])
def test_a_cancelled_start_deletes_what_it_made(
    backend: Callable[..., OpenShellBackend], gateway: LocalGateway, project: Path, moment: str
) -> None:
    """Whoever does not wait for a start is left with nothing on the gateway, however late it is."""
    gateway.faults.never_ready = moment == "provisioning"
    with (project / "large").open("wb") as file:
        file.truncate(512 << 20)  # 1024 pieces
    asked = gateway.service.asked

    async def main() -> None:
        start = asyncio.create_task(backend(project=project, exclude=exclude).start())
        if moment == "provisioning":
            await until(lambda: bool(gateway.state.sandboxes))
        elif moment == "copying":
            await until(lambda: asked.count("ExecSandbox") > 1)
        else:
            while not (begun := [t for t in threading.enumerate() if t.name == "harnest-sandbox"]):  # noqa: ASYNC110 - a thread
                await asyncio.sleep(0)
            for thread in begun:
                thread.join(60)  # this task has not heard yet that it is done
            assert "CreateSandbox" in asked
        start.cancel()
        with pytest.raises(asyncio.CancelledError):
            await start
        await until(lambda: gateway.left() == NOTHING)

    exclude = ["large"] if moment == "done" else []
    asyncio.run(main())
    assert asked.count("ExecSandbox") < 512


def test_a_failing_deletion_is_told_by_name_and_can_be_repeated(
    backend: Callable[..., OpenShellBackend], gateway: LocalGateway
) -> None:
    """Closing says what is left; closing again deletes it."""
    opened = started(backend())
    gateway.faults.plan("DeleteSandbox", "PERMISSION_DENIED")
    with pytest.raises(DeleteFailedError, match=opened.sandbox_name):
        asyncio.run(opened.close())
    closed(gateway, opened)


def test_a_sandbox_that_is_gone_already_is_no_error_in_closing(
    backend: Callable[..., OpenShellBackend], gateway: LocalGateway
) -> None:
    """Somebody else deleted it: there is nothing left to do."""
    opened = started(backend())
    gateway.state.discard(gateway.only())
    closed(gateway, opened)


def test_an_image_without_what_commands_need_is_refused(
    backend: Callable[..., OpenShellBackend], gateway: LocalGateway
) -> None:
    """A work directory that can't be written to is found out at the start, not at a command."""
    with pytest.raises(OpenShellStartError, match="not writable"):
        started(backend(work="/usr"))
    assert gateway.left() == NOTHING


def test_secrets_are_placeholders_inside_and_providers_are_deleted(
    backend: Callable[..., OpenShellBackend],
    gateway: LocalGateway,
    secret: Secret,
) -> None:
    """The gateway gets the value, bound to the secret's hosts; no program can read it."""
    opened = started(backend(policy=ALLOWING, secrets=[secret]))
    (provider,) = gateway.state.providers.values()
    (profile,) = gateway.state.profiles.values()
    assert dict(provider.credentials) == {"OPENSHELL_TEST_SECRET": "s3cret-value"}
    assert [(e.host, list(e.ports)) for e in profile.endpoints] == [("api.example.com", [443])]
    assert [b.path for b in profile.binaries] == ["/usr/bin/python3.11"]
    spec = gateway.only().spec
    endpoint = spec.policy.network_policies["api"].endpoints[0]
    assert endpoint.credential_binding.provider == provider.metadata.name
    assert list(spec.providers) == [provider.metadata.name]
    assert "s3cret-value" not in str(spec)
    assert ran(opened, "echo $OPENSHELL_TEST_SECRET").startswith("openshell:resolve:env:")
    assert "s3cret-value" not in ran(opened, "env; cat /proc/*/environ 2>/dev/null | tr '\\0' ' '")
    closed(gateway, opened)


def test_a_gateway_that_repeats_a_secret_does_not_bring_it_into_an_error(
    backend: Callable[..., OpenShellBackend],
    gateway: LocalGateway,
    secret: Secret,
) -> None:
    """What a gateway says is redacted before it becomes a message, however it failed."""
    made = backend(policy=ALLOWING, secrets=[secret])
    gateway.service.forget_profiles = True
    with pytest.raises(OpenShellStartError) as caught:
        started(made)
    assert "***" in str(caught.value)
    shown = repr(caught.value) + str(caught.value.__cause__) + str(caught.value.__context__)
    assert "s3cret-value" not in shown
    assert "s3cret-value" not in repr(made) + repr(made.config)
    assert gateway.left() == NOTHING


def test_a_gateway_that_is_not_there_is_told_before_anything_is_made(daemon: None) -> None:
    """No answer is an unavailable tier, with a remedy; nothing else is taken instead."""
    config = OpenShellConfig(connection=Connection(endpoint="127.0.0.1:1"))
    with pytest.raises(OpenShellUnavailableError, match="does not answer"):
        started(OpenShellBackend(config))


def test_the_gateway_refuses_what_the_service_would(gateway: LocalGateway) -> None:
    """The gateway of these tests has the real limits: what is sent past our checks fails."""
    import grpc  # noqa: PLC0415 - slow to import
    import openshell  # noqa: PLC0415 - likewise
    from openshell._proto import openshell_pb2 as pb  # noqa: PLC0415 - likewise

    with openshell.SandboxClient(gateway.endpoint) as client:
        policy = pb.SandboxSpec()
        policy.policy.version = 1
        policy.command.extend(["sleep", "1000"])
        for name, code in (
            ("a" * 20, "INVALID_ARGUMENT"),
            ("a--b", "INVALID_ARGUMENT"),
            ("9a", "INVALID_ARGUMENT"),
        ):
            with pytest.raises(grpc.RpcError) as caught:
                client.create(workspace="default", spec=policy, name=name)
            assert caught.value.code().name == code
        with pytest.raises(grpc.RpcError) as caught:
            client.create(workspace="default", name="no-policy")
        assert caught.value.code().name == "INVALID_ARGUMENT"
        client.create(workspace="default", spec=policy, name="a")
        with pytest.raises(grpc.RpcError) as caught:
            client.create(workspace="default", spec=policy, name="a")
        assert caught.value.code().name == "ALREADY_EXISTS"
        oversized: list[tuple[dict[str, Any], str]] = [
            ({"command": ["x" * (32 * 1024 + 1)]}, "INVALID_ARGUMENT"),
            ({"command": ["x"] * 1025}, "INVALID_ARGUMENT"),
            ({"command": ["x"], "stdin": b"x" * (1 << 20)}, "RESOURCE_EXHAUSTED"),
        ]
        for options, code in oversized:
            with pytest.raises(grpc.RpcError) as caught:
                list(client.exec_stream("a", workspace="default", **options))
            assert caught.value.code().name == code
        with pytest.raises(grpc.RpcError) as caught:
            client.get("absent", workspace="default")
        assert caught.value.code().name == "NOT_FOUND"
