from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harnest_ext.conformance import MEMORY_PROFILE, CheckOutcome, provider_checks
from harnest_ext.conformance.provider_suite import run_check

from .zoo import ZOO, release

if TYPE_CHECKING:
    from harnest_ext.conformance.checks import Check

SLOW_GROUPS = ("deadlines", "cancelling", "streaming", "concurrency", "closing")
"""Groups whose checks take seconds: tried on the animals that fail one of the same group."""


def relevant(check: Check, fails: frozenset[str]) -> bool:
    """Whether a check is tried on an animal: every fast one, and the slow ones of its groups."""
    group = check.name.partition(".")[0]
    return group not in SLOW_GROUPS or any(name.startswith(f"{group}.") for name in fails)


def habits() -> list[object]:
    """Every animal; those on which slow groups are tried run in the long form."""
    return [
        pytest.param(habit, marks=pytest.mark.slow if _is_slow(ZOO[habit].fails) else ())
        for habit in ZOO
    ]


def _is_slow(fails: frozenset[str]) -> bool:
    return any(name.startswith(f"{group}.") for name in fails for group in SLOW_GROUPS)


@pytest.mark.parametrize("habit", habits())
def test_a_broken_provider_fails_exactly_what_it_breaks(habit: str) -> None:
    """The suite finds each defect, and blames nothing else."""
    animal = ZOO[habit]
    try:
        results = [
            run_check(check, animal.profile(habit, check.name))
            for check in provider_checks()
            if relevant(check, animal.fails)
        ]
    finally:
        release()
    failed = {item.check: item.detail for item in results if item.outcome is CheckOutcome.FAILED}
    assert set(failed) == animal.fails, failed


def test_every_check_is_failed_by_some_animal() -> None:
    """No check is there that nothing could fail."""
    failed = {name for animal in ZOO.values() for name in animal.fails}
    assert failed == {check.name for check in provider_checks()}


def test_there_are_more_than_sixty_checks_with_names_and_promises_of_their_own() -> None:
    """Names and promises are stable identifiers: none is used twice."""
    checks = provider_checks()
    assert len(checks) >= 60
    assert len({check.name for check in checks}) == len(checks)
    assert len({check.promise for check in checks}) == len(checks)
    assert all(check.promise.endswith(".") for check in checks)


def test_the_memory_provider_fails_nothing_and_says_what_it_lacks() -> None:
    """The reference passes what it offers; the rest is reported with a reason, never passed."""
    quick = [check for check in provider_checks() if relevant(check, frozenset())]
    results = [run_check(check, MEMORY_PROFILE) for check in quick]
    assert [item for item in results if item.outcome is CheckOutcome.FAILED] == []
    unsupported = {i.check: i.detail for i in results if i.outcome is CheckOutcome.UNSUPPORTED}
    assert unsupported == {
        check.name: MEMORY_PROFILE.missing(check.needs)
        for check in quick
        if check.needs - MEMORY_PROFILE.supports
    }
    assert all("not declared" not in detail for detail in unsupported.values())
