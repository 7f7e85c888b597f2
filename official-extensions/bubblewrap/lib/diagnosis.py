"""What the bubblewrap extension really enforces on this host."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from harnest.execution.local import Refusal, workdir
from harnest.execution.local.bounds import bounds_memory
from harnest.sandbox.optional import DiagnosisState, SandboxDiagnosis

from .bounds import Counting, counting
from .confinement import Confinement
from .probe import probe
from .settings import PREFIX
from .tool import find_tool

if TYPE_CHECKING:
    from .settings import BubblewrapSettings

__all__ = ["diagnose"]

_GROUPS = "Run Harnest where it may make control groups, as a service with Delegate=yes does."


def diagnose(settings: BubblewrapSettings) -> tuple[SandboxDiagnosis, ...]:
    """Try what can be tried here.

    Args:
        settings: The declaration.
    """
    return (_tool(), _sandbox(settings), _user(), _memory(), _processes())


def _tool() -> SandboxDiagnosis:
    try:
        path = find_tool().path
    except Refusal as refusal:
        return _missing("bwrap", refusal)
    return SandboxDiagnosis(
        name="bwrap", state=DiagnosisState.OK, detail=f"{path} is there and recent enough."
    )


def _sandbox(settings: BubblewrapSettings) -> SandboxDiagnosis:
    work = workdir.make(PREFIX)
    try:
        confinement = Confinement.of(
            python=settings.python,
            allowed_paths=[os.path.realpath(path) for path in settings.allowed_paths],
            network=settings.open_network,
            tmp_bytes=settings.limits.tmp_bytes,
        )
        probe(confinement, work)
    except Refusal as refusal:
        return _missing("security-boundary", refusal)
    finally:
        workdir.remove(work)
    return SandboxDiagnosis(
        name="security-boundary",
        state=DiagnosisState.OK,
        detail="A sandbox was made and kept every promise that can be tried from inside.",
    )


def _user() -> SandboxDiagnosis:
    root = os.geteuid() == 0
    return SandboxDiagnosis(
        name="user",
        state=DiagnosisState.DEGRADED if root else DiagnosisState.OK,
        detail="Programs are, for the host, root without any capability."
        if root
        else "Programs are, for the host, an ordinary user.",
        remedy="Run Harnest as an ordinary user." if root else "",
    )


def _memory() -> SandboxDiagnosis:
    holds = bounds_memory()
    return SandboxDiagnosis(
        name="memory-limit",
        state=DiagnosisState.OK if holds else DiagnosisState.UNAVAILABLE,
        detail="A control group bounds a program's memory."
        if holds
        else "Nothing bounds a program's memory as a whole here.",
        remedy="" if holds else _GROUPS,
    )


def _processes() -> SandboxDiagnosis:
    found = counting()
    weak = DiagnosisState.UNAVAILABLE if found is Counting.NOTHING else DiagnosisState.DEGRADED
    return SandboxDiagnosis(
        name="process-limit",
        state=DiagnosisState.OK if found.exact else weak,
        detail=f"The number of a program's processes is bounded by {found.value}.",
        remedy="" if found.exact else _GROUPS,
    )


def _missing(name: str, refusal: Refusal) -> SandboxDiagnosis:
    return SandboxDiagnosis(
        name=name,
        state=DiagnosisState.UNAVAILABLE,
        detail=f"{refusal.reason}.",
        remedy=refusal.remedy,
    )
