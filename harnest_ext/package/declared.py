"""What a ``[project]`` table declares beyond the distribution itself: entry points and files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from harnest_ext.package.rules import project as rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harnest_ext.identity import Slug
    from harnest_ext.package.findings import Findings
    from harnest_ext.package.lines import TomlLines
    from harnest_ext.problem import Problem
    from harnest_ext.rule import Rule

__all__ = ["ENTRY_GROUP", "Place", "check_entry_points", "check_files", "entry_value", "leaves"]

ENTRY_GROUP = "harnest.extensions"


def entry_value(slug: Slug) -> str:
    """Return the only entry point that the distribution of an extension has."""
    return f"{slug.package}.extension:extension"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A ``pyproject.toml`` as the place of problems.

    Attributes:
        path: How the file is named.
        lines: Where its keys stand.
    """

    path: str
    lines: TomlLines

    def problem(
        self, rule: Rule, key: str, message: str, *, expected: str = "", got: str = ""
    ) -> Problem:
        """Return a problem about a dotted key below ``[project]``."""
        line = self.lines.of(f"project.{key}")
        return rule.problem(message, path=self.path, line=line, expected=expected, got=got)


def check_entry_points(
    project: Mapping[str, Any], place: Place, slug: Slug | None, findings: Findings
) -> None:
    """Report entry points that are missing, wrong or not ours.

    Args:
        project: The ``[project]`` table.
        place: The file, for messages.
        slug: The extension's name; None if the manifest is not valid.
        findings: Where problems go.
    """
    groups = project.get("entry-points", {})
    if not isinstance(groups, dict):
        findings.add(place.problem(rules.FIELD, "entry-points", "entry-points is not a table."))
        return
    _check_own_group(groups.get(ENTRY_GROUP), place, slug, findings)
    others = [f"entry-points.{name}" for name in groups if name != ENTRY_GROUP]
    others += [name for name in ("scripts", "gui-scripts") if project.get(name)]
    for other in others:
        what = f"[project.{other}] is not accepted."
        findings.add(place.problem(rules.ENTRY_OTHER, other, what, got=other))


def _check_own_group(entries: object, place: Place, slug: Slug | None, findings: Findings) -> None:
    key = f"entry-points.{ENTRY_GROUP}"
    expected = f'{slug} = "{entry_value(slug)}"' if slug else "exactly one entry"
    if not isinstance(entries, dict) or len(entries) != 1:
        got = f"{len(entries) if isinstance(entries, dict) else 0} entries"
        what = f'[project.entry-points."{ENTRY_GROUP}"] does not hold exactly one entry.'
        findings.add(place.problem(rules.ENTRY_MISSING, key, what, expected=expected, got=got))
        return
    if slug is None:
        return
    name, value = next(iter(entries.items()))
    key = f"{key}.{name}"
    if name != slug:
        what = "The entry point is not named after the extension."
        findings.add(place.problem(rules.ENTRY_NAME, key, what, expected=slug, got=str(name)))
    if value != entry_value(slug):
        what = "The entry point does not name the extension object."
        expected = entry_value(slug)
        findings.add(place.problem(rules.ENTRY_VALUE, key, what, expected=expected, got=str(value)))


def check_files(
    project: Mapping[str, Any], place: Place, files: frozenset[str], findings: Findings
) -> str:
    """Report files that the project names outside the source; return the path of its readme."""
    for field, name in _named_files(project):
        if leaves(name):
            what = f"{field} names a file outside the source."
            expected = "a relative path"
            findings.add(
                place.problem(rules.FILE_OUTSIDE, field, what, expected=expected, got=name)
            )
    readme = project.get("readme")
    file = readme.get("file") if isinstance(readme, dict) else readme
    if not isinstance(file, str) or leaves(file):
        return ""
    if str(PurePosixPath(file)) in files:
        return file
    what = f"The readme {file!r} is not there."
    findings.add(place.problem(rules.README_MISSING, "readme", what, expected="a file", got=file))
    return ""


def _named_files(project: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    readme, licence = project.get("readme"), project.get("license")
    if isinstance(readme, str):
        yield "readme", readme
    for field, table in (("readme", readme), ("license", licence)):
        if isinstance(table, dict) and isinstance(table.get("file"), str):
            yield field, table["file"]
    patterns = project.get("license-files")
    if isinstance(patterns, list):
        yield from (("license-files", item) for item in patterns if isinstance(item, str))


def leaves(name: str) -> bool:
    """Return whether a path that metadata names may lead out of what it is relative to."""
    parts = name.split("/")
    return (
        not name
        or name.startswith(("/", "~"))
        or ".." in parts
        or "\\" in name
        or (len(name) > 1 and name[1] == ":")
    )
