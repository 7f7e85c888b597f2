"""How the programs of a sandbox are started that are confined, each by itself."""

from __future__ import annotations

import abc
import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from harnest.execution.local import workdir
from harnest.execution.local.confinement import ConfinedRun
from harnest.execution.local.errors import LocalProgramError, LocalSandboxError
from harnest.execution.local.provider import checks
from harnest.execution.local.provider.settings import LocalLimits, LocalSettings
from harnest.execution.local.refusal import Refusal
from harnest.execution.local.rlimits import effective
from harnest.sandbox import SandboxNetworkMode, SandboxPolicyUnsupportedError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harnest.execution.local.cgroup import ControlGroup
    from harnest.execution.local.confinement import Confinement, Held
    from harnest.execution.local.program import LocalProgram
    from harnest.sandbox.optional import SandboxDiagnosis

__all__ = ["ConfinedSettings", "ConfinedTier"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfinedSettings(LocalSettings):
    """One declaration of a sandbox that confines; a policy that is None means no network.

    Attributes:
        allowed_paths: Paths of this host that programs may read.
        limits: What a program is held to. The others are those of every local sandbox.

    Raises:
        TypeError: A value has the wrong type.
        ValueError: A value is out of its bounds.
    """

    allowed_paths: tuple[str, ...] = ()
    limits: LocalLimits = field(default_factory=LocalLimits)

    def __post_init__(self) -> None:
        LocalSettings.__post_init__(self)
        object.__setattr__(self, "allowed_paths", checks.paths("allowed_paths", self.allowed_paths))

    @property
    def open_network(self) -> bool:
        """Whether the declaration lets programs have the host's network."""
        policy = self.network_policy
        return policy is not None and policy.mode is SandboxNetworkMode.UNRESTRICTED


class ConfinedTier(abc.ABC):
    """Starts programs in a confinement, having tried each that a request can ask for.

    A tier defines the first three attributes, :meth:`tried` and :meth:`diagnose`.

    Args:
        settings: The declaration.
        bounds: What all processes of a program are held to.

    Attributes:
        name: Of the provider.
        prefix: Begin of the names of its work directories.
        failure: The extension's own error.
        network_by_default: False: programs have no network unless a policy gives them one.
        network_modes: None; unrestricted as well if it is declared.
        cpu_seconds: As declared.

    Raises:
        LocalSandboxError: As ``failure``: this host can't have such a confinement, or one did not
            keep a promise.
        SandboxCancelledError: The call that needs it was cancelled.
        SandboxPolicyUnsupportedError: The policy needs a filter of connections.
        ValueError: A path can't be allowed.
    """

    name: ClassVar[str]
    prefix: ClassVar[str]
    failure: ClassVar[type[LocalSandboxError]]
    network_by_default = False

    def __init__(self, settings: ConfinedSettings, bounds: Held) -> None:
        self._declared = settings
        self._bounds = bounds
        self.cpu_seconds = settings.limits.cpu_seconds
        self.network_modes = _modes(settings, self.name)
        try:
            # The narrower one of an open declaration too.
            networks = {settings.open_network, False}
            self._confinements = {network: self._made(network=network) for network in networks}
        except LocalProgramError as error:
            raise self.error(error.reason, phase=error.phase) from None
        except Refusal as refusal:
            raise self.error(f"{refusal}", phase="probe") from None

    @abc.abstractmethod
    def tried(self, work: Path, *, network: bool) -> Confinement:
        """Return a confinement that kept every promise when it was tried.

        Args:
            work: A work directory to try it around.
            network: Whether programs have the host's network.

        Raises:
            Refusal: It can't be had, or did not keep one.
            SandboxCancelledError: The call that needs it was cancelled.
            ValueError: A path can't be allowed.
        """

    @abc.abstractmethod
    def diagnose(self) -> tuple[SandboxDiagnosis, ...]:
        """Return what really holds on this host."""

    @contextlib.contextmanager
    def program(self, code: str, work: Path, *, network: bool) -> Iterator[LocalProgram]:
        """Prepare a program; see :class:`harnest.execution.local.provider.tier.LocalTier`."""
        run = ConfinedRun(
            work=work,
            code=code,
            environment=self._declared.inherited(),
            limits=effective(self._declared.limits.named() | self._bounds.named()),
        )
        with self._confinements[network].program(run) as program:
            yield program

    def group(self) -> ControlGroup | None:
        """Return a new control group, or None where there are none."""
        return self._bounds.group()

    def error(self, reason: str, *, phase: str) -> LocalSandboxError:
        """Return the extension's error."""
        return self.failure(reason, phase=phase)

    def _made(self, *, network: bool) -> Confinement:
        try:
            work = workdir.make(self.prefix)
        except OSError as error:
            raise Refusal(
                f"no work directory can be made ({type(error).__name__})",
                "Check the space and permissions of the place for temporary files.",
            ) from None
        try:
            return self.tried(work, network=network)
        finally:
            workdir.remove(work)


def _modes(settings: ConfinedSettings, name: str) -> frozenset[SandboxNetworkMode]:
    policy = settings.network_policy
    modes = {SandboxNetworkMode.NONE}
    if settings.open_network:
        modes.add(SandboxNetworkMode.UNRESTRICTED)
    blocks = policy is not None and settings.open_network and policy.block_private_networks
    if policy is not None and (policy.mode not in modes or blocks):
        raise SandboxPolicyUnsupportedError(
            f"a {name} sandbox has the host's network or none: it filters no connections; use the "
            "docker extension for lists of hosts, or SandboxNetworkPolicy.none()"
        )
    return frozenset(modes)
