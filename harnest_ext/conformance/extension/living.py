"""An extension's life: started, used in invocations, stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.conformance.checks import Group, expect, refuse

if TYPE_CHECKING:
    from harnest_ext.conformance.extension_bench import ExtensionBench

__all__ = ["GROUP"]

GROUP: Group[ExtensionBench] = Group("living")
_NONE = "ExtensionContextUnavailableError"


@GROUP.check("start")
def start(bench: ExtensionBench) -> None:
    """It starts in a project that holds nothing else."""
    bench.fact("started")


@GROUP.check("start-again")
def start_again(bench: ExtensionBench) -> None:
    """Starting a runtime that runs does nothing."""
    bench.fact("started_twice")


@GROUP.check("stop")
def stop(bench: ExtensionBench) -> None:
    """It stops without an error."""
    bench.fact("stopped")


@GROUP.check("stop-again")
def stop_again(bench: ExtensionBench) -> None:
    """Stopping it again does no harm."""
    bench.fact("stopped_twice")


@GROUP.check("nothing-left")
def nothing_left(bench: ExtensionBench) -> None:
    """After its stop none of its threads keeps the process alive."""
    expect("threads left", bench.fact("threads_left"), 0)


@GROUP.check("context")
def context(bench: ExtensionBench) -> None:
    """An invocation has a context of it, one and the same throughout, and active."""
    facts = (bench.fact("context_stable"), bench.fact("context_active"))
    expect("the context (stable, active)", facts, (True, True))


@GROUP.check("context-per-invocation")
def context_per_invocation(bench: ExtensionBench) -> None:
    """Another invocation has another context."""
    refuse("two invocations share a context", if_true=not bench.fact("context_fresh"))


@GROUP.check("context-outside")
def context_outside(bench: ExtensionBench) -> None:
    """Outside of an invocation there is no context."""
    outside = (bench.fact("context_outside"), bench.fact("context_after"))
    expect("the context outside (before, after)", outside, (_NONE, _NONE))


@GROUP.check("context-revoked")
def context_revoked(bench: ExtensionBench) -> None:
    """A context that is kept beyond its invocation is no longer active."""
    refuse("it is still active", if_true=bench.fact("kept_active"))


@GROUP.check("secret-in-logs")
def secret_in_logs(bench: ExtensionBench) -> None:
    """A credential appears in no log record."""
    refuse("a planted credential is in the logs", if_true=bench.facts["secret_in_logs"])


@GROUP.check("secret-in-output")
def secret_in_output(bench: ExtensionBench) -> None:
    """A credential appears in no output and no error."""
    refuse("a planted credential is in the output", if_true=bench.facts["secret_in_output"])
