"""The provider suite: every promise of the sandbox contract, tried on one provider."""

from __future__ import annotations

import time
from importlib import import_module
from typing import TYPE_CHECKING, Final

from harnest_ext.conformance.bench import Bench
from harnest_ext.conformance.checks import Broken, Check, Group, named, origin
from harnest_ext.conformance.report import CheckOutcome, CheckResult, SuiteReport

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harnest_ext.conformance.features import ProviderProfile

__all__ = ["provider_checks", "run_check", "run_provider_suite"]

_GROUPS: Final = (
    "values",
    "outcomes",
    "programs",
    "output",
    "streaming",
    "deadlines",
    "cancelling",
    "concurrency",
    "scopes",
    "files",
    "network",
    "bounds",
    "leaks",
    "closing",
    "offers",
)


def provider_checks() -> tuple[Check[Bench], ...]:
    """Return all checks in their order."""
    found: list[Check[Bench]] = []
    for name in _GROUPS:
        group = import_module(f"harnest_ext.conformance.provider.{name}").GROUP
        if isinstance(group, Group):
            found.extend(group.checks)
    return tuple(found)


def run_provider_suite(
    profile: ProviderProfile, *, only: Iterable[str] | None = None
) -> SuiteReport:
    """Try every check on a provider.

    Args:
        profile: The provider.
        only: Names of checks, or beginnings of names that end in a dot; None for all.

    Raises:
        ValueError: ``only`` names no check.
    """
    chosen = named(provider_checks(), only)
    if not chosen:
        raise ValueError("only names no check of the provider suite")
    return SuiteReport(
        suite="provider",
        subject=profile.name,
        results=tuple(run_check(check, profile) for check in chosen),
    )


def run_check(check: Check[Bench], profile: ProviderProfile) -> CheckResult:
    """Try one check on a provider; its own errors never end the suite."""
    missing = profile.missing(check.needs)
    if missing:
        return CheckResult.of(check, CheckOutcome.UNSUPPORTED, missing)
    if check.unless & profile.supports:
        offered = ", ".join(sorted(check.unless & profile.supports))
        return CheckResult.of(check, CheckOutcome.NOT_APPLICABLE, f"it offers {offered}")
    start = time.monotonic()
    detail = _objection(check, profile)
    outcome = CheckOutcome.FAILED if detail else CheckOutcome.PASSED
    return CheckResult.of(check, outcome, detail, time.monotonic() - start)


def _objection(check: Check[Bench], profile: ProviderProfile) -> str:
    bench = Bench(profile)
    detail = ""
    try:
        check.run(bench)
    except Broken as broken:
        detail = str(broken)
    except Exception as error:  # noqa: BLE001 - a provider may raise anything anywhere
        detail = f"the check ended with {origin(error)}"
    try:
        bench.close()
    except Exception as error:  # noqa: BLE001 - likewise
        detail = detail or f"close raised {origin(error)}"
    return detail
