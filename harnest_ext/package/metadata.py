"""The METADATA and WHEEL files of a wheel held against its file name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from harnest_ext import limits
from harnest_ext.identity import normalized
from harnest_ext.package.declared import leaves
from harnest_ext.package.headers import parse_headers
from harnest_ext.package.host import check_specifier
from harnest_ext.package.requirements import Needs, RequirementSource, read_requirements
from harnest_ext.package.rules import project as project_rules
from harnest_ext.package.rules import wheel as rules
from harnest_ext.package.wheelname import PURE_TAG

if TYPE_CHECKING:
    from harnest_ext.package.findings import Findings
    from harnest_ext.package.headers import Fields
    from harnest_ext.package.wheelname import WheelName

__all__ = ["MetadataFacts", "check_wheel_file", "read_metadata"]

_PROJECT = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?", re.ASCII)
_METADATA_VERSION = re.compile(r"[12]\.[0-9]{1,3}", re.ASCII)
_WHEEL_VERSION = re.compile(r"1\.[0-9]{1,3}", re.ASCII)
_NAME_CHARACTERS = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataFacts:
    """What METADATA says about the distribution.

    Attributes:
        needs: What it requires.
        requires_python: Range of Python versions; None if it names none.
        summary: Its one-line description; may be empty.
    """

    needs: Needs
    requires_python: str | None = None
    summary: str = ""


def read_metadata(data: bytes, path: str, name: WheelName, findings: Findings) -> MetadataFacts:
    """Return what METADATA says; everything wrong with it goes to ``findings``.

    Args:
        data: Content of the file.
        path: How the file is named in problems.
        name: What the wheel's file name says, with which it must agree.
        findings: Where problems go.
    """
    fields = parse_headers(data, path, rules.METADATA, findings)
    if fields is None:
        return MetadataFacts(needs=Needs())
    version = fields.one("Metadata-Version")
    if version and not _METADATA_VERSION.fullmatch(version.value):
        fields.report("Metadata-Version is not known.", version, "1.x or 2.x")
    _check_identity(fields, name)
    for licence in fields.all("License-File"):
        if leaves(licence.value):
            what = "License-File names a file outside the wheel."
            fields.report(what, licence, "a path relative to licenses/ in the .dist-info folder")
    summary = fields.one("Summary", required=False)
    return MetadataFacts(
        needs=_needs(fields, name),
        requires_python=_requires_python(fields),
        summary=summary.value if summary else "",
    )


def _check_identity(fields: Fields, name: WheelName) -> None:
    project = fields.one("Name")
    if project and (not _PROJECT.fullmatch(project.value) or len(project.value) > _NAME_CHARACTERS):
        fields.report("Name is not the name of a project.", project, name.slug.distribution)
    elif project and normalized(project.value) != name.slug.distribution:
        _differs(fields, "Name", name.slug.distribution, project.value, project.line)
    version = fields.one("Version")
    if version is None:
        return
    try:
        value = Version(version.value) if len(version.value) <= limits.VERSION_CHARACTERS else None
    except InvalidVersion:
        value = None
    if value is None:
        fields.report("Version is not a PEP 440 version.", version, name.version)
    elif value != name.value:
        _differs(fields, "Version", name.version, version.value, version.line)


def _differs(fields: Fields, field: str, expected: str, got: str, line: int) -> None:
    what = f"{field} is not that of the file name."
    fields.findings.add(
        rules.METADATA_IDENTITY.problem(
            what, path=fields.path, line=line, expected=expected, got=got
        )
    )


def _requires_python(fields: Fields) -> str | None:
    field = fields.one("Requires-Python", required=False)
    if field is None:
        return None
    reason = check_specifier(field.value)
    if reason:
        fields.report(f"Requires-Python is not valid: {reason}", field, "a range such as >=3.11")
        return None
    return field.value


def _needs(fields: Fields, name: WheelName) -> Needs:
    items = list(fields.all("Requires-Dist"))
    lines = {field.value: field.line for field in items}
    source = RequirementSource(
        path=fields.path,
        field="Requires-Dist",
        syntax=project_rules.REQUIREMENT,
        line_of=lines.get,
    )
    return read_requirements([f.value for f in items], source, name.slug, fields.findings)


def check_wheel_file(data: bytes, path: str, name: WheelName, findings: Findings) -> None:
    """Report everything in WHEEL that is wrong or is not a pure wheel of format 1."""
    fields = parse_headers(data, path, rules.WHEEL, findings)
    if fields is None:
        return
    version = fields.one("Wheel-Version")
    if version and not _WHEEL_VERSION.fullmatch(version.value):
        fields.report("Wheel-Version is not supported.", version, "1.x")
    pure = fields.one("Root-Is-Purelib")
    if pure and pure.value.lower() != "true":
        fields.report("The wheel is not pure.", pure, "true")
    tags = list(fields.all("Tag"))
    if [tag.value for tag in tags] != [PURE_TAG]:
        first = next((tag for tag in tags if tag.value != PURE_TAG), None)
        fields.report("The tags are not those of the file name.", first, PURE_TAG)
    build = fields.one("Build", required=False)
    if build and build.value != name.build:
        fields.report("The build tag is not that of the file name.", build, name.build or "none")
