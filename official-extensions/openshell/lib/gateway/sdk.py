"""The gateway port on the ``openshell`` SDK: the one module that imports it, gRPC and protobuf.

It needs private parts of the SDK - the stub and the messages - since it has no public calls to
cancel a command, to make providers or to read policies. They may change with any release, so a
version of another series than the one that was tried is refused before any of them is touched.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from .. import limits
from ..errors import GatewayRefusedError, OpenShellUnavailableError
from .messages import facts_of, line_of, pending_of
from .port import (
    Connection,
    Exec,
    ExecEvent,
    LogLine,
    PendingRule,
    SandboxFacts,
    SandboxWish,
    Stream,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType

__all__ = ["SUPPORTED", "SdkGateway", "connect", "refuse_version"]

SUPPORTED: Final = (0, 1)
"""Series of the SDK whose private parts are used here."""
_INSTALL: Final = 'Install it with "openshell>=0.1,<0.2".'


def refuse_version(version: str | None) -> None:
    """Refuse an SDK that is not there or of another series.

    Args:
        version: Version of the installed distribution; None if there is none.

    Raises:
        OpenShellUnavailableError: It can't be used.
    """
    if version is None:
        raise OpenShellUnavailableError("the package openshell is not installed", _INSTALL)
    wanted = ".".join(map(str, SUPPORTED))
    if version.split(".")[:2] != wanted.split("."):
        raise OpenShellUnavailableError(
            f"openshell {version} is installed, and only {wanted}.x was tried with this extension",
            _INSTALL,
        )


def connect(connection: Connection, redact: Callable[[str], str] = str) -> SdkGateway:
    """Return a connection to a gateway; nothing is sent yet.

    Args:
        connection: Which gateway.
        redact: Takes what the gateway says, returns it without secrets.

    Raises:
        OpenShellUnavailableError: The SDK can't be used, or there is no such gateway.
    """
    try:
        version = importlib.metadata.version("openshell")
    except importlib.metadata.PackageNotFoundError:
        version = None
    refuse_version(version)
    try:
        return SdkGateway(connection, redact)
    except (ImportError, AttributeError) as error:
        raise OpenShellUnavailableError(
            f"openshell {version} can't be used ({type(error).__name__})", _INSTALL
        ) from None


class SdkGateway:
    """A gateway by the SDK's client.

    Args:
        connection: Which gateway.
        redact: Takes what the gateway says, returns it without secrets.
    """

    def __init__(self, connection: Connection, redact: Callable[[str], str]) -> None:
        self._sdk = importlib.import_module("openshell")
        self._grpc = importlib.import_module("grpc")
        self._pb = importlib.import_module("openshell._proto.openshell_pb2")
        self._policy = importlib.import_module("openshell._proto.sandbox_pb2")
        self._data = importlib.import_module("openshell._proto.datamodel_pb2")
        self._json = importlib.import_module("google.protobuf.json_format")
        self._redact = redact
        self._workspace = connection.workspace
        self._client = self._connected(connection)
        self._stub = self._client._stub  # noqa: SLF001 - see the module's docstring

    def __repr__(self) -> str:
        return f"SdkGateway(workspace={self._workspace!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the connection."""
        self._client.close()

    def version(self, seconds: float) -> str:
        """Return the gateway's version."""
        answer = self._ask("Health", self._pb.HealthRequest(), seconds)
        if answer.status == self._pb.SERVICE_STATUS_UNHEALTHY:
            raise GatewayRefusedError("Health", "UNAVAILABLE", "the gateway says it is unhealthy")
        return str(answer.version)

    def create(self, wish: SandboxWish, seconds: float) -> SandboxFacts:
        """Make a sandbox."""
        spec = self._pb.SandboxSpec(
            environment=dict(wish.environment),
            providers=list(wish.providers),
            command=list(wish.command),
            template=self._pb.SandboxTemplate(image=wish.image),
            policy=self._parsed(self._policy.SandboxPolicy, wish.policy),
        )
        request = self._pb.CreateSandboxRequest(
            spec=spec, name=wish.name, labels=dict(wish.labels), request_id=wish.request_id
        )
        return facts_of(
            self._ask("CreateSandbox", self._scoped(request), seconds).sandbox, self._redact
        )

    def get(self, name: str, seconds: float) -> SandboxFacts:
        """Return a sandbox."""
        request = self._scoped(self._pb.GetSandboxRequest(name=name))
        return facts_of(self._ask("GetSandbox", request, seconds).sandbox, self._redact)

    def listed(self, selector: str, seconds: float) -> tuple[SandboxFacts, ...]:
        """Return the sandboxes whose labels match, page by page."""
        found: list[SandboxFacts] = []
        token = ""
        for _ in range(limits.PAGES):
            request = self._pb.ListSandboxesRequest(
                page_size=limits.PAGE_ITEMS, page_token=token, label_selector=selector
            )
            answer = self._ask("ListSandboxes", self._scoped(request), seconds)
            found.extend(facts_of(item, self._redact) for item in answer.sandboxes)
            token = answer.next_page_token
            if not token:
                break
        return tuple(found)

    def delete(self, name: str, seconds: float) -> None:
        """Delete a sandbox."""
        request = self._pb.DeleteSandboxRequest(name=name, allow_missing=True)
        self._delete("DeleteSandbox", request, seconds)

    def start_exec(self, call: Exec, seconds: float) -> SdkExec:
        """Run a command."""
        request = self._pb.ExecSandboxRequest(
            sandbox=call.sandbox,
            command=list(call.command),
            workdir=call.directory,
            environment=dict(call.environment),
            stdin=call.stdin,
            no_login_shell=True,
        )
        request.execution_timeout.seconds = call.timeout_seconds
        try:
            stream = self._stub.ExecSandbox(self._scoped(request), timeout=seconds)
        except self._grpc.RpcError as error:
            raise self._refusal("ExecSandbox", error) from None
        return SdkExec(stream, self._grpc.RpcError, lambda e: self._refusal("ExecSandbox", e))

    def policy(self, name: str, seconds: float) -> Mapping[str, Any]:
        """Return the policy that a sandbox runs under."""
        request = self._scoped(self._policy.GetSandboxConfigRequest(name=name))
        return self._plain(self._ask("GetSandboxConfig", request, seconds).policy)

    def logs(self, name: str, since: float | None, seconds: float) -> tuple[LogLine, ...]:
        """Return the last lines of a sandbox's log."""
        request = self._pb.GetSandboxLogsRequest(sandbox=name, lines=limits.LOG_LINES)
        if since is not None:
            request.since_time.FromNanoseconds(round(since * 1e9))
        answer = self._ask("GetSandboxLogs", self._scoped(request), seconds)
        return tuple(map(line_of, answer.logs))

    def pending(self, name: str, seconds: float) -> tuple[PendingRule, ...]:
        """Return the rules that wait for a decision."""
        request = self._pb.GetDraftPolicyRequest(sandbox=name, status_filter="pending")
        answer = self._ask("GetDraftPolicy", self._scoped(request), seconds)
        return tuple(map(pending_of, answer.chunks[: limits.PENDING_RULES]))

    def approve(self, name: str, rule: PendingRule, seconds: float) -> None:
        """Put a pending rule into the policy."""
        request = self._pb.ApproveDraftChunkRequest(
            sandbox=name, chunk_id=rule.rule_id, review_token=rule.review_token
        )
        self._ask("ApproveDraftChunk", self._scoped(request), seconds)

    def reject(self, name: str, rule: PendingRule, reason: str, seconds: float) -> None:
        """Refuse a pending rule."""
        request = self._pb.RejectDraftChunkRequest(
            sandbox=name, chunk_id=rule.rule_id, reason=reason
        )
        self._ask("RejectDraftChunk", self._scoped(request), seconds)

    def create_provider(
        self, profile: Mapping[str, Any], values: Mapping[str, str], seconds: float
    ) -> None:
        """Make a provider from a profile of its own name."""
        item = self._pb.ProviderProfileImportItem(
            profile=self._parsed(self._pb.ProviderProfile, profile), source="harnest"
        )
        request = self._scoped(self._pb.ImportProviderProfilesRequest(profiles=[item]))
        answer = self._ask("ImportProviderProfiles", request, seconds)
        if not answer.imported:
            said = "; ".join(f"{item.field}: {item.message}" for item in answer.diagnostics)
            said = self._redact(said)
            raise GatewayRefusedError("ImportProviderProfiles", "INVALID_ARGUMENT", said)
        provider = self._data.Provider(type=profile["id"], credentials=dict(values))
        provider.metadata.name = profile["id"]
        provider.profile_workspace = self._workspace
        self._ask(
            "CreateProvider",
            self._scoped(self._pb.CreateProviderRequest(provider=provider)),
            seconds,
        )

    def delete_provider(self, name: str, seconds: float) -> None:
        """Delete a provider and its profile."""
        request = self._pb.DeleteProviderRequest(name=name, allow_missing=True)
        self._delete("DeleteProvider", request, seconds)
        profile = self._pb.DeleteProviderProfileRequest(id=name, allow_missing=True)
        self._delete("DeleteProviderProfile", profile, seconds)

    def _connected(self, connection: Connection) -> Any:
        if connection.endpoint is None:
            try:
                return self._sdk.SandboxClient.from_active_cluster(timeout=limits.RPC_SECONDS)
            except (self._sdk.SandboxError, OSError, ValueError) as error:
                raise OpenShellUnavailableError(
                    f"there is no active gateway ({type(error).__name__})",
                    "Select one with the openshell command, set OPENSHELL_GATEWAY to its name, or "
                    "name an endpoint.",
                ) from None
        paths = {
            name: Path(path)
            for name in ("ca_path", "cert_path", "key_path")
            if (path := getattr(connection, name)) is not None
        }
        return self._sdk.SandboxClient(
            connection.endpoint,
            tls=self._sdk.TlsConfig(**paths) if connection.secured else None,
            bearer_token=connection.token,
            timeout=limits.RPC_SECONDS,
        )

    def _scoped(self, request: Any) -> Any:
        request.workspace_scope.workspace = self._workspace
        return request

    def _ask(self, what: str, request: Any, seconds: float) -> Any:
        try:
            return getattr(self._stub, what)(request, timeout=seconds)
        except self._grpc.RpcError as error:
            raise self._refusal(what, error) from None

    def _delete(self, what: str, request: Any, seconds: float) -> None:
        try:
            self._ask(what, self._scoped(request), seconds)
        except GatewayRefusedError as error:
            if error.code != "NOT_FOUND":
                raise

    def _refusal(self, what: str, error: Any) -> GatewayRefusedError:
        code = error.code() if callable(getattr(error, "code", None)) else None
        said = error.details() if callable(getattr(error, "details", None)) else ""
        return GatewayRefusedError(what, code.name if code else "UNKNOWN", self._redact(said or ""))

    def _parsed(self, kind: Any, message: Mapping[str, Any]) -> Any:
        return self._json.ParseDict(dict(message), kind())

    def _plain(self, message: Any) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._json.MessageToDict(
            message, preserving_proto_field_name=True
        )
        return found


class SdkExec:
    """A command that runs.

    Args:
        stream: The call.
        failure: Type of what iterating it raises.
        refusal: Makes our own error of it.
    """

    def __init__(
        self, stream: Any, failure: type[Exception], refusal: Callable[[Any], GatewayRefusedError]
    ) -> None:
        self._stream = stream
        self._failure = failure
        self._refusal = refusal

    def __iter__(self) -> Iterator[ExecEvent]:
        try:
            for event in self._stream:
                kind = event.WhichOneof("payload")
                if kind == "exit":
                    yield ExecEvent(stream=Stream.EXIT, exit_code=int(event.exit.exit_code))
                    return
                if kind is not None:
                    yield ExecEvent(stream=Stream(kind), data=bytes(getattr(event, kind).data))
        except self._failure as error:
            raise self._refusal(error) from None

    def cancel(self) -> None:
        """Stop listening."""
        self._stream.cancel()
