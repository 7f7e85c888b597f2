"""What a provider may offer is recognised by its methods, and absent offers are told as such."""

from __future__ import annotations

from harnest.sandbox.optional import (
    DiagnosisState,
    SandboxAsyncProvider,
    SandboxDiagnosingProvider,
    SandboxDiagnosis,
    SandboxInventoryProvider,
    SandboxPruneReport,
    SandboxPruningProvider,
    SandboxResource,
    SandboxStreamingProvider,
)
from harnest.sandbox.runtime import ManagedSandbox
from tests.fakes.provider import ScriptedProvider, declare

LEFTOVER = SandboxResource(
    kind="container", resource_id="c1", owner="pid 7", owner_alive=False, age_seconds=3.5
)


class Generous(ScriptedProvider):
    """Offers everything that is asked outside of an execution."""

    def inventory(self) -> list[SandboxResource]:
        """Return what exists."""
        return [LEFTOVER]

    def prune(self) -> SandboxPruneReport:
        """Return what was removed."""
        return SandboxPruneReport(removed=(LEFTOVER,))

    def diagnose(self) -> list[SandboxDiagnosis]:
        """Return what holds."""
        return [SandboxDiagnosis(name="daemon", state=DiagnosisState.OK)]


def test_an_offer_is_recognised_by_its_method() -> None:
    """The protocols look at the object, not at its ancestry."""
    plain, generous = ScriptedProvider(), Generous()
    asked = (SandboxInventoryProvider, SandboxPruningProvider, SandboxDiagnosingProvider)
    assert all(isinstance(generous, protocol) for protocol in asked)
    assert not any(isinstance(plain, protocol) for protocol in asked)
    assert not isinstance(generous, SandboxStreamingProvider | SandboxAsyncProvider)


def test_what_is_not_offered_is_none() -> None:
    """A caller can tell "nothing there" from "not offered"."""
    sandbox = ManagedSandbox(declare(ScriptedProvider()))
    assert sandbox.inventory() is None
    assert sandbox.prune() is None
    assert sandbox.diagnose() is None


def test_what_is_offered_is_passed_on_as_tuples() -> None:
    """Answers come back in the contract's types."""
    sandbox = ManagedSandbox(declare(Generous()))
    assert sandbox.inventory() == (LEFTOVER,)
    assert sandbox.prune() == SandboxPruneReport(removed=(LEFTOVER,), kept=())
    assert sandbox.diagnose() == (SandboxDiagnosis(name="daemon", state=DiagnosisState.OK),)
