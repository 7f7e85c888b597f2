"""What the process extension really enforces on this host."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from harnest.execution.local.bounds import Means, bounds_memory, means
from harnest.sandbox.optional import DiagnosisState, SandboxDiagnosis

from .network import isolation_objection

__all__ = ["diagnose"]


def diagnose(python: str) -> tuple[SandboxDiagnosis, ...]:
    """Try what can be tried here.

    Args:
        python: Interpreter of the declaration.
    """
    return (
        _boundary(),
        _interpreter(python),
        _descendants(),
        _processes(),
        _memory(),
        _network(python),
    )


def _boundary() -> SandboxDiagnosis:
    return SandboxDiagnosis(
        name="security-boundary",
        state=DiagnosisState.UNAVAILABLE,
        detail="Programs run as this user on this host and see its files.",
        remedy="For code that you don't trust use the docker extension.",
    )


def _interpreter(python: str) -> SandboxDiagnosis:
    runs = os.access(python, os.X_OK) and Path(python).is_file()
    return SandboxDiagnosis(
        name="interpreter",
        state=DiagnosisState.OK if runs else DiagnosisState.UNAVAILABLE,
        detail="The interpreter can be started." if runs else "The interpreter is not there.",
        remedy="" if runs else "Name another one with python=.",
    )


def _descendants() -> SandboxDiagnosis:
    linux = sys.platform.startswith("linux")
    return SandboxDiagnosis(
        name="detached-processes",
        state=DiagnosisState.OK if linux else DiagnosisState.DEGRADED,
        detail="A child subreaper ends processes that detached themselves."
        if linux
        else "Only the program's process group is ended; detached processes go on.",
    )


def _processes() -> SandboxDiagnosis:
    found = means()
    state = {
        Means.GROUP: DiagnosisState.OK,
        Means.USER: DiagnosisState.DEGRADED,
        Means.NOTHING: DiagnosisState.UNAVAILABLE,
    }[found]
    return SandboxDiagnosis(
        name="process-limit",
        state=state,
        detail=f"The number of a program's processes is bounded by {found.value}.",
        remedy="" if found is Means.GROUP else "Run Harnest where it may make control groups.",
    )


def _memory() -> SandboxDiagnosis:
    bounded = bounds_memory()
    return SandboxDiagnosis(
        name="memory-limit",
        state=DiagnosisState.OK if bounded else DiagnosisState.UNAVAILABLE,
        detail="The memory of a workspace's calls is bounded by a control group."
        if bounded
        else "Nothing bounds the memory of a program, unless its addresses are limited.",
        remedy="" if bounded else "Run Harnest where it may make control groups.",
    )


def _network(python: str) -> SandboxDiagnosis:
    objection = isolation_objection(python)
    return SandboxDiagnosis(
        name="network-none",
        state=DiagnosisState.UNAVAILABLE if objection else DiagnosisState.OK,
        detail=f"SandboxNetworkPolicy.none() is refused: {objection}."
        if objection
        else "A program in a network namespace of its own did not reach this host.",
        remedy="Allow unprivileged user namespaces, or use the docker extension."
        if objection
        else "",
    )
