"""What the name of a wheel file says: extension, version, build; anything else is no candidate."""

from __future__ import annotations

from dataclasses import dataclass

from harnest_ext.identity import Slug

__all__ = ["WheelName"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelName:
    """A parsed file name.

    Attributes:
        project: Normalised name of the distribution.
        slug: Name of the extension; None when the distribution is none.
        version: PEP 440 version in normal form.
        build: Build tag, number and rest; ``(0, "")`` for none.
        usable: Whether its tag is ``py3-none-any``.
    """

    project: str
    slug: Slug | None
    version: str
    build: tuple[int, str]
    usable: bool

    @classmethod
    def parse(cls, filename: str) -> WheelName | None:
        """Return what a file name says; None when it is no wheel's name (PEP 427)."""
        from packaging.utils import (  # noqa: PLC0415 - only look-ups need it
            InvalidWheelFilename,
            parse_wheel_filename,
        )

        try:
            project, version, build, tags = parse_wheel_filename(filename)
        except InvalidWheelFilename:
            return None
        return cls(
            project=project,
            slug=Slug.from_distribution(project),
            version=str(version),
            build=(int(build[0]), str(build[1])) if build else (0, ""),
            usable={str(tag) for tag in tags} == {"py3-none-any"},
        )
