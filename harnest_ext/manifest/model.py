"""What an extension says about itself, after every rule of the manifest has been kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from harnest_ext.identity import Slug

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnest_ext.manifest.requirement import ExtensionRequirement
    from harnest_ext.manifest.version import ExtensionVersion

__all__ = ["API_VERSION", "ENTRYPOINT", "KIND", "MANIFEST_FILE", "Manifest"]

MANIFEST_FILE = "extension.yaml"
API_VERSION = "harnest.dev/v1alpha1"
KIND = "Extension"
ENTRYPOINT = "extension:extension"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A valid ``extension.yaml``.

    Attributes:
        name: The extension's name.
        version: Its version, as written and as a PEP 440 value.
        summary: One line about it; may be empty.
        documentation: Where more is written; may be empty.
        entrypoint: Module and attribute inside the package; always ``extension:extension``.
        requires: Other extensions that it needs, in the order of the file.
        contributes: Package-relative folders by kind of content.
        capabilities: What it declares to use or provide, in the order of the file.
    """

    name: Slug
    version: ExtensionVersion
    summary: str = ""
    documentation: str = ""
    entrypoint: str = ENTRYPOINT
    requires: tuple[ExtensionRequirement, ...] = ()
    contributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    capabilities: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", Slug(self.name))
        object.__setattr__(self, "contributes", MappingProxyType(dict(self.contributes)))
