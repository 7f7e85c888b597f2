"""Imports one extension and takes its singleton, telling failures by type alone."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harnest.extensions._base import bind_extension
from harnest.extensions._finder import PREFIX
from harnest_ext.errors import LoadError
from harnest_ext.problem import Problem
from harnest_ext.runtime import rules
from harnest_ext.runtime.exports import find_extension
from harnest_ext.runtime.safely import ends_caller, place_in, type_name

if TYPE_CHECKING:
    from types import ModuleType

    from harnest.extensions import Extension
    from harnest_ext.identity import Slug
    from harnest_ext.runtime.candidate import Candidate

__all__ = ["ExtensionFailed", "LoadedExtension", "load_extension"]


class ExtensionFailed(LoadError):
    """One extension of a set could not be loaded; nothing of the set is.

    Args:
        slug: The one that failed.
        problem: Why.
    """

    def __init__(self, slug: Slug, problem: Problem) -> None:
        super().__init__(problem, unchanged="No extension is loaded.")
        self.slug = slug

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.slug, self.problems[0]))


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedExtension:
    """An extension whose module was imported.

    Attributes:
        candidate: The facts that it was loaded by.
        extension: Its singleton, bound to its name.
    """

    candidate: Candidate
    extension: Extension[Any]


def load_extension(candidate: Candidate) -> LoadedExtension:
    """Import an extension that is published, and bind its singleton.

    Raises:
        ExtensionFailed: It raised, or its exports break a rule.
    """
    module = _import(candidate)
    if isinstance(module, Problem):
        raise ExtensionFailed(candidate.slug, module)
    found = find_extension(module)
    if isinstance(found, Problem):
        raise ExtensionFailed(candidate.slug, found)
    bind_extension(found, candidate.slug)
    return LoadedExtension(candidate=candidate, extension=found)


def _import(candidate: Candidate) -> ModuleType | Problem:
    # The problem is returned, and raised by the caller outside of the handler, so that the
    # exception with its message is not reachable from what leaves here.
    name = candidate.slug.module
    try:
        importlib.import_module(name)
        return sys.modules[name]
    except BaseException as error:
        if ends_caller(error):
            raise
        return _failed(candidate, error)


def _failed(candidate: Candidate, error: BaseException) -> Problem:
    remedy = ""
    ours = isinstance(error, ImportError) and (error.name or "").startswith(PREFIX)
    if isinstance(error, ImportError) and candidate.dependencies and not ours:
        remedy = (
            f"It needs {', '.join(candidate.dependencies)}: run 'harnest env sync', or install "
            "them into the environment that runs Harnest."
        )
    path, line = place_in(error, candidate.folder)
    return rules.IMPORT_FAILED.problem(
        f"The extension {candidate.slug!r} could not be imported: {type_name(error)}.",
        path=str(path),
        line=line,
        got=type_name(error),
        remedy=remedy,
    )
