"""What a registry says of a wheel: read from the wheel itself, having checked it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.package import open_package
from harnest_ext.sources.registry.model import RegistryRelease

if TYPE_CHECKING:
    from pathlib import Path

    from harnest_ext.host import Host

__all__ = ["release_of"]


def release_of(wheel: Path, *, host: Host) -> RegistryRelease:
    """Return the release that a wheel is.

    Args:
        wheel: A wheel file.
        host: The Harnest and Python that it must work with.

    Raises:
        InvalidExtension: It breaks a rule.
        IncompatibleExtension: It excludes the host.
    """
    with open_package(wheel, host=host) as package:
        archive = package.archive
        if archive is None:
            raise AssertionError("a package read from a wheel has its archive's facts")
        return RegistryRelease(
            version=package.version,
            file=archive.name,
            size=archive.size,
            sha256=archive.sha256,
            host=package.host_range or "",
            python=package.requires_python or "",
            requires=tuple(str(item) for item in package.extension_requirements),
            capabilities=package.capabilities,
        )
