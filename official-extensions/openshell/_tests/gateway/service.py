"""The service: the SDK's own servicer, its requests carried out on containers."""

from __future__ import annotations

import functools
import math
import threading
import time
from typing import TYPE_CHECKING, Any

import grpc
from openshell._proto import datamodel_pb2, openshell_pb2, openshell_pb2_grpc, sandbox_pb2

from . import bounds, proxy
from .bounds import Refused
from .egress import Proxy
from .state import COMPLETED, DELETING, ERROR, PROVISIONING, READY, SandboxState, State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .faults import Faults

PLACEHOLDER = "openshell:resolve:env:"
_COMPLETED = openshell_pb2.DELETION_OUTCOME_COMPLETED
_ABSENT = openshell_pb2.DELETION_OUTCOME_ALREADY_ABSENT


def rpc(method: Callable[..., Any]) -> Callable[..., Any]:
    """Answer a request, or fail as planned; what is refused becomes its status."""

    @functools.wraps(method)
    def answer(self: Service, request: Any, context: grpc.ServicerContext) -> Any:
        name = method.__name__
        fault = self.faults.next(name)
        self.asked.append(name)
        if fault is not None and not fault.lost:
            context.abort(fault.code, f"{name} failed as planned")
        try:
            result = method(self, request)
        except Refused as refused:
            context.abort(refused.code, refused.detail)
        if fault is not None:
            context.abort(fault.code, f"the answer of {name} was lost as planned")
        return result

    return answer


class Service(openshell_pb2_grpc.OpenShellServicer):
    """The gateway.

    Args:
        state: What it holds.
        faults: What goes wrong.

    Attributes:
        asked: Names of the requests that came, in order.
        proxied: Whether sandboxes have an egress proxy that decides by their policy.
        forget_profiles: Whether providers are refused, with what they hold in the message.
    """

    def __init__(self, state: State, faults: Faults) -> None:
        self.state = state
        self.faults = faults
        self.asked: list[str] = []
        self.forget_profiles = False
        self.proxied = False
        self.threads: list[threading.Thread] = []

    @rpc
    def Health(self, request: Any) -> Any:
        """Say that all is well."""
        return openshell_pb2.HealthResponse(
            status=openshell_pb2.SERVICE_STATUS_HEALTHY, version="0.1.5-test"
        )

    @rpc
    def CreateSandbox(self, request: Any) -> Any:
        """Make a sandbox; it is ready later."""
        bounds.workspace(request)
        bounds.sandbox(request)
        made = SandboxState(name=request.name, spec=request.spec, labels=dict(request.labels))
        self.state.add(made)
        thread = threading.Thread(target=self._provision, args=(made,), daemon=True)
        self.threads.append(thread)
        thread.start()
        return openshell_pb2.SandboxResponse(sandbox=_message(made))

    @rpc
    def GetSandbox(self, request: Any) -> Any:
        """Describe a sandbox."""
        bounds.workspace(request)
        found = self.state.sandbox(request.name)
        with self.state.lock:
            found.looks += 1
            self._promote(found)
        return openshell_pb2.SandboxResponse(sandbox=_message(found))

    @rpc
    def ListSandboxes(self, request: Any) -> Any:
        """Describe a page of sandboxes whose labels match."""
        bounds.workspace(request)
        wanted = dict(item.split("=", 1) for item in request.label_selector.split(",") if item)
        with self.state.lock:
            found = sorted(self.state.sandboxes.values(), key=lambda item: item.name)
        matching = [item for item in found if wanted.items() <= item.labels.items()]
        start = int(request.page_token or 0)
        end = start + (request.page_size or 100)
        return openshell_pb2.ListSandboxesResponse(
            sandboxes=map(_message, matching[start:end]),
            next_page_token=str(end) if end < len(matching) else "",
        )

    @rpc
    def DeleteSandbox(self, request: Any) -> Any:
        """Delete a sandbox; it is gone a little later."""
        bounds.workspace(request)
        try:
            gone = self.state.sandbox(request.name)
        except Refused:
            if not request.allow_missing:
                raise
            return openshell_pb2.DeleteSandboxResponse(outcome=_ABSENT)
        gone.phase = DELETING
        thread = threading.Thread(target=self._remove, args=(gone,), daemon=True)
        self.threads.append(thread)
        thread.start()
        return openshell_pb2.DeleteSandboxResponse(
            outcome=openshell_pb2.DELETION_OUTCOME_ACCEPTED, sandbox_id=gone.sandbox_id
        )

    def ExecSandbox(self, request: Any, context: grpc.ServicerContext) -> Iterator[Any]:
        """Run a command; after its time-out say 124 and leave it running."""
        fault = self.faults.next("ExecSandbox")
        self.asked.append("ExecSandbox")
        if fault is not None and not fault.lost:
            context.abort(fault.code, "ExecSandbox failed as planned")
        try:
            bounds.workspace(request)
            bounds.command(request)
            found = self.state.ready(request.sandbox)
        except Refused as refused:
            context.abort(refused.code, refused.detail)
        for event in self._events(found, request, context):
            if fault is not None and event.WhichOneof("payload") == "exit":
                context.abort(fault.code, "the end of a command was lost as planned")
            yield event

    @rpc
    def ImportProviderProfiles(self, request: Any) -> Any:
        """Take profiles of providers."""
        bounds.workspace(request)
        for item in request.profiles:
            bounds.other_name(item.profile.id)
            if item.profile.id in self.state.profiles:
                raise Refused(grpc.StatusCode.ALREADY_EXISTS, "the profile exists")
            self.state.profiles[item.profile.id] = item.profile
        return openshell_pb2.ImportProviderProfilesResponse(imported=True)

    @rpc
    def CreateProvider(self, request: Any) -> Any:
        """Take a provider with its credentials."""
        bounds.workspace(request)
        provider = request.provider
        bounds.other_name(provider.metadata.name)
        if provider.type not in self.state.profiles:
            raise Refused(grpc.StatusCode.NOT_FOUND, f"profile {provider.type} not found")
        if provider.metadata.name in self.state.providers:
            raise Refused(grpc.StatusCode.ALREADY_EXISTS, "the provider exists")
        known = {item.name for item in self.state.profiles[provider.type].credentials}
        if self.forget_profiles or set(provider.credentials) != known:
            # A gateway that repeats what it was given: the client must not pass it on.
            raise bounds.invalid(f"unexpected credentials {dict(provider.credentials)}")
        self.state.providers[provider.metadata.name] = provider
        return openshell_pb2.ProviderResponse(
            provider=datamodel_pb2.Provider(metadata=provider.metadata, type=provider.type)
        )

    @rpc
    def DeleteProvider(self, request: Any) -> Any:
        """Delete a provider that no sandbox uses."""
        bounds.workspace(request)
        with self.state.lock:
            used = [s for s in self.state.sandboxes.values() if request.name in s.spec.providers]
            if used:
                raise Refused(grpc.StatusCode.FAILED_PRECONDITION, "the provider is in use")
            there = self.state.providers.pop(request.name, None) is not None
        return openshell_pb2.DeleteProviderResponse(outcome=_COMPLETED if there else _ABSENT)

    @rpc
    def DeleteProviderProfile(self, request: Any) -> Any:
        """Delete a profile."""
        bounds.workspace(request)
        if any(item.type == request.id for item in self.state.providers.values()):
            raise Refused(grpc.StatusCode.FAILED_PRECONDITION, "the profile is in use")
        there = self.state.profiles.pop(request.id, None) is not None
        return openshell_pb2.DeleteProviderProfileResponse(outcome=_COMPLETED if there else _ABSENT)

    @rpc
    def GetSandboxLogs(self, request: Any) -> Any:
        """Return the last lines of a sandbox's log."""
        bounds.workspace(request)
        found = self.state.sandbox(request.sandbox)
        since = request.since_time.ToNanoseconds() / 1e9
        lines = [(at, text) for at, text in found.logs if at >= since][-(request.lines or 100) :]
        answer = openshell_pb2.GetSandboxLogsResponse(buffer_total=len(found.logs))
        for at, text in lines:
            line = answer.logs.add(sandbox_id=found.sandbox_id, level="info", message=text)
            line.event_time.FromNanoseconds(round(at * 1e9))
        return answer

    @rpc
    def GetSandboxConfig(self, request: Any) -> Any:
        """Return the policy that a sandbox runs under."""
        bounds.workspace(request)
        found = self.state.sandbox(request.name)
        return sandbox_pb2.GetSandboxConfigResponse(
            policy=found.spec.policy,
            version=found.policy_version,
            policy_source=sandbox_pb2.POLICY_SOURCE_SANDBOX,
        )

    @rpc
    def GetDraftPolicy(self, request: Any) -> Any:
        """Return the proposals for a sandbox's policy."""
        bounds.workspace(request)
        found = self.state.sandbox(request.sandbox)
        wanted = request.status_filter
        chunks = [item for item in found.chunks if wanted in ("", item.status)]
        return openshell_pb2.GetDraftPolicyResponse(chunks=chunks)

    @rpc
    def ApproveDraftChunk(self, request: Any) -> Any:
        """Put a proposal into the policy, if it is the one that was reviewed."""
        found, chunk = self._chunk(request)
        if request.review_token != chunk.review_token:
            raise Refused(grpc.StatusCode.FAILED_PRECONDITION, "the review token is stale")
        chunk.status = "approved"
        found.spec.policy.network_policies[chunk.rule_name].CopyFrom(chunk.proposed_rule)
        found.policy_version += 1
        if found.proxy is not None:
            found.proxy.write_policy()
        return openshell_pb2.ApproveDraftChunkResponse(policy_version=found.policy_version)

    @rpc
    def RejectDraftChunk(self, request: Any) -> Any:
        """Refuse a proposal."""
        _, chunk = self._chunk(request)
        chunk.status, chunk.rejection_reason = "rejected", request.reason
        return openshell_pb2.RejectDraftChunkResponse()

    def _chunk(self, request: Any) -> tuple[SandboxState, Any]:
        bounds.workspace(request)
        found = self.state.sandbox(request.sandbox)
        for chunk in found.chunks:
            if chunk.id == request.chunk_id and chunk.status == "pending":
                return found, chunk
        raise Refused(grpc.StatusCode.NOT_FOUND, f"chunk {request.chunk_id} not found")

    def _provision(self, made: SandboxState) -> None:
        image = "absent" if self.faults.break_provisioning else made.spec.template.image
        try:
            container = self.state.stock.take(image, made.spec.command)
            if self.proxied:
                made.proxy = Proxy(container.name, made)
        except Exception as error:  # noqa: BLE001 - whatever it is, the sandbox is not ready
            made.phase, made.reason = ERROR, str(error)[:200]
            return
        with self.state.lock:
            made.container = container
            gone = made.phase == DELETING
            self._promote(made)
        if gone:
            self.state.stock.drop(container)

    def _promote(self, made: SandboxState) -> None:
        """Let a sandbox be ready that has its container and was looked at often enough."""
        if made.phase == PROVISIONING and made.container and made.looks >= self.faults.looks:
            made.phase = PROVISIONING if self.faults.never_ready else READY

    def _remove(self, gone: SandboxState) -> None:
        self.state.discard(gone)

    def _events(
        self, found: SandboxState, request: Any, context: grpc.ServicerContext
    ) -> Iterator[Any]:
        environment = {**found.spec.environment, **self._placeholders(found)}
        environment |= dict(request.environment)
        if found.proxy is not None:
            environment |= {"HTTPS_PROXY": proxy.ADDRESS}
        if found.container is None:
            raise Refused(grpc.StatusCode.FAILED_PRECONDITION, "the sandbox has no container")
        running = found.container.agent.run(
            found.spec.policy.process.run_as_user,
            request.command,
            request.stdin,
            environment,
            request.workdir or "/sandbox",
        )
        given_up = self.faults.give_up and self.faults.give_up in " ".join(request.command)
        seconds = request.execution_timeout.seconds
        limit = time.monotonic() + seconds if seconds else math.inf
        try:
            for stream, data in running.events(context.is_active):
                if data is None:
                    found.phase = found.phase if found.phase == DELETING else COMPLETED
                    context.abort(grpc.StatusCode.UNAVAILABLE, "the sandbox is over")
                if stream:
                    yield _event(stream, data)
                if stream != "exit" and (time.monotonic() > limit or (stream and given_up)):
                    yield _event("exit", 124)
                    return
        finally:
            running.leave()

    def _placeholders(self, found: SandboxState) -> dict[str, str]:
        names = [
            name
            for provider in found.spec.providers
            for name in self.state.providers[provider].credentials
        ]
        return {name: PLACEHOLDER + name for name in names}


def _event(stream: str, data: Any) -> Any:
    if stream == "exit":
        return openshell_pb2.ExecSandboxEvent(exit=openshell_pb2.ExecSandboxExit(exit_code=data))
    if stream == "stdout":
        return openshell_pb2.ExecSandboxEvent(stdout=openshell_pb2.ExecSandboxStdout(data=data))
    return openshell_pb2.ExecSandboxEvent(stderr=openshell_pb2.ExecSandboxStderr(data=data))


def _message(found: SandboxState) -> Any:
    message = openshell_pb2.Sandbox(spec=found.spec)
    message.metadata.id, message.metadata.name = found.sandbox_id, found.name
    message.metadata.workspace = "default"
    message.metadata.labels.update(found.labels)
    message.metadata.created_time.FromNanoseconds(round(found.created * 1e9))
    message.status.phase = found.phase
    if found.reason:
        message.status.conditions.add(type="Ready", reason="Failed", message=found.reason)
    return message
