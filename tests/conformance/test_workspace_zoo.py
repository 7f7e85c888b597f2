"""Each check of the workspace suite is failed by something that breaks its promise."""

from __future__ import annotations

import shutil
import sys
import tempfile
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from harnest.execution.local.bounds import Means, bounds_memory, means
from harnest_ext.conformance import (
    CheckOutcome,
    WorkspaceFeature,
    WorkspaceProfile,
    run_workspace_check,
    workspace_checks,
)

from .lies import BEATING, LIARS
from .tiers import ANIMALS, LEFT, Animal, Sound

if TYPE_CHECKING:
    from pathlib import Path

    from harnest.execution import WorkspaceConfig

CHECKS = {check.name: check for check in workspace_checks()}
BROKEN = ANIMALS | LIARS
CASES = [(name, check) for name, animal in BROKEN.items() for check in animal.breaks]
ELSEWHERE = "tools."
"""Checks whose broken subjects are beside the tools' own tests."""

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="the broken ones are broken on Linux"
)


class Tier:
    """The extension object of an animal.

    Args:
        engine: Its engine.
    """

    def __init__(self, engine: type[Sound]) -> None:
        self._engine = engine

    def workspace(self, config: WorkspaceConfig, directory: Path) -> Sound:
        """Return an engine."""
        return self._engine(config, directory)


def profile_of(animal: Animal, monkeypatch: pytest.MonkeyPatch) -> WorkspaceProfile:
    """Let an animal be a tier, and say that it offers nearly everything."""
    module = ModuleType("harnest.extensions.animal")
    module.extension = Tier(animal.engine)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return WorkspaceProfile(
        name="animal",
        options={"tier": "extension:animal", **animal.options},
        supports=frozenset(WorkspaceFeature) - set(animal.lacks),
        slack_seconds=animal.slack_seconds,
        make=animal.make,
    )


def missing(check: str) -> str:
    """Return what this host lacks for a check to say anything, or an empty text."""
    if check.startswith("bounds.memory") and check != "bounds.memory-not" and not bounds_memory():
        return "no control group can bound memory here"
    if check == "bounds.processes" and means() is not Means.GROUP:
        return "no control group can bound processes here"
    if check == "bounds.node" and shutil.which("node", path="/usr/bin:/bin") is None:
        return "node is not installed here"
    return ""


@pytest.mark.parametrize(("name", "check"), CASES, ids=[f"{n}-{c}" for n, c in CASES])
def test_what_breaks_a_promise_fails_its_check(
    name: str, check: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """And the check says how, in a text of its own."""
    if missing(check):
        pytest.skip(missing(check))
    # What goes on writing to a folder keeps it from being removed.
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    try:
        result = run_workspace_check(CHECKS[check], profile_of(BROKEN[name], monkeypatch))
    finally:
        while BEATING:
            BEATING[-1].kill()
            BEATING.pop().wait()
        while LEFT:
            shutil.rmtree(LEFT.pop(), ignore_errors=True)
    assert result.outcome is CheckOutcome.FAILED
    assert result.detail


def test_every_check_is_failed_by_something() -> None:
    """No check is there that nothing could fail."""
    failed = {check for animal in ANIMALS.values() for check in animal.breaks}
    wanted = {name for name in CHECKS if not name.startswith(ELSEWHERE)}
    assert failed == wanted


def test_names_and_promises_are_used_once() -> None:
    """They are identifiers that reports are compared by."""
    checks = list(CHECKS.values())
    assert len(CHECKS) == len(workspace_checks()) >= 60
    assert len({check.promise for check in checks}) == len(checks)
    assert all(check.promise.endswith(".") for check in checks)


@pytest.mark.parametrize("check", ["outcomes.", "input.", "files.", "paths.inside", "code."])
def test_the_sound_engine_keeps_what_the_broken_ones_break(
    check: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that it is the habit which fails, not what it was added to."""
    profile = profile_of(Animal(breaks=()), monkeypatch)
    chosen = [item for name, item in CHECKS.items() if name.startswith(check)]
    results = [run_workspace_check(item, profile) for item in chosen]
    assert [item for item in results if item.outcome is CheckOutcome.FAILED] == []
