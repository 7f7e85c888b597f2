"""Extensions that the Python environment brings, as facts: read, never imported.

Each distribution is read by itself, so that a broken one costs one warning and hides nobody else.
Of the same extension the first on the path counts, as for any import.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from harnest_ext import rules
from harnest_ext.distributions.scanning import suspects
from harnest_ext.errors import InvalidExtension
from harnest_ext.identity import Slug

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from importlib_metadata import Distribution

    from harnest_ext.problem import Problem

__all__ = ["GROUP", "EnvironmentView", "InstalledDistribution", "installed_extensions"]

GROUP: Final = "harnest.extensions"
_SCHEME = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledDistribution:
    """A distribution that brings an extension.

    Attributes:
        slug: Name of the extension, from its entry point.
        distribution: Name of the distribution, as its metadata spells it.
        version: Its version, as its metadata spells it.
        folder: Folder with its ``extension.yaml``, absolute.
        editable: Whether the folder is a checkout that is run in place.
        requires: Its requirements (PEP 508), as its metadata spells them.
        requires_python: Range of Python versions; empty for any.
    """

    slug: Slug
    distribution: str
    version: str
    folder: Path
    editable: bool
    requires: tuple[str, ...] = ()
    requires_python: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentView:
    """Everything that the environment brings.

    Attributes:
        extensions: By name, sorted.
        problems: Distributions that were skipped, each with the reason; all are warnings.
    """

    extensions: Mapping[Slug, InstalledDistribution] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    def __post_init__(self) -> None:
        """Sort and freeze the mapping."""
        ordered = {name: self.extensions[name] for name in sorted(self.extensions)}
        object.__setattr__(self, "extensions", MappingProxyType(ordered))


_KNOWN: dict[_SCHEME, EnvironmentView] = {}


def installed_extensions(path: Sequence[str] | None = None) -> EnvironmentView:
    """Return the extensions of the environment.

    The answer is kept until a folder of the path changes.

    Args:
        path: Folders to look in; by default ``sys.path``.
    """
    search = list(sys.path if path is None else path)
    scheme = _scheme(search)
    view = _KNOWN.get(scheme)
    if view is None:
        _KNOWN.clear()
        view = _KNOWN[scheme] = _read(search)
    return view


def _scheme(search: Iterable[str]) -> _SCHEME:
    # Installing and removing a distribution adds or removes an entry of one of these folders.
    scheme = []
    for folder in search:
        try:
            scheme.append((folder, os.stat(folder or ".").st_mtime_ns))  # noqa: PTH116 - hot path
        except OSError:
            scheme.append((folder, 0))
    return tuple(scheme)


def _read(search: list[str]) -> EnvironmentView:
    found: dict[Slug, InstalledDistribution] = {}
    problems: list[Problem] = []
    for distribution in suspects(search, GROUP):
        try:
            brought = _brought(distribution)
        except InvalidExtension as error:
            problems.append(_broken(distribution, error.problems[0].message))
            continue
        except Exception as error:  # noqa: BLE001 - anybody's metadata: it must not stop the others
            problems.append(_broken(distribution, f"it can't be read ({type(error).__name__})"))
            continue
        if brought is None:
            continue
        first = found.setdefault(brought.slug, brought)
        if first is not brought and first.folder != brought.folder:
            problems.append(_shadowed(brought, first))
    return EnvironmentView(extensions=found, problems=tuple(problems))


def _brought(distribution: Distribution) -> InstalledDistribution | None:
    text = distribution.read_text("entry_points.txt")
    if not text or GROUP not in text:
        return None
    entries = list(distribution.entry_points.select(group=GROUP))
    if not entries:
        raise _refusal(f"its entry_points.txt names the group {GROUP} and can't be understood")
    if len(entries) > 1:
        raise _refusal(f"it has {len(entries)} entry points in the group {GROUP}, not one")
    slug = Slug(entries[0].name)
    package = entries[0].module.partition(".")[0]
    if Slug.from_distribution(distribution.name) != slug:
        raise _refusal(f"only {slug.distribution!r} may bring the extension {slug!r}")
    folder, editable = _folder(distribution, package)
    return InstalledDistribution(
        slug=slug,
        distribution=distribution.name,
        version=distribution.version,
        folder=folder,
        editable=editable,
        requires=tuple(distribution.requires or ()),
        requires_python=str(distribution.metadata.get("Requires-Python") or ""),
    )


def _folder(distribution: Distribution, package: str) -> tuple[Path, bool]:
    files = distribution.files or ()
    wanted = f"{package}/extension.yaml"
    for file in files:
        if file.as_posix() == wanted:
            folder = Path(str(distribution.locate_file(file))).resolve().parent
            if (folder / "extension.yaml").is_file():
                return folder, False
    from harnest_ext.distributions.editable import (  # noqa: PLC0415 - only checkouts need it
        editable_folder,
    )

    checkout = editable_folder(distribution, package)
    if checkout is None:
        raise _refusal(f"none of its files is {wanted}, and it is no editable install of one")
    return checkout, True


def _refusal(message: str) -> InvalidExtension:
    return InvalidExtension(rules.SHAPE.problem(message))


def _broken(distribution: Distribution, reason: str) -> Problem:
    return rules.UNREADABLE.problem(
        f"A distribution of the environment was skipped: {reason}.", path=_label(distribution)
    )


def _shadowed(brought: InstalledDistribution, first: InstalledDistribution) -> Problem:
    return rules.DUPLICATE.problem(
        f"The environment brings the extension {brought.slug!r} twice; the first counts.",
        path=str(brought.folder),
        got=f"{first.version} in {first.folder}, and {brought.version}",
    )


def _label(distribution: Distribution) -> str:
    # A distribution without readable metadata still has a place, which its reader can look at.
    name: object = None
    with suppress(Exception):
        name = distribution.read_text("METADATA") and distribution.name
    folder = getattr(distribution, "_path", None)
    return str(name or getattr(folder, "name", "") or "a distribution that can't be read")
