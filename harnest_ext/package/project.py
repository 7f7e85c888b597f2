"""A package's ``pyproject.toml`` held against its rules; its build backend is never run."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harnest_ext import limits
from harnest_ext.identity import normalized
from harnest_ext.package.declared import Place, check_entry_points, check_files
from harnest_ext.package.host import check_specifier
from harnest_ext.package.lines import TomlLines
from harnest_ext.package.requirements import Needs, RequirementSource, read_requirements
from harnest_ext.package.rules import project as rules
from harnest_ext.package.shapes import check_shapes
from harnest_ext.package.toml import load_toml

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnest_ext.identity import Slug
    from harnest_ext.manifest import Manifest
    from harnest_ext.package.findings import Findings
    from harnest_ext.rule import Rule

__all__ = ["PROJECT_FILE", "ProjectFacts", "read_project"]

PROJECT_FILE = "pyproject.toml"
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?", re.ASCII)
_NEEDED = ("name", "version")
_WRITTEN = (
    *_NEEDED,
    "dependencies",
    "entry-points",
    "gui-scripts",
    "requires-python",
    "scripts",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectFacts:
    """What a ``pyproject.toml`` says about the distribution.

    Attributes:
        needs: What it requires.
        requires_python: Range of Python versions; None if it names none.
        readme: Path of its readme; empty if it names none.
        table: The ``[project]`` table itself, of which the rest is a checked extract.
    """

    needs: Needs
    requires_python: str | None = None
    readme: str = ""
    table: Mapping[str, Any] = dataclasses.field(default_factory=dict, repr=False, compare=False)


def read_project(
    data: bytes, path: str, manifest: Manifest | None, files: frozenset[str], findings: Findings
) -> ProjectFacts | None:
    """Return what the file says; everything wrong with it goes to ``findings``.

    Args:
        data: Content of the file.
        path: How the file is named in problems.
        manifest: The package's manifest, with which it must agree; None if that is not valid.
        files: Paths of regular files beside it that it may name, at any depth.
        findings: Where problems go.

    Returns:
        The facts, or None if the file could not be read that far.
    """
    document, problem = load_toml(data, path)
    if problem:
        findings.add(problem)
        return None
    project = document.get("project")
    if not isinstance(project, dict):
        findings.add(rules.FIELD.problem("The table [project] is missing.", path=path, line=1))
        return None
    place = Place(path=path, lines=TomlLines(data.decode()))
    reader = _Reader(project, place, findings)
    reader.dynamic()
    reader.identity(manifest)
    check_shapes(project, place, findings)
    check_entry_points(project, place, manifest.name if manifest else None, findings)
    readme = check_files(project, place, files, findings)
    return ProjectFacts(
        needs=reader.needs(manifest),
        requires_python=reader.requires_python(),
        readme=readme,
        table=project,
    )


class _Reader:
    """Takes the fields of one ``[project]`` table and reports what is wrong with them."""

    def __init__(self, project: dict[str, Any], place: Place, findings: Findings) -> None:
        self._project = project
        self._place = place
        self._findings = findings

    def text(self, field: str) -> str | None:
        """Return a field that is text; another shape is reported."""
        value = self._project.get(field)
        if value is None or isinstance(value, str):
            return value
        self._report(rules.FIELD, f"{field} is not text.", expected="text", got=_shape(value))
        return None

    def texts(self, value: object, field: str) -> list[str]:
        """Return a list of texts; another shape is reported."""
        if value is None:
            return []
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return value
        self._report(rules.FIELD, f"{field} is not a list of texts.", expected="a list of texts")
        return []

    def dynamic(self) -> None:
        """Report fields that are left to the build backend."""
        for field in self.texts(self._project.get("dynamic"), "dynamic"):
            if field in self._project:
                what = f"{field} is both written down and dynamic."
                self._report(rules.STATIC_AND_DYNAMIC, what, got=field)
            elif field in _WRITTEN:
                self._report(rules.BUILD, f"{field} is left to the build backend.", got=field)

    def identity(self, manifest: Manifest | None) -> None:
        """Report a name or version that is missing, malformed or not the manifest's."""
        dynamic = self._project.get("dynamic")
        for field in _NEEDED:
            left = isinstance(dynamic, list) and field in dynamic
            if field not in self._project and not left:
                self._report(rules.FIELD, f"{field} is missing.", expected=field)
        name, version = self.text("name"), self.text("version")
        if name is not None:
            self._name(name, manifest)
        if version is not None:
            self._version(version, manifest)

    def _name(self, name: str, manifest: Manifest | None) -> None:
        if not _NAME.fullmatch(name):
            what = "name is not the name of a project."
            self._report(rules.FIELD, what, expected="letters, digits, - _ and .", got=name)
        elif manifest and normalized(name) != manifest.name.distribution:
            what = "name is not that of the manifest's extension."
            self._report(rules.NAME, what, expected=manifest.name.distribution, got=name)

    def _version(self, version: str, manifest: Manifest | None) -> None:
        from packaging.version import InvalidVersion, Version  # noqa: PLC0415 - with its only use

        try:
            value = Version(version) if len(version) <= limits.VERSION_CHARACTERS else None
        except InvalidVersion:
            value = None
        if value is None:
            what = "version is not a PEP 440 version."
            self._report(rules.FIELD, what, expected="a version such as 1.2.0", got=version)
        elif manifest and value != manifest.version.value:
            what = "version is not that of the manifest."
            self._report(rules.VERSION, what, expected=manifest.version.text, got=version)

    def requires_python(self) -> str | None:
        """Return the range of Python versions."""
        text = self.text("requires-python")
        if text is None:
            return None
        reason = check_specifier(text)
        if reason:
            what = f"requires-python is not valid: {reason}"
            self._report(rules.FIELD, what, expected="a range such as >=3.11", got=text)
            return None
        return text

    def needs(self, manifest: Manifest | None) -> Needs:
        """Return what the dependencies ask for."""
        own = manifest.name if manifest else None
        extras = self._project.get("optional-dependencies", {})
        lists = extras.values() if isinstance(extras, dict) else ()
        optional = [text for item in lists for text in self.texts(item, "optional-dependencies")]
        self._requirements(optional, "optional-dependencies", own)
        needed = self.texts(self._project.get("dependencies"), "dependencies")
        return self._requirements(needed, "dependencies", own)

    def _requirements(self, texts: list[str], field: str, own: Slug | None) -> Needs:
        source = RequirementSource(
            path=self._place.path,
            field=field,
            syntax=rules.DEPENDENCY,
            line_of=lambda text: self._place.lines.of(f"project.{field}", text[:80]),
        )
        return read_requirements(texts, source, own, self._findings)

    def _report(self, rule: Rule, message: str, *, expected: str = "", got: str = "") -> None:
        field = message.partition(" ")[0]
        problem = self._place.problem(rule, field, message, expected=expected, got=got)
        self._findings.add(problem)


def _shape(value: object) -> str:
    if isinstance(value, dict):
        return "a table"
    return "a list" if isinstance(value, list) else f"a {type(value).__name__}"
