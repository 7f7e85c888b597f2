"""The extension suite: static rules, import, life, invocations, secrets."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from harnest_ext.conformance.checks import Broken, Check, named
from harnest_ext.conformance.extension import importing, living, static
from harnest_ext.conformance.extension_bench import ExtensionBench
from harnest_ext.conformance.report import CheckOutcome, CheckResult, SuiteReport
from harnest_ext.errors import HarnestExtensionError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["extension_checks", "run_extension_suite"]


def extension_checks() -> tuple[Check[ExtensionBench], ...]:
    """Return all checks in their order."""
    return (*static.GROUP.checks, *importing.GROUP.checks, *living.GROUP.checks)


def run_extension_suite(path: Path, *, only: Iterable[str] | None = None) -> SuiteReport:
    """Try every check on an extension; its code runs in an interpreter of its own.

    Args:
        path: Its folder or wheel.
        only: Names of checks, or beginnings of names that end in a dot; None for all.

    Raises:
        ValueError: ``only`` names no check.
    """
    chosen = named(extension_checks(), only)
    if not chosen:
        raise ValueError("only names no check of the extension suite")
    bench = ExtensionBench(path=path)
    results = tuple(_result(check, bench) for check in chosen)
    return SuiteReport(suite="extension", subject=path.resolve().name, results=results)


def _result(check: Check[ExtensionBench], bench: ExtensionBench) -> CheckResult:
    start = time.monotonic()
    try:
        check.run(bench)
    except Broken as broken:
        return CheckResult.of(check, CheckOutcome.FAILED, str(broken), time.monotonic() - start)
    except HarnestExtensionError as error:
        detail = f"it can't be installed: {error.rule}"
        return CheckResult.of(check, CheckOutcome.FAILED, detail, time.monotonic() - start)
    return CheckResult.of(check, CheckOutcome.PASSED, "", time.monotonic() - start)
