"""What the file name of a wheel says (PEP 427), held against the rules of extensions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from harnest_ext import limits
from harnest_ext.errors import InvalidExtension
from harnest_ext.identity import DISTRIBUTION_PREFIX, PACKAGE_PREFIX, Slug, normalized
from harnest_ext.manifest.version import objection
from harnest_ext.package.rules import wheel as rules

if TYPE_CHECKING:
    from harnest_ext.problem import Problem

__all__ = ["PURE_TAG", "WheelName", "parse_wheel_name"]

PURE_TAG = "py3-none-any"
_SUFFIX = ".whl"
_PUNCTUATION = frozenset("-_.+!")
_BUILD = re.compile(r"[0-9][A-Za-z0-9_.]*", re.ASCII)
_NAME_CHARACTERS = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelName:
    """The file name of an extension's wheel.

    Attributes:
        slug: The extension's name.
        version: Version as the file name spells it.
        build: Build tag; empty if there is none.
    """

    slug: Slug
    version: str
    build: str = ""

    @property
    def value(self) -> Version:
        """The version as it is compared."""
        return Version(self.version)

    @property
    def dist_info(self) -> str:
        """Name of the folder that holds the wheel's metadata."""
        return f"{self.slug.package}-{self.version}.dist-info"


def parse_wheel_name(name: str) -> WheelName:
    """Return what a file name says.

    Raises:
        InvalidExtension: with everything that is wrong with it.
    """
    stem = name.removesuffix(_SUFFIX)
    odd = next(
        (ch for ch in stem if ch.isascii() and not ch.isalnum() and ch not in _PUNCTUATION), ""
    )
    parts = stem.split("-")
    if odd or not name.endswith(_SUFFIX) or len(name) > _NAME_CHARACTERS or len(parts) < 5:
        reason = f"it holds {odd!r}" if odd else f"it has {len(parts)} parts"
        raise InvalidExtension(_not_a_name(name, reason))
    if len(parts) > 6:
        raise InvalidExtension(_not_a_name(name, f"it has {len(parts)} parts"))
    build = parts[2] if len(parts) == 6 else ""
    problems = [
        problem
        for problem in (
            _project_problem(name, parts[0]),
            _version_problem(name, parts[1], build),
            _tag_problem(name, "-".join(parts[-3:])),
        )
        if problem
    ]
    if problems:
        raise InvalidExtension(problems)
    return WheelName(slug=Slug(parts[0][len(PACKAGE_PREFIX) :]), version=parts[1], build=build)


def _not_a_name(name: str, reason: str) -> Problem:
    return rules.FILENAME.problem(
        f"This is not the file name of a wheel: {reason}.",
        path=name,
        expected="harnest_extension_<name>-<version>-py3-none-any.whl",
        got=name,
    )


def _project_problem(name: str, project: str) -> Problem | None:
    if not normalized(project).startswith(DISTRIBUTION_PREFIX.rstrip("-")):
        what = "This is the wheel of an ordinary distribution."
        return rules.NOT_AN_EXTENSION.problem(
            what, path=name, expected=f"{PACKAGE_PREFIX}<name>", got=project
        )
    try:
        if project.startswith(PACKAGE_PREFIX):
            Slug(project[len(PACKAGE_PREFIX) :])
            return None
        reason = f"it does not begin with {PACKAGE_PREFIX!r}"
    except InvalidExtension as error:
        reason = error.problems[0].message.rstrip(".")
    return rules.FILENAME_NAME.problem(
        f"The name in the file name is not usable: {reason}.",
        path=name,
        expected=f"{PACKAGE_PREFIX}<name>",
        got=project,
    )


def _version_problem(name: str, version: str, build: str) -> Problem | None:
    reason = ""
    try:
        if len(version) > limits.VERSION_CHARACTERS or str(Version(version)) != version:
            reason = "it is not in PEP 440 normal form"
        elif objection(version):
            reason = objection(version)
        elif build and not _BUILD.fullmatch(build):
            reason = f"{build!r} after it is neither part of a version nor a build tag"
    except InvalidVersion:
        reason = "it is not a PEP 440 version"
    if not reason:
        return None
    return rules.FILENAME_VERSION.problem(
        f"The version in the file name is not usable: {reason}.",
        path=name,
        expected="a PEP 440 version in normal form, such as 1.0.0rc1",
        got=f"{version}-{build}" if build else version,
    )


def _tag_problem(name: str, tag: str) -> Problem | None:
    if tag == PURE_TAG:
        return None
    what = "The wheel is not for every platform and Python 3."
    return rules.PLATFORM.problem(what, path=name, expected=PURE_TAG, got=tag)
