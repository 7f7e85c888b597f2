"""What a user typed after ``install``, told apart: a folder, a wheel, or a name to look up.

The order of the questions is fixed, so that a text can never slip from one meaning into another:
a URL and a direct reference are refused first, then whatever is or looks like a path is a path
(a missing one is an error, never a look-up), and only the rest is a name.
"""

from __future__ import annotations

import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from harnest_ext import limits
from harnest_ext.errors import ExtensionNotFound, InvalidExtension, UsageError
from harnest_ext.sources import rules
from harnest_ext.sources.name import NamedSource, parse_name

if TYPE_CHECKING:
    from collections.abc import Collection

    from harnest_ext.problem import Problem
    from harnest_ext.rule import Rule

__all__ = ["FolderSource", "Source", "WheelSource", "classify"]

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_VCS = re.compile(r"(?:git|hg|svn|bzr)\+|[\w.-]+@[\w.-]+:[^/\s]\S*/", re.IGNORECASE)
_REFERENCE = re.compile(
    r"\s*[A-Za-z0-9][A-Za-z0-9._-]*\s*(?:\[[^\]]*\]\s*)?@"
    r"(?!\s*(?:[=~^vV]*[0-9*]|latest|newest|stable))"
)
_ARCHIVES = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst", ".tar", ".zip", ".egg", ".gz")


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderSource:
    """A folder that holds an extension's files.

    Attributes:
        path: Where it is, absolute.
    """

    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelSource:
    """A wheel file.

    Attributes:
        path: Where it is, absolute.
    """

    path: Path


Source: TypeAlias = FolderSource | WheelSource | NamedSource


def classify(argument: str, cwd: Path, *, known: Collection[str] = ()) -> Source:
    """Return what ``argument`` means.

    Args:
        argument: One SOURCE as it was typed.
        cwd: Absolute folder that relative paths start from.
        known: Names of extensions that can be looked up: a folder of the same name, typed without
            ``./``, is refused, since either could be meant.

    Raises:
        InvalidExtension: It is no name, no requirement, and no kind of file that can be installed.
        ExtensionNotFound: It is a path, and nothing is there.
        UsageError: It is written as an option, or a bare folder name equals a known extension's.
    """
    if not argument.strip():
        raise InvalidExtension(
            rules.EMPTY.problem("The argument is empty.", path="SOURCE", got=repr(argument))
        )
    if argument.startswith("-"):
        raise UsageError(
            rules.OPTION.problem(
                "The argument is written as an option.", path=argument, got=argument
            )
        )
    _refuse_remote(argument)
    if _looks_like_path(argument) or _exists(cwd, argument):
        return _at_path(argument, cwd, known)
    return parse_name(argument)


def _refuse_remote(text: str) -> None:
    if _VCS.match(text):
        raise _refused(rules.VCS, "A repository is not a source.", text)
    if _REFERENCE.match(text):
        raise _refused(rules.DIRECT_REFERENCE, "A direct reference is not a source.", text)
    if _URL.search(text):
        raise _refused(rules.URL, "A URL is not a source.", text)


def _refused(rule: Rule, message: str, text: str) -> InvalidExtension:
    shown = re.sub(r"//[^/@\s]*@", "//***@", text)
    return InvalidExtension(rule.problem(message, path=shown))


def _looks_like_path(text: str) -> bool:
    name = text.lower()
    return (
        "/" in text
        or text.startswith((".", "~"))
        or name.endswith((".whl", *_ARCHIVES))
        or Path(text).is_absolute()
    )


def _exists(cwd: Path, text: str) -> bool:
    """Whether a bare name is there; one that no file can have is not."""
    try:
        (cwd / text).lstat()
    except (OSError, ValueError):
        return False
    return True


def _at_path(text: str, cwd: Path, known: Collection[str]) -> FolderSource | WheelSource:
    mode = _mode(text, cwd)
    path = cwd / text
    if stat.S_ISDIR(mode):
        if _is_bare(text) and text in known:
            raise UsageError(_ambiguous(text))
        return FolderSource(path=path)
    lower = text.lower()
    if lower.endswith(_ARCHIVES):
        raise _refused(rules.ARCHIVE, "A source archive is not a source.", text)
    if not lower.endswith(".whl") or not stat.S_ISREG(mode):
        raise _refused(rules.FILE_KIND, "This is neither a folder nor a wheel file.", text)
    return WheelSource(path=path)


def _mode(text: str, cwd: Path) -> int:
    problem = rules.MISSING_PATH.problem("There is nothing at this path.", path=text)
    if len(text.encode("utf-8", "replace")) > limits.ARGUMENT_PATH_BYTES:
        raise ExtensionNotFound(problem)
    try:
        return (cwd / text).stat().st_mode
    except (OSError, ValueError):
        raise ExtensionNotFound(problem) from None


def _is_bare(text: str) -> bool:
    return "/" not in text and not text.startswith(".")


def _ambiguous(text: str) -> Problem:
    return rules.BARE_FOLDER.problem(
        f"'{text}' is both a folder here and the name of a known extension.",
        path=text,
        remedy=f"Write ./{text} for the folder; to install the extension by name, run the command "
        "elsewhere with --project, or give a range, such as "
        f"'{text}>=0'.",
    )
