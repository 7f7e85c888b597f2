"""The provider suite, check by check, on a real daemon."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from docker_profile import DOCKER

from harnest_ext.conformance import CheckOutcome, provider_checks
from harnest_ext.conformance.provider_suite import run_check

if TYPE_CHECKING:
    from harnest_ext.conformance.bench import Bench
    from harnest_ext.conformance.checks import Check

pytestmark = pytest.mark.docker


@pytest.mark.parametrize("check", provider_checks(), ids=lambda check: check.name)
def test_every_promise_of_the_contract_holds(daemon: None, check: Check[Bench]) -> None:
    """Each promise that applies to a provider of this kind is kept by this one."""
    result = run_check(check, DOCKER)
    assert result.outcome in (CheckOutcome.PASSED, CheckOutcome.NOT_APPLICABLE), result.detail
