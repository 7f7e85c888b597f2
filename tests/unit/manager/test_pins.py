"""What is pinned stays, and whoever asks for something newer is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.manager import Manager, Setting
from harnest_ext.manager.install import InstallOptions
from harnest_ext.manager.lookup import LateLookup
from harnest_ext.manager.plan import Permission
from harnest_ext.sources.finder import Finder
from harnest_ext.sources.settings import SourceSettings
from harnest_ext.store import Project
from tests.support.packages import PackageSpec, make_wheel

if TYPE_CHECKING:
    from pathlib import Path


def test_an_upgrade_by_name_of_what_is_pinned_is_told(agent: Path, tmp_path: Path) -> None:
    """`install --upgrade NAME` changes nothing of it, and says why."""
    wheels = tmp_path / "wheels"
    make_wheel(wheels, PackageSpec(name="weather"))
    lookup = LateLookup(lambda: Finder(SourceSettings(find_links=(wheels,))))
    upgrade = InstallOptions(permission=Permission(upgrade=True))
    manager = Manager(Setting(project=Project.at(agent), lookup=lookup, wait=0))
    manager.install(["weather"], upgrade, cwd=agent)
    manager.set_pins(["weather"], pinned=True)
    make_wheel(wheels, PackageSpec(name="weather", version="1.1.0"))
    again = Manager(
        Setting(
            project=Project.at(agent),
            lookup=LateLookup(lambda: Finder(SourceSettings(find_links=(wheels,)))),
            wait=0,
        )
    )
    report = again.install(["weather"], upgrade, cwd=agent)
    assert not report.changed
    assert report.notes == ("'weather' is pinned to 1.0.0 and stays.",)
    again.set_pins(["weather"], pinned=False)
    after = again.install(["weather"], upgrade, cwd=agent)
    assert [change.version for change in after.changes] == ["1.1.0"]
    assert after.notes == ()
