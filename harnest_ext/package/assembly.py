"""The facts of an inspected package put together, if nothing refuses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.errors import InvalidExtension
from harnest_ext.package.model import ExtensionPackage
from harnest_ext.package.requirements import Needs, merged

if TYPE_CHECKING:
    from pathlib import Path

    from harnest_ext.package.findings import Findings
    from harnest_ext.package.inspection import Inspected
    from harnest_ext.package.model import ArchiveFile
    from harnest_ext.package.reading import VerifiedFiles

__all__ = ["assemble"]


def assemble(  # noqa: PLR0913 - the parts of a package, each by name
    inspected: Inspected,
    verified: VerifiedFiles,
    findings: Findings,
    *,
    location: Path,
    needs: Needs | None,
    requires_python: str | None,
    archive: ArchiveFile | None = None,
) -> ExtensionPackage | None:
    """Return the package, or None if something other than the host refuses it.

    Args:
        inspected: What the inspection of the tree found.
        verified: The files to copy, read through.
        findings: All problems; more may be added.
        location: The folder or wheel.
        needs: What the distribution's metadata requires; None if there is none.
        requires_python: Range of Python versions; None for any.
        archive: The wheel file, if it came from one.
    """
    manifest = inspected.manifest
    needs = needs or Needs()
    if manifest is None:
        return None
    try:
        requirements = merged((*manifest.requires, *needs.extensions))
    except InvalidExtension as error:
        findings.extend(error.problems)
        return None
    if any(not problem.kind.startswith("incompatible-") for problem in findings.errors):
        return None
    return ExtensionPackage(
        slug=manifest.name,
        version=manifest.version.public,
        manifest=manifest,
        requires_python=requires_python,
        host_range=needs.host_range,
        dependencies=needs.dependencies,
        extension_requirements=requirements,
        capabilities=manifest.capabilities,
        files=verified.files,
        digest=verified.digest,
        archive=archive,
        location=location,
        warnings=findings.warnings,
        reader=verified,
    )
