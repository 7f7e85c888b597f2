"""What a gateway refuses: the bounds of the service, checked as strictly as it checks them."""

from __future__ import annotations

import re
from typing import Any

import grpc

MESSAGE_BYTES = 1024 * 1024
SANDBOX_NAME = re.compile(r"[a-z](?:-?[a-z0-9]){0,18}")
OTHER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,252}")
LABEL_VALUE = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?")
POLICY_BYTES = 256 * 1024
ARGUMENTS, ARGUMENT_BYTES = 1024, 32 * 1024
PROVIDERS = 32


class Refused(Exception):
    """A request is answered with an error."""

    def __init__(self, code: grpc.StatusCode, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


def invalid(detail: str) -> Refused:
    """Return the refusal of a request that can't be right."""
    return Refused(grpc.StatusCode.INVALID_ARGUMENT, detail)


def workspace(request: Any) -> None:
    """Refuse a request without a workspace."""
    if not request.workspace_scope.workspace:
        raise invalid("workspace_scope is required")


def sandbox(request: Any) -> None:
    """Refuse a sandbox that could not be made."""
    name, spec = request.name, request.spec
    if len(name) > 19 or not SANDBOX_NAME.fullmatch(name):
        raise invalid(f"name {name!r} is no DNS label of at most 19 characters")
    if any(not LABEL_VALUE.fullmatch(value) for value in request.labels.values()):
        raise invalid("a label's value is longer than 63 characters or holds others")
    if len(spec.providers) > PROVIDERS:
        raise invalid(f"more than {PROVIDERS} providers")
    if not spec.HasField("policy"):
        raise invalid("this gateway's image brings no policy: send one")
    policy(spec.policy)


def policy(message: Any) -> None:
    """Refuse a policy that is too large or holds a path or host that it may not."""
    if message.ByteSize() > POLICY_BYTES:
        raise invalid(f"the policy has more than {POLICY_BYTES} bytes")
    if message.version != 1:
        raise invalid("version must be 1")
    binaries = [b.path for rule in message.network_policies.values() for b in rule.binaries]
    paths = [*message.filesystem.read_only, *message.filesystem.read_write, *binaries]
    for path in paths:
        if not path.startswith("/") or len(path) > 256 or ".." in path.split("/"):
            raise invalid(f"policy path {path!r} is not absolute, too long or holds '..'")
    for rule in message.network_policies.values():
        for endpoint in rule.endpoints:
            if "*" in endpoint.host.partition(".")[2] or not endpoint.host:
                raise invalid(f"host {endpoint.host!r} has a wildcard beyond its first label")
            if not (endpoint.ports or endpoint.port):
                raise invalid("an endpoint needs a port")


def command(request: Any) -> None:
    """Refuse a command that is too long."""
    if not request.command or len(request.command) > ARGUMENTS:
        raise invalid(f"a command has 1 to {ARGUMENTS} arguments")
    if any(len(argument.encode()) > ARGUMENT_BYTES for argument in request.command):
        raise invalid(f"an argument has more than {ARGUMENT_BYTES} bytes")


def other_name(name: str) -> None:
    """Refuse a name of something that is no sandbox."""
    if not OTHER_NAME.fullmatch(name):
        raise invalid(f"name {name!r} is not allowed")
