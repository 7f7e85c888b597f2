"""Whether a program can really be cut off from the network here: tried, not assumed.

The mechanism is an unprivileged user and network namespace. It counts only if a program in it sees
no device but loopback and does not reach a listener of this host that the host itself does reach.
"""

from __future__ import annotations

import os
import socket
import sys

from harnest.execution.local import Capture, LocalProgram, LocalProgramError, run_local, workdir
from harnest.sandbox import control
from harnest.sandbox.optional import OutputStream

from . import limits
from .settings import PREFIX

__all__ = ["isolation_objection"]

_PROBE = """\
import os, socket
print(os.readlink("/proc/self/ns/net"))
with open("/proc/self/net/dev") as file:
    print(sorted(line.split(":")[0].strip() for line in file if ":" in line))
try:
    socket.create_connection(("127.0.0.1", {port}), timeout=2).close()
except OSError as error:
    print("unreachable")
else:
    print("reached")
"""


def isolation_objection(python: str) -> str:
    """Try the isolation with an interpreter; return why it doesn't hold, or an empty text.

    Raises:
        SandboxCancelledError: The call that needs the answer was cancelled.
    """
    if not sys.platform.startswith("linux"):
        return "it needs Linux"
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        socket.create_connection(("127.0.0.1", port), timeout=2).close()
        try:
            namespace, devices, reached = _probe(python, port)
        except (LocalProgramError, TimeoutError, ValueError):
            return "the kernel refuses an unprivileged user and network namespace"
    if namespace == os.readlink("/proc/self/ns/net"):  # noqa: PTH115 - the text is compared
        return "the program ran in this host's own network namespace"
    if devices != "['lo']" or reached != "unreachable":
        return "the program still had a way to this host"
    return ""


def _probe(python: str, port: int) -> tuple[str, str, str]:
    work = workdir.make(PREFIX)
    try:
        with control.execute(limits.PROBE_SECONDS) as scope:
            program = LocalProgram(
                python=python,
                work=str(work),
                code=_PROBE.format(port=port),
                environment={"LANG": "C.UTF-8"},
                isolate_network=True,
            )
            capture = Capture(limits.PROBE_BYTES)
            run_local(program, group=None, capture=capture, scope=scope)
    finally:
        workdir.remove(work)
    namespace, devices, reached = capture.text(OutputStream.STDOUT).splitlines()
    return namespace, devices, reached
