"""How programs of a seatbelt sandbox are started: each under a profile of its own."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from harnest.execution.local import ProgramBounds, Refusal, effective, workdir
from harnest.sandbox import SandboxNetworkMode, SandboxPolicyUnsupportedError

from .confinement import Confinement, Run
from .diagnosis import diagnose
from .errors import SeatbeltSandboxError
from .probe import probe
from .settings import PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harnest.execution.local import LocalProgram
    from harnest.sandbox.optional import SandboxDiagnosis

    from .settings import SeatbeltSettings

__all__ = ["SeatbeltTier"]


class SeatbeltTier:
    """Starts programs in sandboxes, having tried one.

    Args:
        settings: The declaration.

    Attributes:
        name: Of the provider.
        prefix: Begin of the names of its work directories.
        network_by_default: False: programs have no network unless a policy gives them one.
        network_modes: None; unrestricted as well if it is declared.
        cpu_seconds: As declared.

    Raises:
        SandboxCancelledError: The call that needs it was cancelled.
        SandboxPolicyUnsupportedError: The policy needs a filter of connections.
        SeatbeltSandboxError: This host can't have such a sandbox, or one did not keep a promise.
        ValueError: A path can't be allowed.
    """

    name = "seatbelt"
    prefix = PREFIX
    network_by_default = False

    def __init__(self, settings: SeatbeltSettings) -> None:
        self._settings = settings
        self.cpu_seconds = settings.limits.cpu_seconds
        self.network_modes = _modes(settings)
        self._bounds = ProgramBounds()
        try:
            # Each that a request can ask for, the narrower one of an open declaration too.
            self._confinements = {
                network: _tried(settings, network=network)
                for network in {settings.open_network, False}
            }
        except Refusal as refusal:
            raise self.error(f"{refusal}", phase="probe") from None

    @contextlib.contextmanager
    def program(self, code: str, work: Path, *, network: bool) -> Iterator[LocalProgram]:
        """Prepare a program; see :class:`harnest.execution.local.provider.tier.LocalTier`."""
        run = Run(
            work=work,
            code=code,
            environment=self._settings.inherited(),
            limits=effective(self._settings.limits.named() | self._bounds.named()),
        )
        with self._confinements[network].program(run) as program:
            yield program

    def group(self) -> None:
        """Return None: macOS has no control groups."""

    def error(self, reason: str, *, phase: str) -> SeatbeltSandboxError:
        """Return this extension's error."""
        return SeatbeltSandboxError(reason, phase=phase)

    def diagnose(self) -> tuple[SandboxDiagnosis, ...]:
        """Return what really holds on this host."""
        return diagnose(self._settings)


def _modes(settings: SeatbeltSettings) -> frozenset[SandboxNetworkMode]:
    policy = settings.network_policy
    modes = {SandboxNetworkMode.NONE}
    if settings.open_network:
        modes.add(SandboxNetworkMode.UNRESTRICTED)
    blocks = policy is not None and settings.open_network and policy.block_private_networks
    if policy is not None and (policy.mode not in modes or blocks):
        raise SandboxPolicyUnsupportedError(
            "a seatbelt sandbox has the network or none: it filters no connections; use the docker "
            "extension for lists of hosts, or SandboxNetworkPolicy.none()"
        )
    return frozenset(modes)


def _tried(settings: SeatbeltSettings, *, network: bool) -> Confinement:
    confinement = Confinement.of(
        python=settings.python, allowed=settings.allowed_paths, network=network
    )
    try:
        work = workdir.make(PREFIX)
    except OSError as error:
        raise Refusal(
            f"no work directory can be made ({type(error).__name__})",
            "Check the space and permissions of the place for temporary files.",
        ) from None
    try:
        probe(confinement, work)
    finally:
        workdir.remove(work)
    return confinement
