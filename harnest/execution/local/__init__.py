"""Building blocks for tiers whose programs are processes of this host.

::

    bounds = ProgramBounds(memory_bytes=512 << 20)
    with control.execute(30) as scope, sealed(b"input") as stdin:
        program = LocalProgram(
            argv=("/usr/bin/bwrap", ..., "--", "/bin/sh", "-c", command),
            work=str(directory),
            environment={"PATH": "/usr/bin:/bin"},
            limits=effective({"RLIMIT_CPU": 60} | bounds.named()),
            stdin=stdin,
        )
        capture = Capture(1 << 20)
        ended = run_local(program, group=bounds.group(), capture=capture, scope=scope)

When :func:`run_local` returns or raises, nothing of the program is running: a supervisor that is
the reaper of whatever the program leaves has ended it, or the host has. The program and all that it
starts are in a control group of their own where this host lets us make one.

A tier that confines its programs says how as a :class:`Confinement`, whose programs have a
:class:`Launcher`. :func:`report_of` tries it from inside; :class:`ConfinedWorkspace` is the engine
over it, and ``provider.confined.ConfinedTier`` the sandbox provider's part.

Names are loaded when they are first used: a declaration needs few of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harnest.execution.local.answer import answered
    from harnest.execution.local.bounds import ProgramBounds
    from harnest.execution.local.capture import Capture
    from harnest.execution.local.confined import ConfinedWorkspace, unavailable
    from harnest.execution.local.confinement import ConfinedRun, Confinement
    from harnest.execution.local.errors import LaunchError, LocalProgramError, LocalSandboxError
    from harnest.execution.local.execution import Ended, Ending, run_local
    from harnest.execution.local.installation import prefixes_of
    from harnest.execution.local.launcher import Launcher
    from harnest.execution.local.probing import listener, report_of
    from harnest.execution.local.program import LocalProgram
    from harnest.execution.local.refusal import Refusal
    from harnest.execution.local.rlimits import effective
    from harnest.execution.local.sealing import sealed

__all__ = [
    "Capture",
    "ConfinedRun",
    "ConfinedWorkspace",
    "Confinement",
    "Ended",
    "Ending",
    "LaunchError",
    "Launcher",
    "LocalProgram",
    "LocalProgramError",
    "LocalSandboxError",
    "ProgramBounds",
    "Refusal",
    "answered",
    "effective",
    "listener",
    "prefixes_of",
    "report_of",
    "run_local",
    "sealed",
    "unavailable",
]

_MODULES = {
    "Capture": "capture",
    "ConfinedRun": "confinement",
    "ConfinedWorkspace": "confined",
    "Confinement": "confinement",
    "Ended": "execution",
    "Ending": "execution",
    "LaunchError": "errors",
    "Launcher": "launcher",
    "LocalProgram": "program",
    "LocalProgramError": "errors",
    "LocalSandboxError": "errors",
    "ProgramBounds": "bounds",
    "Refusal": "refusal",
    "answered": "answer",
    "effective": "rlimits",
    "listener": "probing",
    "prefixes_of": "installation",
    "report_of": "probing",
    "run_local": "execution",
    "sealed": "sealing",
    "unavailable": "confined",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - only needed here

    value: object = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value
