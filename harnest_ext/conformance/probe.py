"""Runs one extension in an interpreter of its own and tells what it did: facts, no judgement.

``python -m harnest_ext.conformance.probe PROJECT NAME SECRET`` prints one JSON object. Effects are
seen by an audit hook (``sys.addaudithook``) while the extension is imported.
"""

from __future__ import annotations

import asyncio
import importlib
import io
import json
import logging
import os
import sys
import threading
import time
import traceback
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["main"]

_WRITES: Final = {"w", "a", "x", "+"}
_EFFECTS: Final = {
    "socket.connect": "connects to the network",
    "socket.bind": "binds a socket",
    "subprocess.Popen": "starts a process",
    "os.system": "starts a process",
    "os.fork": "forks",
    "os.exec": "replaces the process",
    "os.putenv": "changes the environment",
    "os.unsetenv": "changes the environment",
    "os.mkdir": "makes a folder",
    "os.remove": "removes a file",
    "os.rename": "renames a file",
    "signal.pthread_kill": "sends a signal",
}
_SOMEONE: Final = {"agent_name": "assistant", "user_id": "u", "session_id": "s"}


class _Watch:
    """Collects what code below a folder does while the watch is on.

    Args:
        folder: The extension's.
    """

    def __init__(self, folder: str) -> None:
        self.on = False
        self.effects: set[str] = set()
        self._folder = folder + os.sep
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.on:
            return
        effect = _EFFECTS.get(event)
        if event == "open" and _writes(arguments):
            effect = "writes a file"
        if effect and self._is_its_doing():
            self.effects.add(effect)

    def _is_its_doing(self) -> bool:
        frame: FrameType | None = sys._getframe(2)  # noqa: SLF001 - documented: the callers
        while frame is not None:
            if frame.f_code.co_filename.startswith(self._folder):
                return True
            frame = frame.f_back
        return False


def _writes(arguments: tuple[Any, ...]) -> bool:
    path, mode, flags = (*arguments, None, None, None)[:3]
    if isinstance(path, str) and path in ("/dev/null", os.devnull):
        return False
    if isinstance(mode, str):
        return bool(_WRITES & set(mode))
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))


def main() -> None:
    """Probe and print."""
    project, name, secret = sys.argv[1:4]
    folder = os.path.join(os.path.realpath(project), "extensions", name)  # noqa: PTH118 - text
    watch = _Watch(folder)
    records = _Records()
    logging.getLogger().addHandler(records)
    logging.getLogger().setLevel(logging.DEBUG)
    said = io.StringIO()
    facts: dict[str, Any] = {}
    with redirect_stdout(said), redirect_stderr(said):
        try:
            asyncio.run(_probe(project, name, watch, facts))
        except BaseException as error:  # noqa: BLE001 - the kind of failure is what is asked
            facts["failure"] = _told(error, folder)
            said.write("".join(traceback.format_exception(error)))
    ours = [t for t in threading.enumerate() if not t.daemon and t is not threading.main_thread()]
    facts["threads_left"] = len(ours)
    facts["effects"] = sorted(watch.effects)
    facts["secret_in_logs"] = any(secret in text for text in records.texts)
    facts["secret_in_output"] = secret in said.getvalue()
    sys.__stdout__.write(json.dumps(facts) + "\n")  # type: ignore[union-attr]


def _told(error: BaseException, folder: str) -> str:
    """Say what ended the run: an error of ours by its text, any other by its type and place."""
    from harnest.extensions import ExtensionImportError  # noqa: PLC0415 - as below
    from harnest_ext.errors import HarnestExtensionError  # noqa: PLC0415
    from harnest_ext.runtime.safely import place_in, type_name  # noqa: PLC0415

    if isinstance(error, HarnestExtensionError | ExtensionImportError):
        lines = str(error).replace(folder + os.sep, "").splitlines()
        return next((line for line in lines if line.endswith("]")), lines[0])
    path, line = place_in(error, Path(folder))
    return f"{type_name(error)}, {path.name}:{line}" if line else type_name(error)


class _Records(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(f"{record.getMessage()} {record.__dict__!r}")


async def _probe(project: str, name: str, watch: _Watch, facts: dict[str, Any]) -> None:
    from harnest_ext.runtime import AgentRuntime  # noqa: PLC0415 - not before the hook is there

    os.environ["HARNEST_PROJECT"] = project
    runtime = AgentRuntime(project)
    before = _process_facts()
    start = time.monotonic()
    watch.on = True
    try:
        module = importlib.import_module(f"harnest.extensions.{name}")
    finally:
        watch.on = False
    facts["import_seconds"] = time.monotonic() - start
    facts["import_changes"] = _changes(before, _process_facts())
    facts["module_file"] = getattr(module, "__file__", "")
    await _live(runtime, module, facts)


async def _live(runtime: Any, module: Any, facts: dict[str, Any]) -> None:
    """Start it, use it in two invocations at once, stop it."""
    extension = module.extension
    await runtime.astart()
    facts["started"] = True
    await runtime.astart()
    facts["started_twice"] = True
    facts["context_outside"] = _context_of(extension)
    async with runtime.invocation(**_SOMEONE):
        kept = extension.context
        facts["context_type"] = type(kept).__name__
        facts["context_stable"] = extension.context is kept
        facts["context_active"] = kept.active
    facts["context_after"] = _context_of(extension)
    facts["kept_active"] = kept.active
    async with runtime.invocation(**_SOMEONE):
        facts["context_fresh"] = extension.context is not kept
    await runtime.aclose()
    facts["stopped"] = True
    await extension.stop()
    facts["stopped_twice"] = True


def _context_of(extension: Any) -> str:
    try:
        extension.context  # noqa: B018 - whether it raises is the fact
    except Exception as error:  # noqa: BLE001 - which one is the fact
        return type(error).__name__
    return "given"


def _process_facts() -> dict[str, Any]:
    import signal  # noqa: PLC0415 - as above

    return {
        "threads": threading.active_count(),
        "environment": {k: v for k, v in os.environ.items() if k != "HARNEST_PROJECT"},
        "folder": os.getcwd(),  # noqa: PTH109 - a text to compare
        "path": list(sys.path),
        "handlers": [id(signal.getsignal(n)) for n in (signal.SIGINT, signal.SIGTERM)],
        "log handlers": len(logging.getLogger().handlers),
        "log level": logging.getLogger().level,
    }


def _changes(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    return [name for name in before if before[name] != after[name]]


if __name__ == "__main__":
    main()
