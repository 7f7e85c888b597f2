"""The suites, on a local gateway: check by check where Docker is, the command's own run once."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from typing import TYPE_CHECKING, Any

import pytest
from harnest_extension_openshell import extension

from harnest_ext.conformance import CheckOutcome, Feature, provider_checks
from harnest_ext.conformance.extension_suite import run_extension_suite
from harnest_ext.conformance.provider_suite import run_check

from .conftest import FOLDER, HERE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnest_ext.conformance.bench import Bench
    from harnest_ext.conformance.checks import Check

UNSUPPORTED = {Feature.LIMIT_MEMORY, Feature.LIMIT_PROCESSES}


@pytest.fixture(scope="session")
def profile(daemon: None) -> Iterator[Any]:
    """The profile that ``harnest extensions test`` reads, on this folder."""
    sys.modules.setdefault("harnest.extensions.openshell", extension)
    spec = spec_from_file_location("openshell_conformance", HERE / "conformance.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module.PROFILE
    module.GATEWAY.close()
    module.STOCK.close()


@pytest.mark.docker
@pytest.mark.slow
@pytest.mark.parametrize("check", provider_checks(), ids=lambda check: check.name)
def test_every_promise_of_the_contract_holds(profile: Any, check: Check[Bench]) -> None:
    """Each promise that applies is kept; what is not supported is declared with its reason."""
    result = run_check(check, profile)
    if result.outcome is CheckOutcome.UNSUPPORTED:
        assert set(check.needs) & UNSUPPORTED
        assert "not declared" not in result.detail
    else:
        passed = (CheckOutcome.PASSED, CheckOutcome.NOT_APPLICABLE)
        assert result.outcome in passed, result.detail


def test_it_is_an_extension_as_every_other() -> None:
    """Nothing of what an extension must be is broken."""
    report = run_extension_suite(FOLDER)
    failed = [item for item in report.results if item.outcome is CheckOutcome.FAILED]
    assert failed == []
