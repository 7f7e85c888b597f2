"""The extensions that are published on the package index are accepted as they are."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from harnest_ext.host import Host
from harnest_ext.package import check_package

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.index, pytest.mark.slow]

PUBLISHED = {
    ("docker", "0.4.2"): (("docker<8,>=7.1",), ("sandbox.provider",)),
    ("hatchet", "0.2.2"): (
        ("hatchet-sdk<2,>=1.38",),
        ("context.continuations", "context.credentials"),
    ),
    ("rag", "0.1.3"): (("asyncpg<1,>=0.30",), ()),
}


@pytest.mark.parametrize(("name", "version"), PUBLISHED)
def test_a_published_wheel_is_accepted(tmp_path: Path, name: str, version: str) -> None:
    """It breaks no rule and gives no cause for doubt."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest"]
    wanted = f"harnest-extension-{name}=={version}"
    done = subprocess.run(
        [*command, str(tmp_path), wanted], capture_output=True, text=True, check=False, timeout=120
    )
    if done.returncode:
        pytest.skip(f"no index gives {wanted}: {done.stderr.strip().splitlines()[-1:]}")
    (wheel,) = tmp_path.iterdir()
    report = check_package(wheel, host=Host(harnest_version="1.0.0", python_version="3.11.7"))
    assert report.problems == ()
    assert report.package is not None
    assert (report.package.slug, report.package.version) == (name, version)
    assert report.package.host_range == ">=1.0.0,<2"
    assert (report.package.dependencies, report.package.capabilities) == PUBLISHED[name, version]
