"""Whether a sandbox is one, on this host and now: tried from inside, not assumed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from harnest.execution.local import (
    ConfinedRun,
    LaunchError,
    ProgramBounds,
    Refusal,
    listener,
    report_of,
)
from harnest.execution.local.limits import PROBE_CONNECT_SECONDS
from harnest.execution.local.probing import DISTRUST

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .confinement import Confinement

__all__ = ["objections", "probe"]

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
    shell=os.path.isfile({shell!r}) and os.access({shell!r}, os.X_OK),
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
    with listener() as port:
        code = _CODE.format(
            port=port,
            seconds=PROBE_CONNECT_SECONDS,
            shell=shell,
            folders=[os.path.expanduser("~"), str(work.parent), "/private/tmp"],  # noqa: PTH111 - no error without a home
            host=os.getpid(),
        )
        run = ConfinedRun(work=work, code=code, environment={})
        try:
            found = report_of(confinement, run, ProgramBounds())
        except LaunchError as error:
            reason = f"sandbox-exec can't make the sandbox ({error.line})"
            raise Refusal(reason, DISTRUST) from None
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
        yield "programs could write outside of their work directory", DISTRUST
    if found["listed"]:
        yield "programs could read folders that were not allowed", DISTRUST
    if found["reached"] is not network:
        yield "the network is not as it was asked for: a listener of this host says so", DISTRUST
    if found["signalled"]:
        yield "programs could signal the process that runs Harnest", DISTRUST
    if not (found["work"] and found["scratch"]):
        yield (
            "the work directory or the temporary folder can't be written to inside",
            "Let the directory belong to the user who runs Harnest.",
        )
    if not found["shell"]:
        yield f"the shell {shell} can't be run inside", "Name one of /bin with shell=."
