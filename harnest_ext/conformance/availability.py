"""Whether a tier can run here at all: if not, that is told once and not by every check."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from harnest.execution import TierUnavailableError, WorkspaceConfig
from harnest_ext.conformance.report import CheckOutcome, CheckResult, SuiteReport
from harnest_ext.text import printable

if TYPE_CHECKING:
    from harnest_ext.conformance.workspace_profile import WorkspaceProfile

__all__ = ["unavailable"]

_CHECK: Final = "opening.available"
_PROMISE: Final = "The tier can run on this host."


def unavailable(profile: WorkspaceProfile) -> SuiteReport | None:
    """Open one workspace of the tier and close it.

    Args:
        profile: The tier.

    Returns:
        A report with one failure, the tier's own reason and remedy, if it says that it can't run
        here; None if it can, or fails in another way, which the checks are to tell.
    """
    try:
        asyncio.run(_opened(profile))
    except TierUnavailableError as error:
        detail = f"{error.reason}. {error.remedy}"
    except Exception:  # noqa: BLE001 - a tier may raise anything: each check says what it met
        return None
    else:
        return None
    result = CheckResult(
        check=_CHECK, promise=_PROMISE, outcome=CheckOutcome.FAILED, detail=printable(detail, 1000)
    )
    return SuiteReport(suite="workspace", subject=profile.name, results=(result,))


async def _opened(profile: WorkspaceProfile) -> None:
    async with profile.make(WorkspaceConfig(**profile.options), hooks=None):
        pass
