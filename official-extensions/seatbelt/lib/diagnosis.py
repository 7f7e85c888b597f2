"""What the seatbelt extension really enforces on this host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest.execution.local import Refusal, workdir
from harnest.sandbox.optional import DiagnosisState, SandboxDiagnosis

from .confinement import Confinement
from .probe import probe
from .settings import PREFIX

if TYPE_CHECKING:
    from .settings import SeatbeltSettings

__all__ = ["diagnose"]


def diagnose(settings: SeatbeltSettings) -> tuple[SandboxDiagnosis, ...]:
    """Try what can be tried here.

    Args:
        settings: The declaration.
    """
    return (
        _sandbox(settings),
        SandboxDiagnosis(
            name="detached-processes",
            state=DiagnosisState.DEGRADED,
            detail="Only the program's process group is ended; detached processes go on, confined.",
        ),
        SandboxDiagnosis(
            name="memory-limit",
            state=DiagnosisState.UNAVAILABLE,
            detail="Nothing of macOS bounds a program's memory as a whole.",
            remedy="Use the docker extension for code that may take too much.",
        ),
    )


def _sandbox(settings: SeatbeltSettings) -> SandboxDiagnosis:
    work = workdir.make(PREFIX)
    try:
        confinement = Confinement.of(
            python=settings.python, allowed=settings.allowed_paths, network=settings.open_network
        )
        probe(confinement, work)
    except Refusal as refusal:
        return SandboxDiagnosis(
            name="security-boundary",
            state=DiagnosisState.UNAVAILABLE,
            detail=f"{refusal.reason}.",
            remedy=refusal.remedy,
        )
    finally:
        workdir.remove(work)
    return SandboxDiagnosis(
        name="security-boundary",
        state=DiagnosisState.OK,
        detail="A sandbox was made and kept every promise that can be tried from inside.",
    )
