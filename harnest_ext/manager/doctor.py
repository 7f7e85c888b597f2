"""Doctor: find what is wrong with a project and its environment, and mend what is safe to mend."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from harnest_ext.manager.diagnosis import diagnose
from harnest_ext.manager.mending import mend

if TYPE_CHECKING:
    from harnest_ext.manager.findings import Finding
    from harnest_ext.manager.setting import Setting

__all__ = ["doctor"]


def doctor(setting: Setting, *, fix: bool = False) -> tuple[Finding, ...]:
    """Return everything that is wrong, worst first.

    Args:
        setting: The project, the host and the ports.
        fix: Whether to mend what is safe to mend; what was is marked as fixed.

    Raises:
        StoreError: With ``fix``: another writer held the project all the time.
    """
    found = diagnose(setting)
    if not fix or not any(finding.fixable for finding in found):
        return found
    refused = mend(setting, found)
    left = {_key(finding) for finding in diagnose(setting)}
    return tuple(
        replace(
            finding,
            fixed=finding.fixable and _key(finding) not in left,
            refusal=refused.get(finding.problem.rule, ""),
        )
        for finding in found
    )


def _key(finding: Finding) -> tuple[str, str]:
    return finding.problem.rule, finding.problem.path
