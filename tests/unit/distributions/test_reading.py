"""What the environment's distributions bring, read without importing one."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from harnest_ext.distributions import installed_extensions
from harnest_ext.problem import Severity
from tests.support.environments import (
    editable_by_finder,
    editable_by_path,
    install_wheel,
    plant,
)
from tests.support.packages import PackageSpec

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from harnest_ext.distributions import EnvironmentView

METADATA = "Metadata-Version: 2.1\nName: {}\nVersion: 1.0.0\n"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """An empty folder of a Python path."""
    folder = tmp_path / "site"
    folder.mkdir()
    return folder


def view(*sites: Path) -> EnvironmentView:
    """Return what these folders bring."""
    return installed_extensions([str(site) for site in sites])


def test_an_empty_environment_brings_nothing(site: Path) -> None:
    """A folder without distributions, and one that is not there, are fine."""
    assert dict(view(site, site / "absent").extensions) == {}


def test_an_installed_wheel_brings_its_extension(site: Path) -> None:
    """Name, version, folder and requirements are the metadata's."""
    folder = install_wheel(site, PackageSpec(name="weather", dependencies=("httpx>=0.27",)))
    [found] = view(site).extensions.values()
    assert (found.slug, found.distribution, found.version) == (
        "weather",
        "harnest-extension-weather",
        "1.0.0",
    )
    assert found.folder == folder
    assert found.editable is False
    assert "httpx>=0.27" in found.requires
    assert found.requires_python == ">=3.11"


@pytest.mark.parametrize("install", [editable_by_path, editable_by_finder])
def test_an_editable_install_leads_to_its_checkout(
    site: Path, install: Callable[[Path, PackageSpec], Path]
) -> None:
    """Both forms that installers write are understood without running them."""
    folder = install(site, PackageSpec(name="two_words"))
    [found] = view(site).extensions.values()
    assert (found.slug, found.folder, found.editable) == ("two_words", folder, True)
    assert "two_words" not in "".join(sys.modules)


def test_other_distributions_are_passed_over(site: Path) -> None:
    """Entry points of other groups bring nothing and are no problem."""
    plant(site, "other-1.0.0", METADATA=METADATA.format("other"))
    plant(
        site,
        "tool-1.0.0",
        METADATA=METADATA.format("tool"),
        entry_points__txt="[console_scripts]\ntool = tool:main\n",
    )
    found = view(site)
    assert (dict(found.extensions), found.problems) == ({}, ())


BROKEN = {
    "malformed": {"entry_points__txt": "[harnest.extensions\nx = "},
    "not-utf8": {"entry_points__txt": b"[harnest.extensions]\nweather = \xff\xfe:x\n"},
    "two": {"entry_points__txt": "[harnest.extensions]\nx = x:x\ny = y:y\n"},
    "foreign-name": {"entry_points__txt": "[harnest.extensions]\ndocker = x.extension:extension\n"},
    "no-slug": {"entry_points__txt": "[harnest.extensions]\nA B = x.extension:extension\n"},
    "no-folder": {
        "entry_points__txt": "[harnest.extensions]\n"
        "broken = harnest_extension_broken.extension:extension\n"
    },
}


@pytest.mark.parametrize("files", BROKEN.values(), ids=BROKEN)
def test_a_broken_distribution_is_named_and_hides_nobody(
    site: Path, files: dict[str, str | bytes]
) -> None:
    """It costs one warning; the good one beside it is found."""
    metadata = METADATA.format("harnest-extension-broken")
    plant(site, "harnest_extension_broken-1.0.0", METADATA=metadata, **files)
    install_wheel(site, PackageSpec(name="weather"))
    found = view(site)
    assert list(found.extensions) == ["weather"]
    [problem] = found.problems
    assert problem.severity is Severity.WARNING
    assert "harnest-extension-broken" in f"{problem.message} {problem.path}"


def test_a_distribution_with_unreadable_metadata_is_named_by_its_folder(site: Path) -> None:
    """It has no name of its own, and its reader has to find it."""
    plant(
        site,
        "harnest_extension_broken-1.0.0",
        METADATA=b"\xff\xfe",
        entry_points__txt="[harnest.extensions]\nbroken = x:x\n",
    )
    [problem] = view(site).problems
    assert problem.path == "harnest_extension_broken-1.0.0.dist-info"


def test_a_distribution_without_metadata_is_passed_over(site: Path) -> None:
    """A folder that an interrupted installer left stops nobody."""
    plant(site, "half-1.0.0")
    plant(site, "harnest_extension_half-1.0.0", entry_points__txt="[harnest.extensions]\nx = x:x\n")
    install_wheel(site, PackageSpec(name="weather"))
    assert list(view(site).extensions) == ["weather"]


def test_the_first_on_the_path_counts(tmp_path: Path) -> None:
    """A second distribution of the same extension is named."""
    first, second = tmp_path / "first" / "site", tmp_path / "second" / "site"
    install_wheel(first, PackageSpec(name="weather", version="1.0.0"))
    install_wheel(second, PackageSpec(name="weather", version="2.0.0"))
    found = view(first, second)
    assert found.extensions["weather"].version == "1.0.0"  # type: ignore[index]
    [problem] = found.problems
    assert (problem.rule, "2.0.0" in problem.got) == ("environment.duplicate", True)


def test_what_is_installed_later_is_seen(site: Path) -> None:
    """The answer is kept only as long as the path is the same."""
    assert list(view(site).extensions) == []
    install_wheel(site, PackageSpec(name="weather"))
    assert list(view(site).extensions) == ["weather"]
