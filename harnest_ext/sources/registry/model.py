"""What a registry says of one extension; the JSON Schema of its files comes from here.

The models are strict: a value of another type, an unknown key, or a release that contradicts its
own file name is refused.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from harnest_ext import limits
from harnest_ext.identity import Slug
from harnest_ext.manifest import CAPABILITIES, ExtensionRequirement
from harnest_ext.sources.wheel_name import WheelName

__all__ = ["RegistryEntry", "RegistryRelease", "json_schema"]

_Line = Annotated[
    str, StringConstraints(min_length=1, max_length=300, pattern=r"^[^\x00-\x1f\x7f]+$")
]
_Range = Annotated[str, StringConstraints(max_length=limits.REQUIREMENT_CHARACTERS)]
_Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class RegistryRelease(_Strict):
    """One release: a wheel, and what it demands.

    Attributes:
        version: PEP 440 version in normal form.
        file: Name of the wheel in the registry's ``wheels/``.
        size: Bytes of the wheel.
        sha256: Hex digest of the wheel.
        host: Range of Harnest versions; empty when it names none.
        python: Range of Python versions; empty when it names none.
        requires: Other extensions, such as ``rag>=0.1,<1``.
        capabilities: What it declares to use or provide.
        yanked: Why it was withdrawn; absent when it was not.
    """

    version: _Line
    file: _Line
    size: Annotated[int, Field(ge=1, le=limits.WHEEL_BYTES)]
    sha256: _Hash
    host: _Range = ""
    python: _Range = ""
    requires: list[_Line] = Field(default_factory=list, max_length=limits.REQUIREMENTS)
    capabilities: list[_Line] = Field(default_factory=list)
    yanked: _Line | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        name = WheelName.parse(self.file)
        if name is None or not name.usable or "/" in self.file:
            raise ValueError("file is no name of a py3-none-any wheel")
        if name.version != self.version:
            raise ValueError(f"file is of version {name.version}, version is {self.version}")
        unknown = sorted(set(self.capabilities) - set(CAPABILITIES))
        if unknown:
            raise ValueError(f"unknown capability {unknown[0]}")
        for text in self.requires:
            ExtensionRequirement.parse(text)
        return self

    @property
    def requirements(self) -> tuple[ExtensionRequirement, ...]:
        """The other extensions, parsed."""
        return tuple(ExtensionRequirement.parse(text) for text in self.requires)


class RegistryEntry(_Strict):
    """One extension with its releases.

    Attributes:
        slug: Its name.
        project: Name of its distribution.
        summary: One line on what it does.
        trust: ``official`` when the makers of Harnest keep it; otherwise ``community``.
        documentation: Where to read about it; empty when there is no such place.
        source: Where its source lies; empty when that is not public.
        maintainers: Who keeps it, at least one.
        releases: The newest last; a version at most once.
    """

    slug: _Line
    project: _Line
    summary: _Line
    trust: Literal["official", "community"]
    documentation: Annotated[str, StringConstraints(max_length=300)] = ""
    source: Annotated[str, StringConstraints(max_length=300)] = ""
    maintainers: list[_Line] = Field(min_length=1)
    releases: list[RegistryRelease]

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        slug = Slug(self.slug)
        if self.project != slug.distribution:
            raise ValueError(f"project of {slug} is {slug.distribution}, not {self.project}")
        versions = [release.version for release in self.releases]
        if len(set(versions)) != len(versions):
            raise ValueError("a version stands there twice")
        for release in self.releases:
            name = WheelName.parse(release.file)
            if name is not None and name.slug != slug:
                raise ValueError(f"{release.file} is a file of another extension")
        return self


def json_schema() -> dict[str, object]:
    """Return the JSON Schema of ``extensions/<slug>.toml``."""
    made = RegistryEntry.model_json_schema()
    for model in (made, *made["$defs"].values()):
        model["description"] = re.split(r"\n\s*\n", model.get("description", ""))[0]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **made}
