"""A folder of wheels as a source of releases: ``--find-links``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.errors import SourceError
from harnest_ext.resolution import Candidate, Origin, OriginKind
from harnest_ext.sources import rules
from harnest_ext.sources.facts import facts_of_wheel
from harnest_ext.sources.wheel_name import WheelName
from harnest_ext.sources.wheel_store import verified

if TYPE_CHECKING:
    from pathlib import Path

    from harnest_ext.identity import Slug
    from harnest_ext.resolution import Facts

__all__ = ["FindLinks"]


class FindLinks:
    """The wheels directly in a folder; other files in it are passed over.

    Args:
        folder: Where they are, absolute.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[Slug, list[Candidate]] | None = None

    @property
    def origin(self) -> Origin:
        """The folder."""
        return Origin(kind=OriginKind.FIND_LINKS, location=str(self._folder))

    def names(self) -> list[str]:
        """Return the extensions that it has wheels of.

        Raises:
            SourceError: The folder can't be listed.
        """
        return sorted(self._listed())

    def releases(self, slug: Slug) -> list[Candidate] | None:
        """Return the wheels of an extension; None when there is none.

        Raises:
            SourceError: The folder can't be listed.
        """
        return self._listed().get(slug)

    def facts(self, candidate: Candidate) -> Facts:
        """Return what a wheel demands.

        Raises:
            InvalidExtension: It is no valid package.
            SourceError: It can't be read.
        """
        return facts_of_wheel(self.fetch(candidate))

    def fetch(self, candidate: Candidate) -> Path:
        """Return the wheel itself, held to the hash and size that are wanted of it, if any.

        Raises:
            SourceError: It can't be read, or is another wheel.
        """
        path = self._folder / candidate.filename
        if not candidate.sha256 and candidate.size is None:
            return path  # whoever opens it reads it with all due care
        return verified(path, candidate)

    def _listed(self) -> dict[Slug, list[Candidate]]:
        if self._known is None:
            try:
                filenames = sorted(entry.name for entry in self._folder.iterdir())
            except OSError as error:
                message = f"The folder of wheels can't be listed: {error.strerror}."
                problem = rules.UNREADABLE.problem(message, path=str(self._folder))
                raise SourceError(problem) from None
            self._known = {}
            for filename in filenames:
                self._add(filename)
        return self._known

    def _add(self, filename: str) -> None:
        if not filename.startswith("harnest_extension_") or self._known is None:
            return  # parsing is dear, and a folder of wheels may hold thousands of others
        name = WheelName.parse(filename)
        if name is None or name.slug is None or not name.usable:
            return
        self._known.setdefault(name.slug, []).append(
            Candidate(
                slug=name.slug,
                version=name.version,
                origin=self.origin,
                filename=filename,
                link=str(self._folder / filename),
                build=name.build,
            )
        )
