"""The checks of the provider suite as tests that pytest runs and reports."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from harnest_ext.conformance.provider_suite import provider_checks, run_check
from harnest_ext.conformance.report import CheckOutcome
from harnest_ext.conformance.target import load_profile
from harnest_ext.errors import HarnestExtensionError

if TYPE_CHECKING:
    from pathlib import Path

    from harnest_ext.conformance.bench import Bench
    from harnest_ext.conformance.checks import Check
    from harnest_ext.conformance.features import ProviderProfile

__all__ = ["provider_items"]


class _CheckFailed(Exception):
    """A check of the suite failed; the text says how."""


class _CheckItem(pytest.Item):
    """One check as a test."""

    def __init__(self, *, check: Check[Bench], profile: ProviderProfile, **options: Any) -> None:
        super().__init__(**options)
        self._check = check
        self._profile = profile

    def runtest(self) -> None:
        """Try the check; what the provider doesn't offer is skipped with the reason."""
        result = run_check(self._check, self._profile)
        if result.outcome is CheckOutcome.FAILED:
            raise _CheckFailed(result.detail)
        if result.outcome is not CheckOutcome.PASSED:
            pytest.skip(f"{result.outcome}: {result.detail}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show the promise and how it was broken, not where in our code."""
        if isinstance(excinfo.value, _CheckFailed):
            return f"{self._check.promise}\n{excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Name the check in reports."""
        return self.path, None, f"{self._profile.name}: {self._check.name}"


def provider_items(session: pytest.Session, target: str) -> list[pytest.Item]:
    """Return a test for each check.

    Args:
        session: Their parent.
        target: The provider, as ``module:attribute``; its module may lie in the current folder.

    Raises:
        pytest.UsageError: There is no such provider.
    """
    here = str(session.config.invocation_params.dir)
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        profile = load_profile(target)
    except HarnestExtensionError as error:
        raise pytest.UsageError(str(error)) from error
    return [
        _CheckItem.from_parent(
            session,
            name=check.name,
            nodeid=f"harnest-provider::{check.name}",
            check=check,
            profile=profile,
        )
        for check in provider_checks()
    ]
