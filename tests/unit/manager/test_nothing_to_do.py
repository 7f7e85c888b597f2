"""Commands that find nothing to do write nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harnest_ext.manager import Manager, Setting
from harnest_ext.manager.install import InstallOptions
from harnest_ext.manager.locking import LockOptions
from harnest_ext.manager.lookup import LateLookup
from harnest_ext.manager.sync import SyncOptions
from harnest_ext.sources.finder import Finder
from harnest_ext.sources.settings import SourceSettings
from harnest_ext.store import Project
from tests.support.commands import snapshot
from tests.support.packages import PackageSpec, make_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ACTS: dict[str, Callable[[Manager], object]] = {
    "sync": lambda manager: manager.sync(SyncOptions()),
    "frozen": lambda manager: manager.sync(SyncOptions(frozen=True)),
    "lock": lambda manager: manager.lock(LockOptions()),
    "upgrade": lambda manager: manager.upgrade((), InstallOptions()),
    "list": lambda manager: manager.list_all(),
    "tree": lambda manager: manager.tree(),
    "outdated": lambda manager: manager.outdated(),
    "verify": lambda manager: manager.verify(),
    "doctor": lambda manager: manager.doctor(fix=True),
}


def _manager(agent: Path) -> Manager:
    lookup = LateLookup(lambda: Finder(SourceSettings()))
    return Manager(Setting(project=Project.at(agent), lookup=lookup, wait=0))


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("installed", [False, True])
def test_nothing_to_do_writes_nothing(agent: Path, act: str, *, installed: bool) -> None:
    """An empty project, and one that is as it should be, stay byte for byte as they are."""
    if installed:
        make_folder(agent.parent / "src", PackageSpec())
        _manager(agent).install(["../src/weather"], InstallOptions(), cwd=agent)
    before = snapshot(agent)
    ACTS[act](_manager(agent))
    assert snapshot(agent) == before
