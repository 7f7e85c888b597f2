"""Asking a confinement from inside whether it is one: a program that looks around there."""

from __future__ import annotations

import contextlib
import json
import socket
from typing import TYPE_CHECKING, Any, Final

from harnest.execution.local import limits
from harnest.execution.local.capture import Capture
from harnest.execution.local.errors import LaunchError, LocalProgramError
from harnest.execution.local.execution import run_local
from harnest.execution.local.refusal import Refusal
from harnest.sandbox import control
from harnest.sandbox.optional import OutputStream

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnest.execution.local.confinement import ConfinedRun, Confinement, Held

__all__ = ["DISTRUST", "listener", "report_of"]

DISTRUST: Final = (
    "Don't rely on this sandbox here: use the docker extension, and please report what was found."
)
"""What to do where a confinement does not do what it is made for."""


@contextlib.contextmanager
def listener() -> Iterator[int]:
    """Give the port of a listener of this host, which this process itself reaches.

    A probe that does not reach it shows that programs have not the network of this host.
    """
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        socket.create_connection(("127.0.0.1", port), limits.PROBE_CONNECT_SECONDS).close()
        yield port


def report_of(confinement: Confinement, run: ConfinedRun, bounds: Held) -> dict[str, Any]:
    """Run a program that looks around; return the JSON object that it prints.

    Args:
        confinement: Where it looks.
        run: The program, in Python.
        bounds: What it is held to.

    Raises:
        LaunchError: The confinement can't be made; the tier knows what its launcher means.
        Refusal: It can't be started, or does not print such an object.
        SandboxCancelledError: The call that needs it was cancelled.
    """
    capture = Capture(limits.PROBE_BYTES)
    try:
        with control.execute(limits.PROBE_SECONDS) as scope, confinement.program(run) as program:
            ended = run_local(program, group=bounds.group(), capture=capture, scope=scope)
    except LaunchError:
        raise
    except (LocalProgramError, OSError) as error:
        raise Refusal(f"a sandbox can't be started ({type(error).__name__})", DISTRUST) from None
    try:
        found = json.loads(capture.text(OutputStream.STDOUT))
    except ValueError:
        found = None
    if ended.exit_code != 0 or not isinstance(found, dict):
        last = capture.text(OutputStream.STDERR).strip().splitlines()[-1:]
        raise Refusal(
            f"Python does not run in a sandbox here ({ended.ending.value}; {' '.join(last)[:200]})",
            "Name another interpreter with python=, such as the system's own.",
        )
    return found
