"""What a policy refused a program, from all places that tell of it.

A program that is refused often prints what the proxy answered; the sandbox's log has a line for
each refusal. Both are reported, neither is relied upon: a program can print anything, and lines of
the log may come late.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from harnest.logging import get_logger

from . import limits
from .errors import GatewayRefusedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .gateway.port import LogLine
    from .remote.box import Box

__all__ = ["DenialLog", "merged", "of_line", "of_output"]

_LOG = get_logger("extensions.openshell")
_LINE = re.compile(r"\bDENIED\s+(?P<what>.+?)(?:\s+\[[^\[\]]*\]?)*\s*$", re.DOTALL)
_ARROW = re.compile(r"(?P<program>.+)\(\d+\)\s*->\s*(?P<target>\S+)", re.DOTALL)
_STRUCTURED = re.compile(r"\{[^{}]*\"policy_denied\"", re.DOTALL)
_CONNECT = re.compile(
    r"CONNECT tunnel failed, response 403"
    r"|Received HTTP code 403 from proxy after CONNECT"
    r"|Tunnel connection failed: 403"
    r"|proxy (?:responded|replied) (?:with )?403",
    re.IGNORECASE,
)
_REFUSED = "a connection was refused by the sandbox's proxy (CONNECT, 403)"


def of_line(line: LogLine) -> str:
    """Return what a line of a sandbox's log says was refused, or an empty text.

    Connections are logged as ``DENIED program(pid) -> host:port``, requests without the arrow.
    """
    match = _LINE.search(line.text)
    if match is None:
        return ""
    arrow = _ARROW.fullmatch(match["what"])
    return _shown(f"{arrow['program']} -> {arrow['target']}" if arrow else match["what"])


def of_output(*streams: bytes) -> tuple[str, ...]:
    """Return what a program's output says was refused."""
    found: list[str] = []
    refused = False
    for data in streams:
        text = data[-limits.SCANNED_BYTES :].decode("utf-8", "replace")
        found.extend(_structured(text))
        refused = refused or _CONNECT.search(text) is not None
    if refused and not found:
        found.append(_REFUSED)
    return _distinct(found)


class DenialLog:
    """The lines of a sandbox's log that came since they were last looked at.

    The gateway's clock is compared with itself only.

    Args:
        box: The sandbox.
    """

    def __init__(self, box: Box) -> None:
        self._box = box
        self._time: float | None = None
        self._seen: frozenset[tuple[float, str]] = frozenset()

    def new(self) -> tuple[str, ...]:
        """Return what was refused since the last look; nothing if the log can't be read."""
        try:
            lines = self._box.gateway.logs(self._box.name, self._time, limits.RPC_SECONDS)
        except GatewayRefusedError as error:
            _LOG.warning("the log of a sandbox can't be read", code=error.code)
            return ()
        fresh = [line for line in lines if (line.time, line.text) not in self._seen]
        if lines:
            self._time = max(line.time for line in lines)
            self._seen = frozenset((line.time, line.text) for line in lines)
        return _distinct(text for text in map(of_line, fresh) if text)


def merged(from_log: tuple[str, ...], from_output: tuple[str, ...]) -> tuple[str, ...]:
    """Return all denials once; the vague one only where nothing better is known."""
    better = [*from_log, *(text for text in from_output if text != _REFUSED)]
    return _distinct(better or from_output)


def _structured(text: str) -> Iterator[str]:
    decoder = json.JSONDecoder()
    for match in _STRUCTURED.finditer(text):
        try:
            found, _ = decoder.raw_decode(text, match.start())
        except ValueError:
            continue
        if isinstance(found, dict) and found.get("error") == "policy_denied":
            yield _shown(_told(found))


def _told(found: dict[str, Any]) -> str:
    target = str(found.get("host", ""))
    if target and "port" in found:
        target += f":{found['port']}"
    parts = [str(found[name]) for name in ("binary", "program") if found.get(name)][:1]
    if target:
        parts += ["->", target] if parts else [target]
    return " ".join(parts) or str(found.get("detail") or "policy_denied")


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))[: limits.DENIALS]


def _shown(text: str) -> str:
    line = "".join(char if char.isprintable() else " " for char in text).strip()
    return line[: limits.DENIAL_CHARACTERS]
