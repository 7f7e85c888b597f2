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
    "read_manifest",
]


def read_manifest(data: bytes, path: str) -> Manifest:
    """Return the manifest that ``data`` holds.

    Args:
        data: Content of an ``extension.yaml``.
        path: How the file is named in problems, such as ``extension.yaml``.

    Raises:
        InvalidExtension: with all problems, each at its line.
    """
    # Here, not above: PyYAML is loaded only by those who have a manifest to read.
    from harnest_ext.manifest.reader import read_manifest as read  # noqa: PLC0415

    return read(data, path)
