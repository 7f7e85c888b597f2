"""Answers ``import harnest.extensions.<name>`` for what the runtime has published.

The runtime publishes a checked set of folders before it imports any of them and withdraws it when
the activation ends. A name that is not published is activated on demand, together with the whole
set of the project at hand, in the loader: a finder runs under the interpreter's import lock, so
this one never waits and never imports.
"""

from __future__ import annotations

import re
import sys
import threading
from typing import TYPE_CHECKING

from harnest import _namespace
from harnest.extensions._errors import ExtensionImportError, ExtensionNamespaceError
from harnest.extensions._loader import MAIN, FolderFinder, package_spec, refuse_reload

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from importlib.machinery import ModuleSpec
    from pathlib import Path
    from types import ModuleType

__all__ = ["NAMESPACE", "PREFIX", "install", "publish", "published", "withdraw"]

NAMESPACE = "harnest.extensions"
PREFIX = NAMESPACE + "."
_NAME = re.compile(r"[a-z](?:_?[a-z0-9])*", re.ASCII)


class _Published:
    """One extension that may be imported."""

    __slots__ = ("finder", "folder", "thread")

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.thread = threading.get_ident()
        self.finder = FolderFinder()


_PUBLISHED: dict[str, _Published] = {}
_LOCK = threading.Lock()


def publish(folders: Mapping[str, Path]) -> None:
    """Let these extensions be imported.

    Args:
        folders: The folder of each extension, by name.

    Raises:
        ExtensionNamespaceError: One of the names is published already.
    """
    install()
    with _LOCK:
        taken = sorted(name for name in folders if name in _PUBLISHED)
        if taken:
            raise ExtensionNamespaceError(f"Already active: {', '.join(taken)}.")
        _PUBLISHED.update({name: _Published(folder) for name, folder in folders.items()})


def withdraw(names: Iterable[str]) -> None:
    """Take extensions back: their modules, and the attributes of the namespace that name them."""
    gone = set(names)
    with _LOCK:
        for name in gone:
            _PUBLISHED.pop(name, None)
    for module in [m for m in sys.modules if m.startswith(PREFIX)]:
        if module.removeprefix(PREFIX).partition(".")[0] in gone:
            sys.modules.pop(module, None)
    namespace = vars(sys.modules[NAMESPACE])
    for name in gone:
        namespace.pop(name, None)


def published(name: str) -> Path | None:
    """Return the folder of a published extension, or None."""
    found = _PUBLISHED.get(name)
    return found.folder if found else None


class _NamespaceFinder:
    """The entry of ``sys.meta_path``; without the abstract class, which imports a great deal."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith(PREFIX):
            return None
        name, _, rest = fullname.removeprefix(PREFIX).partition(".")
        if not _NAME.fullmatch(name):
            return None
        if target is not None:
            raise refuse_reload(fullname)
        found = _PUBLISHED.get(name)
        if found and rest.partition(".")[0] == MAIN:
            raise _second(fullname, PREFIX + name)
        if rest:
            return found.finder.find(fullname, list(path or ())) if found else None
        if found:
            # Who publishes a set loads it, and tells a failure itself.
            elsewhere = found.thread != threading.get_ident()
            return package_spec(fullname, found.folder, hiding=elsewhere)
        return _namespace.on_demand_spec(fullname)


def _second(fullname: str, extension: str) -> ExtensionImportError:
    # As a module of its own it would run again, and take the singleton's place in the package.
    return ExtensionImportError(
        f"{fullname} is not imported: the extension's {MAIN}.py is {extension} itself. Import from "
        "there.",
        name=fullname,
    )


def _activate(fullname: str) -> ModuleType:
    # A function-level import: scripts that import no extension never load the runtime.
    from harnest_ext.runtime.ondemand import load  # noqa: PLC0415 - see above

    return load(fullname)


def install() -> None:
    """Put the finder first on ``sys.meta_path``, so that no path finder reads the folders."""
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)
    _namespace.retire(_activate)


_FINDER = _NamespaceFinder()
