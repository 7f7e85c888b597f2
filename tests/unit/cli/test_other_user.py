"""A project of somebody else's: what may not be looked at is told, and nothing crashes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
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


def test_a_file_that_its_owner_may_not_read_is_named(other: Command, owned: Path) -> None:
    """A hash of it can't be had: the copy is not what was installed, and the file is named."""
    (owned / "extensions" / "weather" / "extension.py").chmod(0o000)
    verified = other("extensions", "verify", "--json", cwd=owned)
    assert verified.code == 1, verified.stderr
    (found,) = verified.json["extensions"]
    assert "extension.py (can't be read)" in found["files"]
    assert other("extensions", "doctor", cwd=owned).code == 1


def test_an_environment_that_another_user_may_not_change_is_refused(
    other: Command, owned: Path
) -> None:
    """Whatever stands in the way first, the interpreter or the lock's folder, is told by rule."""
    done = other("env", "sync", "--offline", "--json", cwd=owned)
    assert done.code in {1, 2}
    assert done.error["kind"] != "defect"


def test_a_project_that_is_mounted_read_only_is_refused(harnest: Command, owned: Path) -> None:
    """What reads goes on; what writes says why it can't, a lock of the environment too."""
    mounted = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && cd "$0" && exec "$@"'
    inside = ("unshare", "-m", "/bin/sh", "-c", mounted, str(owned))
    if subprocess.run([*inside, "true"], capture_output=True, check=False).returncode:
        pytest.skip("nothing can be mounted here")
    frozen = Command(program=(*inside, *harnest.program), environment=harnest.environment)
    assert frozen("extensions", "list", cwd=owned).code == 0
    for command, rule in (
        (("extensions", "uninstall", "weather"), "store.write"),
        (("env", "sync", "--offline", "--python", sys.prefix), "env.unwritable"),
    ):
        done = frozen(*command, "--json", cwd=owned)
        assert (done.code, done.error["rule"]) == (1, rule), done.stderr
