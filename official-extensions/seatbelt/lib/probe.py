"""Whether a sandbox is one, on this host and now: tried from inside, not assumed."""

from __future__ import annotations

import json
import os
import socket
from typing import TYPE_CHECKING, Any, Final

from harnest.execution.local import Capture, LaunchError, LocalProgramError, Refusal, run_local
from harnest.sandbox import control
from harnest.sandbox.optional import OutputStream

from . import limits
from .confinement import Confinement, Run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["objections", "probe"]

_REPORT: Final = (
    "Don't rely on this sandbox here: use the docker extension, and please report what was found."
)

# Runs inside, on Python 3.8 or newer. What it manages to make, it removes.
_CODE: Final = """\
import json, os, socket, tempfile
def done(action):
    try:
        action()
    except OSError:
        return False
    return True
def write(folder):
    handle, path = tempfile.mkstemp(dir=folder)
    os.close(handle)
    os.unlink(path)
def connect():
    socket.create_connection(("127.0.0.1", {port}), timeout={seconds}).close()
print(json.dumps(dict(
    scratch=done(lambda: write(None)),
    work=os.access(".", os.R_OK | os.W_OK | os.X_OK),
    shell=os.access({shell!r}, os.X_OK),
    outside=[folder for folder in {folders!r} if done(lambda: write(folder))],
    listed=[folder for folder in {folders!r} if done(lambda: os.listdir(folder))],
    reached=done(connect),
    signalled=done(lambda: os.kill({host}, 0)),
)))
"""


def probe(confinement: Confinement, work: Path, *, shell: str = "/bin/sh") -> None:
    """Try a sandbox; return if every promise held.

    Args:
        confinement: The sandbox.
        work: Work directory for it; nothing is made in it.
        shell: Shell that commands will be run by.

    Raises:
        Refusal: It can't be made, or something of what it promises does not hold.
        SandboxCancelledError: The call that needs it was cancelled.
    """
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        socket.create_connection(("127.0.0.1", port), limits.PROBE_CONNECT_SECONDS).close()
        code = _CODE.format(
            port=port,
            seconds=limits.PROBE_CONNECT_SECONDS,
            shell=shell,
            folders=[os.path.expanduser("~"), str(work.parent), "/private/tmp"],  # noqa: PTH111 - no error without a home
            host=os.getpid(),
        )
        found = _report(confinement, Run(work=work, code=code, environment={}))
    for reason, remedy in objections(found, network=confinement.network, shell=shell):
        raise Refusal(reason, remedy)


def objections(found: dict[str, Any], *, network: bool, shell: str) -> Iterator[tuple[str, str]]:
    """Yield what did not hold, each with what to do about it.

    Args:
        found: What the probe reported.
        network: Whether programs may use the network.
        shell: Shell that commands will be run by.
    """
    if found["outside"]:
        yield "programs could write outside of their work directory", _REPORT
    if found["listed"]:
        yield "programs could read folders that were not allowed", _REPORT
    if found["reached"] is not network:
        yield "the network is not as it was asked for: a listener of this host says so", _REPORT
    if found["signalled"]:
        yield "programs could signal the process that runs Harnest", _REPORT
    if not (found["work"] and found["scratch"]):
        yield (
            "the work directory or the temporary folder can't be written to inside",
            "Let the directory belong to the user who runs Harnest.",
        )
    if not found["shell"]:
        yield f"the shell {shell} can't be run inside", "Name one of /bin with shell=."


def _report(confinement: Confinement, run: Run) -> dict[str, Any]:
    capture = Capture(limits.PROBE_BYTES)
    try:
        with control.execute(limits.PROBE_SECONDS) as scope, confinement.program(run) as program:
            ended = run_local(program, group=None, capture=capture, scope=scope)
    except LaunchError as error:
        line = (error.detail.splitlines() or ["it said nothing"])[-1][:300]
        raise Refusal(f"sandbox-exec can't make the sandbox ({line})", _REPORT) from None
    except (LocalProgramError, OSError) as error:
        raise Refusal(f"a sandbox can't be started ({type(error).__name__})", _REPORT) from None
    try:
        found = json.loads(capture.text(OutputStream.STDOUT))
    except ValueError:
        found = None
    if ended.exit_code != 0 or not isinstance(found, dict):
        last = capture.text(OutputStream.STDERR).strip().splitlines()[-1:]
        raise Refusal(
            f"Python does not run in a sandbox here ({ended.ending.value}; {' '.join(last)[:200]})",
            "Name another interpreter with python=.",
        )
    return found
