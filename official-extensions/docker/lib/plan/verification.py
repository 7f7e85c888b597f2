"""Compare what holds inside a container, as PID 1 read it, with what was asked for."""

import math
from collections.abc import Iterator, Mapping

from .container import ContainerPlan
from .mounts import SHM, TMP, tmpfs

_PAGE_BYTES = 64 * 1024
"""Largest page of any kernel: limits are rounded to pages."""
_CPU_TOLERANCE = 0.011
_CAPABILITIES = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")


def violations(facts: Mapping[str, str], plan: ContainerPlan) -> list[str]:
    """Return the names of the promises that do not hold; empty means that all do.

    A fact that is missing or makes no sense is a promise that does not hold.
    """
    return [name for name, holds in _promises(facts, plan) if not holds]


def _promises(facts: Mapping[str, str], plan: ContainerPlan) -> Iterator[tuple[str, bool]]:
    yield "no capabilities", all(facts.get(name, "1").strip("0") == "" for name in _CAPABILITIES)
    yield "no new privileges", facts.get("NoNewPrivs") == "1"
    yield "seccomp filter", facts.get("Seccomp") == "2"
    yield "user", facts.get("Uid") == str(plan.uid) and facts.get("Gid") == str(plan.gid)
    yield "memory limit", _close(facts.get("memory"), plan.budget.memory_bytes)
    yield "swap limit", _swap(facts, plan.budget.memory_bytes)
    yield "process limit", facts.get("pids") == str(plan.budget.pids)
    yield "CPU limit", _cpu(facts, min(plan.budget.cpu, plan.cpus))
    yield "scratch limits", _scratch(facts, plan)


def _close(text: str | None, expected: int) -> bool:
    return text is not None and text.isdigit() and abs(int(text) - expected) < _PAGE_BYTES


def _swap(facts: Mapping[str, str], memory: int) -> bool:
    """Memory and swap together on version 1; swap alone on version 2; neither file: no swap accounting."""
    if "memory_swap" in facts:
        return _close(facts["memory_swap"], memory)
    return facts.get("swap", "0") == "0"


def _cpu(facts: Mapping[str, str], cpus: float) -> bool:
    quota, _, period = facts.get("cpu_max", "").partition("/")
    if not period:
        quota, period = facts.get("cpu_quota", ""), facts.get("cpu_period", "")
    if not quota.isdigit() or not period.isdigit() or not int(period):
        return False
    return math.isclose(int(quota) / int(period), cpus, abs_tol=_CPU_TOLERANCE)


def _scratch(facts: Mapping[str, str], plan: ContainerPlan) -> bool:
    planned = tmpfs(plan.budget.scratch_bytes, uid=plan.uid, gid=plan.gid, volumes=plan.volumes)
    for path in (TMP, SHM):
        size = int(planned[path].partition("size=")[2].partition(",")[0])
        if not _close(facts.get(path), size):
            return False
    return True
