"""Whose scratch directory it is, and for how long."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest.sandbox import SandboxContext
from harnest_ext.conformance.bench import identity
from harnest_ext.conformance.checks import Group, expect, expect_raises
from harnest_ext.conformance.features import Feature

if TYPE_CHECKING:
    from harnest_ext.conformance.bench import Bench

__all__ = ["GROUP"]

GROUP: Group[Bench] = Group("scopes")
_SESSION = (Feature.SCOPE_SESSION, Feature.SCRATCH)

LEAVE = "open('mark', 'w').write('kept')"
LOOK = "try:\n    print(open('mark').read())\nexcept OSError:\n    print('nothing')"
BACKGROUND = """\
import os, time
if os.fork() == 0:
    os.setsid()
    while True:
        open('beat', 'a').write('x')
        time.sleep(0.02)
while not os.path.exists('beat'):
    time.sleep(0.01)
"""
BEATS = """\
import time
before = len(open('beat').read())
time.sleep(0.3)
print(len(open('beat').read()) - before)
"""


def _found_by(bench: Bench, scope: str | None, **parts: str) -> str:
    """Leave a mark as one identity; return what another finds."""
    provider = bench.make(scope=scope)
    bench.run(LEAVE, on=provider)
    return bench.run(LOOK, on=provider, context=identity(**parts)).stdout


@GROUP.check("scratch", needs=[Feature.SCRATCH])
def scratch(bench: Bench) -> None:
    """A program can write a file and read it again."""
    expect("stdout", bench.run(LEAVE + "\nprint(open('mark').read())").stdout, "kept\n")


@GROUP.check("execution-fresh", needs=[Feature.SCRATCH])
def execution_fresh(bench: Bench) -> None:
    """Without a wider scope a call finds nothing of the one before."""
    expect("what the next call finds", _found_by(bench, "execution"), "nothing\n")


@GROUP.check("session-kept", needs=_SESSION)
def session_kept(bench: Bench) -> None:
    """A session finds its files again, in another invocation too."""
    expect("what it finds", _found_by(bench, "session", invocation_id="j"), "kept\n")


@GROUP.check("session-of-user", needs=_SESSION)
def session_of_user(bench: Bench) -> None:
    """Another user finds nothing."""
    expect("what another user finds", _found_by(bench, "session", user_id="v"), "nothing\n")


@GROUP.check("session-of-agent", needs=_SESSION)
def session_of_agent(bench: Bench) -> None:
    """Another agent finds nothing."""
    expect("what another agent finds", _found_by(bench, "session", agent_name="b"), "nothing\n")


@GROUP.check("session-of-session", needs=_SESSION)
def session_of_session(bench: Bench) -> None:
    """Another session finds nothing."""
    expect("what another session finds", _found_by(bench, "session", session_id="t"), "nothing\n")


@GROUP.check("session-identity", needs=_SESSION)
def session_identity(bench: Bench) -> None:
    """A call without a whole identity is refused, not served somebody's files."""
    provider = bench.make(scope="session")
    partial = SandboxContext(agent_name="a", session_id="s")
    expect_raises(
        "a call without a user",
        ValueError,
        lambda: provider.execute(bench.request("print(1)", context=partial)),
    )


@GROUP.check("invocation-kept", needs=[Feature.SCOPE_INVOCATION, Feature.SCRATCH])
def invocation_kept(bench: Bench) -> None:
    """An invocation finds its files again."""
    expect("what it finds", _found_by(bench, "invocation"), "kept\n")


@GROUP.check("invocation-of-invocation", needs=[Feature.SCOPE_INVOCATION, Feature.SCRATCH])
def invocation_of_invocation(bench: Bench) -> None:
    """Another invocation of the same session finds nothing."""
    found = _found_by(bench, "invocation", invocation_id="j")
    expect("what another invocation finds", found, "nothing\n")


@GROUP.check("no-process-survives", needs=[*_SESSION, Feature.DESCENDANTS])
def no_process_survives(bench: Bench) -> None:
    """A process that a call left behind does not run in the next call of its session."""
    provider = bench.make(scope="session")
    bench.run(BACKGROUND, on=provider)
    expect("what it still wrote", bench.run(BEATS, on=provider).stdout, "0\n")
