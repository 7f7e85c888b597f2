"""How programs of a process sandbox are started: as they are, as this user."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from harnest.execution.local import LocalProgram, LocalProgramError, ProgramBounds, effective
from harnest.sandbox import SandboxNetworkMode, SandboxPolicyUnsupportedError

from .diagnosis import diagnose
from .errors import ProcessSandboxError
from .network import isolation_objection
from .settings import PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harnest.execution.local.cgroup import ControlGroup
    from harnest.sandbox.optional import SandboxDiagnosis

    from .settings import ProcessSettings

__all__ = ["ProcessTier"]


class ProcessTier:
    """Starts programs as processes of this host. No security boundary.

    Args:
        settings: The declaration.

    Attributes:
        name: Of the provider.
        prefix: :data:`PREFIX`.
        network_by_default: True: nothing is claimed where no policy says anything.
        network_modes: Unrestricted; none as well if the declaration asks for it and trying it
            showed that it holds on this host.
        cpu_seconds: As declared.

    Raises:
        ProcessSandboxError: Something is declared that this host can't hold programs to.
        SandboxPolicyUnsupportedError: No network is declared, and can't be enforced here.
    """

    name = "process"
    prefix = PREFIX
    network_by_default = True

    def __init__(self, settings: ProcessSettings) -> None:
        self._settings = settings
        try:
            self._bounds = ProgramBounds(processes=settings.limits.processes)
        except LocalProgramError as error:
            raise self.error(error.reason, phase=error.phase) from None
        self.cpu_seconds = settings.limits.cpu_seconds
        self.network_modes = _modes(settings)

    @contextlib.contextmanager
    def program(self, code: str, work: Path, *, network: bool) -> Iterator[LocalProgram]:
        """Prepare a program; see :class:`harnest.execution.local.provider.tier.LocalTier`."""
        yield LocalProgram(
            python=self._settings.python,
            work=str(work),
            code=code,
            environment=self._settings.variables(str(work)),
            limits=effective(self._settings.limits.named() | self._bounds.named()),
            isolate_network=not network,
        )

    def group(self) -> ControlGroup | None:
        """Return a new control group, or None where there are none."""
        return self._bounds.group()

    def error(self, reason: str, *, phase: str) -> ProcessSandboxError:
        """Return this extension's error."""
        return ProcessSandboxError(reason, phase=phase)

    def diagnose(self) -> tuple[SandboxDiagnosis, ...]:
        """Return what really holds on this host."""
        return diagnose(self._settings.python)


def _modes(settings: ProcessSettings) -> frozenset[SandboxNetworkMode]:
    modes = {SandboxNetworkMode.UNRESTRICTED}
    policy = settings.network_policy
    if policy is not None and policy.mode is SandboxNetworkMode.NONE:
        objection = isolation_objection(settings.python)
        if objection:
            raise SandboxPolicyUnsupportedError(
                f"programs can't be kept from the network on this host: {objection}; use the "
                "docker extension, or declare SandboxNetworkPolicy.unrestricted()"
            )
        modes.add(SandboxNetworkMode.NONE)
    return frozenset(modes)
