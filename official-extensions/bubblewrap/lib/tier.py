"""How programs of a bubblewrap sandbox are started: each in a sandbox of its own."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from harnest.execution.local import LocalProgramError, Refusal, effective, workdir
from harnest.sandbox import SandboxNetworkMode, SandboxPolicyUnsupportedError

from . import limits
from .bounds import Bounds
from .confinement import Confinement, Run
from .diagnosis import diagnose
from .errors import BubblewrapSandboxError
from .probe import probe
from .settings import PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harnest.execution.local import LocalProgram
    from harnest.execution.local.cgroup import ControlGroup
    from harnest.sandbox.optional import SandboxDiagnosis

    from .settings import BubblewrapSettings

__all__ = ["BubblewrapTier"]


class BubblewrapTier:
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
        BubblewrapSandboxError: This host can't have such a sandbox, one did not keep a promise, or
            something is declared that this host can't hold programs to.
        SandboxCancelledError: The call that needs it was cancelled.
        SandboxPolicyUnsupportedError: The policy needs a filter of connections.
        ValueError: A path can't be allowed.
    """

    name = "bubblewrap"
    prefix = PREFIX
    network_by_default = False

    def __init__(self, settings: BubblewrapSettings) -> None:
        self._settings = settings
        self.cpu_seconds = settings.limits.cpu_seconds
        self.network_modes = _modes(settings)
        try:
            self._bounds = _bounds(settings)
            # Each that a request can ask for, the narrower one of an open declaration too.
            self._confinements = {
                network: _tried(settings, network=network)
                for network in {settings.open_network, False}
            }
        except LocalProgramError as error:
            raise self.error(error.reason, phase=error.phase) from None
        except Refusal as refusal:
            raise self.error(f"{refusal}", phase="probe") from None

    @contextlib.contextmanager
    def program(self, code: str, work: Path, *, network: bool) -> Iterator[LocalProgram]:
        """Prepare a program; see :class:`harnest.execution.local.provider.tier.LocalTier`."""
        run = Run(
            work=work,
            code=code,
            environment=self._settings.inherited(),
            limits=effective(self._bounds.named()),
        )
        with self._confinements[network].program(run) as program:
            yield program

    def group(self) -> ControlGroup | None:
        """Return a new control group, or None where there are none."""
        return self._bounds.group()

    def error(self, reason: str, *, phase: str) -> BubblewrapSandboxError:
        """Return this extension's error."""
        return BubblewrapSandboxError(reason, phase=phase)

    def diagnose(self) -> tuple[SandboxDiagnosis, ...]:
        """Return what really holds on this host."""
        return diagnose(self._settings)


def _modes(settings: BubblewrapSettings) -> frozenset[SandboxNetworkMode]:
    policy = settings.network_policy
    modes = {SandboxNetworkMode.NONE}
    if settings.open_network:
        modes.add(SandboxNetworkMode.UNRESTRICTED)
    if policy is not None and (policy.mode not in modes or _blocks(settings)):
        raise SandboxPolicyUnsupportedError(
            "a bubblewrap sandbox has the host's network or none: it filters no connections; use "
            "the docker extension for lists of hosts, or SandboxNetworkPolicy.none()"
        )
    return frozenset(modes)


def _blocks(settings: BubblewrapSettings) -> bool:
    policy = settings.network_policy
    return settings.open_network and policy is not None and policy.block_private_networks


def _bounds(settings: BubblewrapSettings) -> Bounds:
    wanted = settings.limits
    return Bounds.of(
        memory_bytes=limits.MEMORY_BYTES if wanted.memory_bytes is None else wanted.memory_bytes,
        named=wanted.named(),
        processes=wanted.processes,
        must_bound_memory=wanted.memory_bytes is not None,
    )


def _tried(settings: BubblewrapSettings, *, network: bool) -> Confinement:
    confinement = Confinement.of(
        python=settings.python,
        allowed_paths=[os.path.realpath(path) for path in settings.allowed_paths],
        network=network,
        tmp_bytes=settings.limits.tmp_bytes,
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
