"""The wheels that ship are made when the product is built, and are those that were reviewed."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from harnest_ext.errors import SourceError
from harnest_ext.identity import Slug
from harnest_ext.sources.registry import FolderCatalog
from harnest_ext.sources.registry.reading import entry_of
from harnest_ext.sources.registry.schema import ENTRY
from scripts import shipped
from tests.support.packages import PackageSpec, make_folder
from tests.support.registries import entries_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def product(tmp_path: Path) -> Path:
    """A repository with one official extension and a registry that names its wheel."""
    root = tmp_path / "product"
    make_folder(root / "official-extensions", PackageSpec(name="weather"))
    shipped.update(root / "registry", shipped.make_wheels(root, root / "registry" / "wheels"))
    return root


def rules_of(root: Path) -> list[tuple[str, str]]:
    """Return rule and path of what the registry says that is not so."""
    made = shipped.make_wheels(root, root / "registry" / "wheels")
    return [(p.rule, p.path) for p in shipped.differences(root / "registry", made)]


def test_the_registry_names_what_is_built(product: Path) -> None:
    """Right after an update nothing differs, and the entry states what the wheel says."""
    assert rules_of(product) == []
    (wheel,) = (product / "registry" / "wheels").iterdir()
    (entry,) = entries_of(product / "registry")
    (release,) = entry.releases
    assert (entry.slug, entry.trust, release.file) == ("weather", "official", wheel.name)
    assert release.sha256 == hashlib.sha256(wheel.read_bytes()).hexdigest()
    assert (release.host, release.python) == (">=1,<2", ">=3.11")


def test_times_and_litter_do_not_change_a_wheel(
    product: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither SOURCE_DATE_EPOCH nor byte code and tests in the folder make other bytes."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    folder = product / "official-extensions" / "weather"
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "extension.cpython-311.pyc").write_bytes(b"x")
    (folder / "_tests").mkdir()
    (folder / "_tests" / "test_it.py").write_text("")
    assert rules_of(product) == []


def test_a_change_of_an_extension_makes_the_registry_stale(product: Path) -> None:
    """One line more is told with both hashes and what to run; an update mends it."""
    source = product / "official-extensions" / "weather" / "extension.py"
    source.write_text(source.read_text() + "# more\n")
    assert rules_of(product) == [("registry.stale", "registry/extensions/weather.toml")]
    made = shipped.make_wheels(product, product / "registry" / "wheels")
    assert shipped.update(product / "registry", made) == ["extensions/weather.toml"]
    assert rules_of(product) == []


def test_what_people_wrote_in_the_registry_stays(product: Path) -> None:
    """An update renews the release and the summary, and leaves the rest as it was written."""
    entry = product / "registry" / "extensions" / "weather.toml"
    entry.write_text(entry.read_text().replace("The Harnest developers", "Ann"))
    made = shipped.make_wheels(product, product / "registry" / "wheels")
    shipped.update(product / "registry", made)
    assert 'maintainers = ["Ann"]' in entry.read_text()


def test_an_entry_without_its_extension_is_told(product: Path) -> None:
    """What is in the registry and can't be built is as wrong as the reverse."""
    shutil.rmtree(product / "official-extensions" / "weather")
    assert rules_of(product) == [("registry.stale", "registry/extensions/weather.toml")]
    assert list((product / "registry" / "wheels").iterdir()) == []


def test_a_broken_extension_is_told_by_its_own_rule(product: Path) -> None:
    """Its problems come with the path from the repository's root."""
    (product / "official-extensions" / "weather" / "odd.py").write_text("")
    assert ("layout.stray-root-entry", "official-extensions/weather/odd.py") in rules_of(product)


def test_the_schema_beside_the_registry_is_that_of_the_models(root: Path) -> None:
    """Editors and reviewers see the same rules as the product."""
    written = json.loads((root / "registry" / "schema.json").read_text())
    assert written == ENTRY


def test_every_entry_that_ships_can_be_read(root: Path) -> None:
    """The registry of this repository holds no entry that the product would refuse."""
    catalog = FolderCatalog(root / "registry")
    assert {"docker", "process"} <= set(catalog.slugs())
    assert [entry.slug for entry in entries_of(root / "registry")] == catalog.slugs()


def test_an_entry_is_read_strictly_and_told_fault_by_fault(product: Path) -> None:
    """Every fault of a file is told at once, with its place in the file."""
    (entry,) = entries_of(product / "registry")
    told: dict[str, Any] = {**entry.shape(), "trust": "best", "stars": 5}
    told["releases"] = [{**entry.releases[0].shape(), "sha256": "x", "size": True}]
    with pytest.raises(SourceError) as caught:
        entry_of(told, Slug("weather"), "weather.toml")
    assert {"releases.0.sha256", "releases.0.size", "stars", "trust"} == {
        problem.message.split(": ")[1] for problem in caught.value.problems
    }


HOOK = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "product"
version = "1.0"
[tool.hatch.build.targets.wheel]
packages = ["harnest_ext"]
[tool.hatch.build.targets.wheel.hooks.custom]
path = "scripts/build_hook.py"
"""


def build(product: Path, root: Path) -> subprocess.CompletedProcess[str]:
    """Build the wheel of a product that consists of this code and the made extension."""
    if not (product / "pyproject.toml").exists():
        (product / "pyproject.toml").write_text(HOOK)
        for name in ("harnest", "harnest_ext", "scripts"):
            ignored = shutil.ignore_patterns("__pycache__", "_data")
            shutil.copytree(root / name, product / name, ignore=ignored)
    return subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel"],
        cwd=product,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_build_includes_the_registry_and_fails_when_it_is_stale(
    product: Path, root: Path
) -> None:
    """The wheel holds entries, schema and wheels; a hash that differs stops the build."""
    done = build(product, root)
    assert done.returncode == 0, done.stderr
    (wheel,) = (product / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    data = "harnest_ext/_data/registry"
    assert {
        f"{data}/extensions/weather.toml",
        f"{data}/schema.json",
        f"{data}/wheels/harnest_extension_weather-1.0.0-py3-none-any.whl",
    } <= names
    entry = product / "registry" / "extensions" / "weather.toml"
    text = entry.read_text()
    (digest,) = [line.split('"')[1] for line in text.splitlines() if line.startswith("sha256")]
    entry.write_text(text.replace(digest, "0" * 64))
    wheel.unlink()
    failed = build(product, root)
    assert failed.returncode != 0
    assert "registry.stale" in failed.stderr
    assert digest in failed.stderr
    assert list((product / "dist").glob("*.whl")) == []
