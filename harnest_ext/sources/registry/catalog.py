"""Where the entries of a registry are read from; a registry in a folder, ``extensions/*.toml``."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Protocol

from harnest_ext import limits
from harnest_ext.errors import SourceError
from harnest_ext.identity import Slug
from harnest_ext.sources.registry import rules
from harnest_ext.sources.registry.reading import entry_of
from harnest_ext.sources.wheel_store import verified
from harnest_ext.toml_fault import toml_fault

if TYPE_CHECKING:
    from pathlib import Path

    from harnest_ext.resolution import Candidate
    from harnest_ext.sources.registry.model import RegistryEntry

__all__ = ["Catalog", "FolderCatalog"]


class Catalog(Protocol):
    """The entries and the wheels of one registry."""

    @property
    def location(self) -> str:
        """Where it is, for messages and the lock."""

    def entry(self, slug: Slug) -> RegistryEntry | None:
        """Return what it says of an extension; None when it says nothing."""

    def slugs(self) -> list[str]:
        """Return all names, without reading the entries where that can be avoided.

        Raises:
            SourceError: There is no registry, or it failed.
        """

    def known(self) -> list[str]:
        """Return the names that can be told without asking the network."""

    def wheel(self, candidate: Candidate) -> Path:
        """Return the wheel of a release as a local file, verified."""


class FolderCatalog:
    """A registry in a folder: ``extensions/<slug>.toml`` and ``wheels/``.

    Args:
        folder: Where it is, absolute.
        name: What the lock calls it; the folder's path if empty.
    """

    def __init__(self, folder: Path, name: str = "") -> None:
        self._folder = folder
        self._name = name
        self._there = False

    @property
    def location(self) -> str:
        """Its name, or else its path."""
        return self._name or str(self._folder)

    def slugs(self) -> list[str]:
        """Return the names of its files that are names of extensions.

        Raises:
            SourceError: There is no registry in the folder.
        """
        try:
            stems = sorted(
                path.stem
                for path in (self._folder / "extensions").iterdir()
                if path.suffix == ".toml"
            )
        except OSError:
            stems = []
        if not stems:
            self._check_there()
        return [stem for stem in stems if Slug.from_distribution(f"harnest-extension-{stem}")]

    def entry(self, slug: Slug) -> RegistryEntry | None:
        """Return what ``extensions/<slug>.toml`` says.

        Raises:
            SourceError: It can't be read, or says it in another way than agreed.
        """
        path = self._folder / "extensions" / f"{slug}.toml"
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            self._check_there()
            return None
        except OSError as error:
            raise _unreadable(path, error.strerror or "") from None
        if len(data) > limits.REGISTRY_ENTRY_BYTES:
            raise _unreadable(path, f"it has more than {limits.REGISTRY_ENTRY_BYTES} bytes")
        try:
            told = tomllib.loads(data.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            fault = toml_fault(error, data)
            raise _unreadable(path, fault.reason, line=fault.line) from None
        return entry_of(told, slug, str(path))

    def known(self) -> list[str]:
        """Return all names: a folder is always at hand, if it is there."""
        try:
            return self.slugs()
        except SourceError:
            return []

    def _check_there(self) -> None:
        if self._there:
            return
        if not (self._folder / "extensions").is_dir():
            message = "There is no registry in this folder: it has no folder 'extensions'."
            raise SourceError(rules.NO_REGISTRY.problem(message, path=str(self._folder)))
        self._there = True

    def wheel(self, candidate: Candidate) -> Path:
        """Return the wheel below ``wheels/``.

        Raises:
            SourceError: It is not there, or not what the registry promised.
        """
        path = self._folder / "wheels" / candidate.filename
        if not path.is_file():
            message = f"The registry lists {candidate} but does not hold its wheel."
            raise SourceError(rules.MISSING.problem(message, path=str(path)))
        return verified(path, candidate)


def _unreadable(path: Path, why: str, *, line: int | None = None) -> SourceError:
    message = f"The registry's file can't be read: {why}."
    return SourceError(rules.ENTRY.problem(message, path=str(path), line=line))
