"""What `outdated` says when it can't look something up."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.support.packages import PackageSpec
from tests.support.registries import make_registry

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.commands import Command


@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
def test_a_source_that_fails_is_no_good_news(
    harnest: Command, agent: Path, tmp_path: Path, quiet: list[str]
) -> None:
    """It is a warning, told with --quiet and in JSON too, and nobody says all is up to date."""
    registry = make_registry(tmp_path / "registry", PackageSpec(name="weather"))
    place = ("--registry", str(registry))
    assert harnest("extensions", "install", "weather", *place, cwd=agent).code == 0
    good = harnest("extensions", "outdated", *quiet, cwd=agent)
    assert (good.code, good.stdout, good.stderr) == (0, "Everything is up to date.\n", "")
    shutil.rmtree(registry)
    shown = harnest("extensions", "outdated", *quiet, cwd=agent)
    assert shown.code == 0
    assert shown.stdout == "Nothing newer was found where it could be looked up.\n"
    assert shown.stderr.startswith("warning: weather could not be looked up: ")
    told = harnest("extensions", "outdated", "--json", *quiet, cwd=agent).json
    assert [problem["rule"] for problem in told["warnings"]] == ["registry.no-registry"]
