"""Messages of the service as the port's plain values; only their fields are relied upon."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .port import LogLine, PendingRule, Phase, SandboxFacts

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["facts_of", "line_of", "pending_of"]


def facts_of(sandbox: Any, redact: Callable[[str], str]) -> SandboxFacts:
    """Return what a message says of a sandbox.

    Args:
        sandbox: The message.
        redact: Takes what the gateway says, returns it without secrets.
    """
    reasons = [f"{item.reason}: {item.message}" for item in sandbox.status.conditions]
    made = sandbox.metadata.HasField("created_time")
    return SandboxFacts(
        sandbox_id=sandbox.metadata.id,
        name=sandbox.metadata.name,
        labels=dict(sandbox.metadata.labels),
        phase=Phase(sandbox.status.phase),
        providers=tuple(sandbox.spec.providers),
        reason=redact("; ".join(reasons)),
        created=sandbox.metadata.created_time.ToNanoseconds() / 1e9 if made else None,
    )


def line_of(line: Any) -> LogLine:
    """Return what a message says of a line of a log."""
    return LogLine(
        time=line.event_time.ToNanoseconds() / 1e9, text=line.message, fields=dict(line.fields)
    )


def pending_of(chunk: Any) -> PendingRule:
    """Return what a message says of a proposed rule."""
    rule = chunk.proposed_rule
    hosts = [
        f"{endpoint.host}:{port}"
        for endpoint in rule.endpoints
        for port in (endpoint.ports or [endpoint.port])
    ]
    programs = [item.path for item in rule.binaries] or ([chunk.binary] if chunk.binary else [])
    return PendingRule(
        rule_id=chunk.id,
        status=chunk.status,
        name=chunk.rule_name or rule.name,
        hosts=tuple(hosts),
        programs=tuple(programs),
        rationale=chunk.rationale,
        security_notes=chunk.security_notes,
        review_token=chunk.review_token,
    )
