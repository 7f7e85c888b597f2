"""Loads the modules of one extension from its folder: sources only, and never twice.

Byte code that lies in the folder is not read; tracebacks, ``inspect`` and debuggers see the real
files.
"""

from __future__ import annotations

import importlib.util
from importlib.machinery import FileFinder, ModuleSpec, SourceFileLoader
from typing import TYPE_CHECKING, Final

from harnest.extensions import _bytecode
from harnest.extensions._errors import ExtensionImportError

if TYPE_CHECKING:
    from pathlib import Path
    from types import CodeType, ModuleType

__all__ = [
    "MAIN",
    "ExtensionLoader",
    "FolderFinder",
    "HidingLoader",
    "file_spec",
    "package_spec",
    "refuse_reload",
]

MAIN: Final = "extension"
"""The file that is the extension's own module, without its suffix."""


class ExtensionLoader(SourceFileLoader):
    """Compiles a module from its source, or takes the private cache's code of the same bytes."""

    def get_code(self, fullname: str) -> CodeType:
        """Return the module's code.

        Args:
            fullname: Name of the module.

        Raises:
            SyntaxError: The source does not parse.
            OSError: The source can't be read.
        """
        path = self.get_filename(fullname)
        source = self.get_data(path)
        kept = _bytecode.cache_path(path)
        code = _bytecode.load(kept, source) if kept else None
        if code is None:
            code = self.source_to_code(source, path)
            if kept:
                _bytecode.store(kept, source, code)
        return code

    def exec_module(self, module: ModuleType) -> None:
        """Run the module once; a second run of the same module object is refused.

        Raises:
            ExtensionImportError: The module has run before.
        """
        if module.__dict__.get("__harnest_loaded__", False):
            raise refuse_reload(module.__name__)
        module.__dict__["__harnest_loaded__"] = True
        super().exec_module(module)


class HidingLoader(ExtensionLoader):
    """Loads for a thread that has no part in the activation: of a failure it is told the type."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the module.

        Raises:
            ExtensionImportError: It raised; the exception is not reachable from this one.
        """
        failed = ""
        try:
            super().exec_module(module)
        except ExtensionImportError:
            raise
        except Exception as error:  # noqa: BLE001 - the extension's own code; its text may be secret
            failed = type(error).__name__
        if failed:
            raise ExtensionImportError(
                f"{module.__name__} could not be imported: {failed}.", name=module.__name__
            )


class FolderFinder:
    """Finds submodules below one extension's folder, by directory listings that are kept."""

    def __init__(self) -> None:
        self._finders: dict[str, FileFinder] = {}

    def find(self, fullname: str, search: list[str]) -> ModuleSpec | None:
        """Return the spec of a submodule, or None.

        Args:
            fullname: Full name of the submodule.
            search: Folders to look in, as the parent's ``__path__``.
        """
        portions: list[str] = []
        for folder in search:
            spec = self._finder(folder).find_spec(fullname)
            if spec is None:
                continue
            if spec.loader is not None:
                return _without_cached(spec)
            portions.extend(spec.submodule_search_locations or ())
        if not portions:
            return None
        namespace = ModuleSpec(fullname, None, is_package=True)
        namespace.submodule_search_locations = portions
        return namespace

    def _finder(self, folder: str) -> FileFinder:
        finder = self._finders.get(folder)
        if finder is None:
            finder = self._finders[folder] = FileFinder(folder, (ExtensionLoader, [".py"]))
        return finder


def package_spec(fullname: str, folder: Path, *, hiding: bool = False) -> ModuleSpec:
    """Return the spec of an extension: its ``extension.py``, searching its folder.

    Args:
        fullname: Name of its module.
        folder: Its folder.
        hiding: Whether whoever imports it is told no more of a failure than its type.
    """
    loader = HidingLoader if hiding else ExtensionLoader
    source = str(folder / f"{MAIN}.py")
    spec = importlib.util.spec_from_file_location(
        fullname,
        source,
        loader=loader(fullname, source),
        submodule_search_locations=[str(folder)],
    )
    if spec is None:  # pragma: no cover - only without a loader
        raise ExtensionImportError(f"No loader for {fullname}.", name=fullname)
    return _without_cached(spec)


def file_spec(fullname: str, path: Path) -> ModuleSpec:
    """Return the spec of a single source file, loaded by the same rules."""
    source = str(path)
    spec = importlib.util.spec_from_file_location(
        fullname, source, loader=ExtensionLoader(fullname, source)
    )
    if spec is None:  # pragma: no cover - only without a loader
        raise ExtensionImportError(f"No loader for {fullname}.", name=fullname)
    return _without_cached(spec)


def refuse_reload(fullname: str) -> ExtensionImportError:
    """Return the error for an attempt to load a module of an extension again."""
    return ExtensionImportError(
        f"{fullname} can't be reloaded: an extension is loaded once per activation. Close the "
        "AgentRuntime and open it again.",
        name=fullname,
    )


def _without_cached(spec: ModuleSpec) -> ModuleSpec:
    # The import system would point __cached__ at a file beside the source, which is never read.
    spec.cached = _bytecode.cache_path(spec.origin) if spec.origin else None
    return spec
