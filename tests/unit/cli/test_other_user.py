"""A project of somebody else's: what may not be looked at is told, and nothing crashes."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.commands import Command
from tests.support.packages import make_agent, make_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")

pytestmark = pytest.mark.skipif(
    os.getuid() != 0 or shutil.which("setpriv") is None,
    reason="needs root and setpriv, to be somebody else",
)


@pytest.fixture
def owned(harnest: Command) -> Iterator[Path]:
    """A project of root's with one extension, where everybody may look."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        place.chmod(0o755)
        agent = make_agent(place)
        source = make_folder(place / "src")
        assert harnest("extensions", "install", source, cwd=agent).code == 0
        yield agent


@pytest.fixture
def other(harnest: Command, owned: Path) -> Command:
    """The command as another user runs it; skips where that user can't."""
    made = Command(program=(*NOBODY, *harnest.program), environment=harnest.environment)
    if made("--version", cwd=owned).code:
        pytest.skip("another user can't run this Python")
    return made


@pytest.mark.parametrize("hidden", ["extensions", "extensions/.harnest", "extensions/weather"])
def test_what_may_not_be_looked_at_is_told(other: Command, owned: Path, hidden: str) -> None:
    """What reads goes on, the doctor names the folder, and what writes refuses."""
    (owned / hidden).chmod(0o700)
    for command in (["list"], ["show", "weather"], ["tree"]):
        done = other("extensions", *command, cwd=owned)
        assert done.code == 0, done.stderr
    done = other("extensions", "doctor", "--json", cwd=owned)
    assert done.code == 1, done.stderr
    assert hidden in {found["path"] for found in done.json["findings"]}
    for command in (["uninstall", "weather"], ["install", "../src/weather", "--force"], ["sync"]):
        refused = other("extensions", *command, "--json", cwd=owned)
        assert refused.code == 1
        assert refused.error["kind"] in {"io-error", "modified"}
    mended = other("extensions", "doctor", "--fix", "--json", cwd=owned)
    assert mended.code == 1, mended.stderr
    assert not any(found["fixed"] for found in mended.json["findings"])


def test_a_stray_folder_that_may_not_be_looked_at_is_listed(other: Command, owned: Path) -> None:
    """Whether it is an extension can't be seen, so its state says so."""
    stray = owned / "extensions" / "stray"
    stray.mkdir(mode=0o700)
    done = other("extensions", "list", "--json", cwd=owned)
    assert done.code == 0, done.stderr
    states = {item["name"]: item["state"] for item in done.json["extensions"]}
    assert states == {"stray": "unreadable", "weather": "ok"}
