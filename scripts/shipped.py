"""The wheels of the official extensions that ship with the product, made and held to the registry.

Used by the hook that builds the product and by ``scripts/update-registry``.
"""

from __future__ import annotations

import contextlib
import json
import os
import tomllib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from harnest_ext.errors import HarnestExtensionError
from harnest_ext.host import Host
from harnest_ext.identity import Slug
from harnest_ext.package.build import build_wheel
from harnest_ext.sources.registry import FolderCatalog, rules
from harnest_ext.sources.registry.model import RegistryEntry
from harnest_ext.sources.registry.release import release_of
from harnest_ext.sources.registry.schema import ENTRY
from harnest_ext.sources.registry.writing import render_entry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from harnest_ext.problem import Problem
    from harnest_ext.sources.registry.model import RegistryRelease

__all__ = ["Made", "differences", "make_wheels", "update"]

SCHEMA = "schema.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What became of the official extensions.

    Attributes:
        releases: What each wheel that was made is, by name.
        summaries: What each one's project says of itself, by name.
        problems: Why others were not made.
    """

    releases: Mapping[Slug, RegistryRelease]
    summaries: Mapping[Slug, str]
    problems: tuple[Problem, ...] = ()


def make_wheels(root: Path, out: Path) -> Made:
    """Build the wheel of every official extension into ``out``.

    Args:
        root: The repository's folder.
        out: Where the wheels go; other wheels in it are removed.
    """
    out.mkdir(parents=True, exist_ok=True)
    releases: dict[Slug, RegistryRelease] = {}
    summaries: dict[Slug, str] = {}
    problems: list[Problem] = []
    for manifest in sorted((root / "official-extensions").glob("*/extension.yaml")):
        folder = manifest.parent
        try:
            with _fixed_times():
                wheel = build_wheel(folder, out, host=Host())
            slug = Slug(folder.name)
            releases[slug] = release_of(wheel, host=Host())
            summaries[slug] = _summary(folder)
        except HarnestExtensionError as error:
            where = folder.relative_to(root)
            problems += [replace(p, path=f"{where}/{p.path}") for p in error.problems]
    current = {release.file for release in releases.values()}
    for old in out.glob("*.whl"):
        if old.name not in current:
            old.unlink()
    return Made(releases=releases, summaries=summaries, problems=tuple(problems))


def _summary(folder: Path) -> str:
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project.get("description") or f"The {folder.name} extension.")


@contextlib.contextmanager
def _fixed_times() -> Iterator[None]:
    """The hashes are reviewed, so that whoever builds can't choose the times in the wheels."""
    kept = os.environ.pop("SOURCE_DATE_EPOCH", None)
    try:
        yield
    finally:
        if kept is not None:
            os.environ["SOURCE_DATE_EPOCH"] = kept


def differences(registry: Path, made: Made) -> list[Problem]:
    """Return what the registry says of the wheels that is not so; empty when all is."""
    found = list(made.problems)
    catalog = FolderCatalog(registry)
    for slug in sorted({*made.releases, *map(Slug, catalog.slugs())}):
        path = f"registry/extensions/{slug}.toml"
        try:
            entry = catalog.entry(slug)
        except HarnestExtensionError as error:
            found += error.problems
            continue
        told = entry.releases if entry else ()
        release = made.releases.get(slug)
        if release is None or told != (release,):
            found.append(
                rules.STALE.problem(
                    f"The registry does not name the wheel that official-extensions/{slug} gives.",
                    path=path,
                    expected=_shown(release),
                    got=", ".join(map(_shown, told)) or "no release",
                )
            )
    if _schema() != _read(registry / SCHEMA):
        message = "The JSON Schema is not the one that entries are read by."
        found.append(rules.STALE.problem(message, path=f"registry/{SCHEMA}"))
    return found


def update(registry: Path, made: Made) -> list[str]:
    """Let the registry name the wheels that were made; what people wrote in it stays.

    Returns:
        The files that were changed.

    Raises:
        HarnestExtensionError: A file that is there can't be read.
    """
    wanted = {SCHEMA: _schema()}
    catalog = FolderCatalog(registry)
    for slug, release in made.releases.items():
        (registry / "extensions").mkdir(parents=True, exist_ok=True)
        entry = catalog.entry(slug) or _new_entry(slug)
        fresh = replace(entry, summary=made.summaries[slug], releases=(release,))
        wanted[f"extensions/{slug}.toml"] = render_entry(fresh)
    changed = [name for name, text in wanted.items() if _read(registry / name) != text]
    for name in changed:
        (registry / name).write_text(wanted[name], encoding="utf-8")
    return changed


def _new_entry(slug: Slug) -> RegistryEntry:
    return RegistryEntry(
        slug=slug,
        summary="-",  # that of its project takes its place
        trust="official",
        maintainers=("The Harnest developers",),
        releases=(),
    )


def _shown(release: RegistryRelease | None) -> str:
    return f"{release.file} sha256 {release.sha256}" if release else "no wheel"


def _schema() -> str:
    return json.dumps(ENTRY, indent=2) + "\n"


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""
