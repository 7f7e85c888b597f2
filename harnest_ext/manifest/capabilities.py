"""The closed vocabulary of what an extension may declare: capabilities and kinds of content."""

from __future__ import annotations

__all__ = ["CAPABILITIES", "CONTENT_KINDS", "capability_of_content"]

_MEMBERS = {
    "content": ("mcp", "skills", "subagents", "tools"),
    "context": (
        "assets",
        "continuations",
        "credentials",
        "mcp",
        "resources",
        "session",
        "skills",
        "storage",
    ),
    "http": ("routes",),
    "lifecycle": ("agent", "http", "mcp", "model", "skills", "tool"),
    "native": ("adk", "langgraph"),
    "policy": ("output",),
    "sandbox": ("provider",),
    "storage": ("assets", "checkpoints", "cron", "custom", "sessions", "tasks"),
    "telemetry": ("exporter",),
}

CAPABILITIES: frozenset[str] = frozenset(
    f"{group}.{member}" for group, members in _MEMBERS.items() for member in members
)
"""Every capability that a manifest may declare; anything else is refused."""

CONTENT_KINDS: tuple[str, ...] = ("lifecycle", "mcp", "skills", "subagents", "tools")
"""Keys of ``contributes`` and, at a package's root, the folders that hold such content."""


def capability_of_content(kind: str) -> str | None:
    """Return the capability that contributing ``kind`` needs, or None if it needs none."""
    name = f"content.{kind}"
    return name if name in CAPABILITIES else None
