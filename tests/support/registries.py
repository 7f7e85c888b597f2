"""Registries of extensions in folders, made on the spot of real wheels."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from harnest_ext.host import Host
from harnest_ext.identity import Slug
from harnest_ext.sources.registry import FolderCatalog
from harnest_ext.sources.registry.model import RegistryEntry
from harnest_ext.sources.registry.release import release_of
from harnest_ext.sources.registry.writing import render_entry
from tests.support.packages import PackageSpec, make_wheel
from tests.support.web import answer

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.web import Server

__all__ = ["entries_of", "make_registry", "offer_registry"]


def make_registry(folder: Path, *specs: PackageSpec, trust: str = "community") -> Path:
    """Make a registry of the given packages and return its folder; later versions come last."""
    (folder / "extensions").mkdir(parents=True, exist_ok=True)
    (folder / "wheels").mkdir(exist_ok=True)
    for name in sorted({spec.name for spec in specs}):
        releases = []
        for spec in (spec for spec in specs if spec.name == name):
            wheel = make_wheel(folder / "wheels", spec)
            releases.append(release_of(wheel, host=Host()))
        entry = RegistryEntry(
            slug=Slug(name),
            summary=f"Does {name} things.",
            trust=trust,
            maintainers=("Somebody",),
            releases=tuple(releases),
        )
        (folder / "extensions" / f"{name}.toml").write_text(render_entry(entry))
    return folder


def entries_of(folder: Path) -> list[RegistryEntry]:
    """Return every entry of the registry in a folder, by name."""
    catalog = FolderCatalog(folder)
    found = [catalog.entry(Slug(name)) for name in catalog.slugs()]
    return [entry for entry in found if entry is not None]


def offer_registry(server: Server, folder: Path) -> str:
    """Serve a registry's catalog and wheels, and return its URL."""
    entries = [entry.shape() for entry in entries_of(folder)]
    body = json.dumps({"format": 1, "later": "unknown", "extensions": entries}).encode()
    server.routes["/catalog/harnest.json"] = answer(body, "application/json", ETag='"1"')
    for wheel in (folder / "wheels").iterdir():
        server.routes[f"/catalog/wheels/{wheel.name}"] = answer(wheel.read_bytes())
    return f"{server.url}/catalog"
