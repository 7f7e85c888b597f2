"""What an extension says about itself: its manifest, version and requirements."""

from __future__ import annotations

from harnest_ext.manifest.capabilities import CAPABILITIES, CONTENT_KINDS
from harnest_ext.manifest.model import MANIFEST_FILE, Manifest
from harnest_ext.manifest.requirement import ExtensionRequirement
from harnest_ext.manifest.version import ExtensionVersion

__all__ = [
    "CAPABILITIES",
    "CONTENT_KINDS",
    "MANIFEST_FILE",
    "ExtensionRequirement",
    "ExtensionVersion",
    "Manifest",
]
