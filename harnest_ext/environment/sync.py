"""The order of the steps: gather, solve, check, write the lock, install."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.environment import rules
from harnest_ext.environment.conflict import explained
from harnest_ext.environment.demands import Demand, demands_of
from harnest_ext.environment.interpreter import find_interpreter
from harnest_ext.environment.pylock import LOCK_NAME, Pylock, marked
from harnest_ext.environment.report import PackageChange, SyncReport
from harnest_ext.environment.standing import check_standing, own_requirements
from harnest_ext.environment.uv import NoSolution, Uv, find_uv
from harnest_ext.errors import InvalidExtension, StoreError
from harnest_ext.host import Host
from harnest_ext.identity import HOST_DISTRIBUTION, normalized
from harnest_ext.store.reading import read_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harnest_ext.store.project import Project

__all__ = ["SyncOptions", "sync"]

_LINE = re.compile(r"^ ([+~-]) ([A-Za-z0-9._-]+)==(\S+)", re.MULTILINE)
_UNCHANGED = "Neither the environment nor the lock was changed."


def _silent(_message: str) -> None:
    """Drop a message that nobody asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncOptions:
    """How to synchronise.

    Attributes:
        python: A Python or a virtual environment; None for the one that runs Harnest.
        frozen: Install exactly what the lock says; refuse one that is stale.
        dry_run: Say what would be done; write and install nothing.
        upgrade: Take newer versions than those in the lock.
        index_url: Package index in place of the configured one.
        offline: Ask nothing over the network.
        told: Is told of each step.
        host: The running Harnest and Python.
    """

    python: Path | None = None
    frozen: bool = False
    dry_run: bool = False
    upgrade: bool = False
    index_url: str = ""
    offline: bool = False
    told: Callable[[str], None] = _silent
    host: Host = field(default_factory=Host)


def sync(project: Project, options: SyncOptions) -> SyncReport:
    """Let an environment hold what the agent and its extensions require.

    Packages are added and changed, never removed; Harnest itself is never changed.

    Args:
        project: The agent project.
        options: How.

    Raises:
        IncompatibleExtension: The requirements exclude each other, or what Harnest stands on; or
            the environment belongs to the system.
        InvalidExtension: The project, its lock or an extension can't be used.
        SourceError: An index failed.
        StoreError: The lock can't be written.
        UsageError: There is no such Python, or no uv.
    """
    python = find_interpreter(options.python)
    if not options.dry_run:
        python.check_installable()
    demands = demands_of(project, options.host)
    uv = Uv(
        program=find_uv(),
        folder=project.root,
        python=python,
        index_url=options.index_url,
        offline=options.offline,
    )
    before = read_regular(project.root / LOCK_NAME, limits.LOCK_BYTES)
    with tempfile.TemporaryDirectory(prefix="harnest-env-") as scratch:
        draft = Path(scratch, LOCK_NAME)
        if options.frozen:
            lock = _frozen(before, demands)
            draft.write_bytes(lock.data)
        else:
            options.told(f"solving {len(demands)} requirements")
            lock = _solved(uv, demands, before, draft, upgrade=options.upgrade)
        changes = _changes(uv.install(draft, dry_run=True))
        if python.is_ours:
            check_standing(changes)
        changed = lock.data != before
        if not options.dry_run:
            if changed:
                _write(project.root / LOCK_NAME, lock.data)
            options.told(f"installing {len(changes)} packages into {python.prefix}")
            changes = _changes(uv.install(draft, dry_run=False))
    return SyncReport(
        lock=project.root / LOCK_NAME,
        python=python.executable,
        demands=demands,
        changes=changes,
        lock_changed=changed,
        dry_run=options.dry_run,
    )


def _frozen(data: bytes | None, demands: Sequence[Demand]) -> Pylock:
    if data is None:
        message = f"There is no {LOCK_NAME}."
        problem = rules.LOCK_MISSING.problem(message, path=LOCK_NAME)
        raise InvalidExtension(problem, unchanged=_UNCHANGED)
    lock = Pylock(data)
    wanted = {demand.text for demand in demands}
    have = lock.requirements or frozenset()
    if wanted != have or lock.requirements is None:
        raise InvalidExtension(
            rules.LOCK_STALE.problem(
                "The lock was made for other requirements.",
                path=LOCK_NAME,
                expected=", ".join(sorted(wanted - have)) or "nothing further",
                got=", ".join(sorted(have - wanted)) or "nothing further",
            ),
            unchanged=_UNCHANGED,
        )
    return lock


def _solved(
    uv: Uv, demands: Sequence[Demand], before: bytes | None, draft: Path, *, upgrade: bool
) -> Pylock:
    host = f"Harnest {Host().harnest_version}"
    own = [Demand(text=text, owner=host) for text in own_requirements()]

    def solve(some: Sequence[Demand], target: Path) -> None:
        uv.lock(
            [demand.text for demand in some if demand.owner != host],
            [demand.text for demand in some if demand.owner == host],
            [HOST_DISTRIBUTION],
            target,
            upgrade=upgrade,
        )

    def solvable(some: Sequence[Demand]) -> bool:
        with tempfile.TemporaryDirectory(dir=draft.parent) as place:
            try:
                solve(some, Path(place, LOCK_NAME))
            except NoSolution:
                return False
        return True

    if before is not None:
        draft.write_bytes(before)
    try:
        solve([*demands, *own], draft)
    except NoSolution as none:
        raise explained([*demands, *own], none.said, solvable) from None
    data = marked(draft.read_bytes(), (demand.text for demand in demands))
    draft.write_bytes(data)
    return Pylock(data)


def _changes(said: str) -> tuple[PackageChange, ...]:
    """What uv says that it changes: a line for each package that goes, and for each that comes."""
    gone: dict[str, str] = {}
    come: dict[str, str] = {}
    for sign, name, version in _LINE.findall(said):
        (gone if sign == "-" else come)[normalized(name)] = version
    return tuple(
        PackageChange(name=name, version=come[name], previous=gone.get(name, ""))
        for name in sorted(come)
    )


def _write(path: Path, data: bytes) -> None:
    """Write the lock whole or not at all."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with draft.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
        raise StoreError(
            rules.UNWRITABLE.problem(
                f"{LOCK_NAME} can't be written.", path=LOCK_NAME, got=error.strerror or ""
            ),
            unchanged=_UNCHANGED,
        ) from None
