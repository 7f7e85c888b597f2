"""The sandboxes that a project declares: one per file ``sandbox/<name>.py``.

Importing such a file runs the project's own code and contacts nothing; discovery grants nothing.
The files form a package, so ``from ._common import BUDGET`` takes from ``sandbox/_common.py``.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from importlib.util import module_from_spec
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Final

from harnest.extensions._finder import PREFIX
from harnest.extensions._loader import file_spec
from harnest.sandbox import Sandbox
from harnest_ext import limits
from harnest_ext.errors import InvalidExtension
from harnest_ext.identity import Slug
from harnest_ext.problem import Problem
from harnest_ext.runtime import rules
from harnest_ext.runtime.safely import ends_caller, place_in, type_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from importlib.machinery import ModuleSpec
    from pathlib import Path

    from harnest_ext.runtime.activation import ActiveSet

__all__ = ["SandboxCatalog", "load_sandboxes", "unload_sandboxes"]

FOLDER: Final = "sandbox"
_PACKAGE: Final = "harnest_project_sandbox"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxCatalog:
    """What a project declares.

    Attributes:
        declared: Usable declarations by name, sorted.
        broken: The files that declare none, by name, with the reason.
    """

    declared: Mapping[str, Sandbox] = field(default_factory=dict)
    broken: Mapping[str, Problem] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Freeze the mappings."""
        object.__setattr__(self, "declared", MappingProxyType(dict(self.declared)))
        object.__setattr__(self, "broken", MappingProxyType(dict(self.broken)))


def load_sandboxes(root: Path, active: ActiveSet) -> SandboxCatalog:
    """Import every sandbox file of a project.

    Args:
        root: The project's folder.
        active: The loaded extensions, which the files import from.
    """
    declared: dict[str, Sandbox] = {}
    broken: dict[str, Problem] = {}
    package = ModuleType(_PACKAGE)
    package.__path__ = [str(root / FOLDER)]
    sys.modules[_PACKAGE] = package
    try:
        for path in _files(root / FOLDER):
            outcome = _objection(path) or _load(path, active)
            if isinstance(outcome, Problem):
                broken[path.stem] = outcome
            else:
                declared[path.stem] = outcome
    except BaseException:
        # Interrupted: the next project must not find this one's modules.
        unload_sandboxes()
        raise
    return SandboxCatalog(declared=declared, broken=broken)


def unload_sandboxes() -> None:
    """Remove the modules of the sandbox files."""
    for name in [name for name in sys.modules if name.partition(".")[0] == _PACKAGE]:
        sys.modules.pop(name, None)


def _files(folder: Path) -> Iterator[Path]:
    if folder.is_dir() and not folder.is_symlink():
        for path in sorted(folder.iterdir()):
            if path.suffix == ".py" and not path.name.startswith("_"):
                yield path


def _objection(path: Path) -> Problem | None:
    if path.is_symlink() or not path.is_file():
        reason = "is no regular file"
    elif not _NAME.fullmatch(path.stem) or len(path.stem) > limits.SANDBOX_NAME_CHARACTERS:
        reason = "has no usable name"
    else:
        return None
    return rules.SANDBOX_FILE.problem(
        f"sandbox/{path.name} {reason}.", path=f"{FOLDER}/{path.name}", got=path.name
    )


def _load(path: Path, active: ActiveSet) -> Sandbox | Problem:
    module = _import(path, active)
    if isinstance(module, Problem):
        return module
    value = vars(module).get(path.stem)
    if not isinstance(value, Sandbox):
        return rules.SANDBOX_EXPORT.problem(
            f"sandbox/{path.name} does not declare the sandbox {path.stem!r}.",
            path=f"{FOLDER}/{path.name}",
            expected=f"a harnest.sandbox.Sandbox in the variable {path.stem!r}",
            got="no such variable" if value is None else type(value).__name__,
        )
    return _without_capability(path, value, active) or value


def _import(path: Path, active: ActiveSet) -> ModuleType | Problem:
    name = f"{_PACKAGE}.{path.stem}"
    if name in sys.modules:
        # Another sandbox file has imported from this one.
        return sys.modules[name]
    spec = file_spec(name, path)
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        _execute(spec, module)
    except BaseException as error:
        sys.modules.pop(name, None)
        if ends_caller(error):
            raise
        return _failed(path, error, active)
    return module


def _failed(path: Path, error: BaseException, active: ActiveSet) -> Problem:
    reason, remedy = f"could not be imported: {type_name(error)}", ""
    absent = _absent_extension(error, active)
    if absent:
        reason = f"needs the extension {absent!r}, which is not loaded here"
        remedy = (
            f"Run 'harnest extensions install {absent}'. If it is installed, "
            "'harnest extensions doctor' says what is wrong with it."
        )
    return rules.SANDBOX_IMPORT.problem(
        f"sandbox/{path.name} {reason}.",
        path=f"{FOLDER}/{path.name}",
        line=place_in(error, path)[1],
        got=type_name(error),
        remedy=remedy,
    )


def _absent_extension(error: BaseException, active: ActiveSet) -> str:
    """Return the name of the extension that an import asked for and the set hasn't, or nothing."""
    name = error.name if isinstance(error, ImportError) else None
    if not isinstance(name, str) or not name.startswith(PREFIX):
        return ""
    try:
        slug = Slug(name.removeprefix(PREFIX).partition(".")[0])
    except InvalidExtension:
        return ""
    return "" if active.candidate(slug) else slug


def _execute(spec: ModuleSpec, module: ModuleType) -> None:
    if spec.loader is not None:
        spec.loader.exec_module(module)


def _without_capability(path: Path, sandbox: Sandbox, active: ActiveSet) -> Problem | None:
    home = str(getattr(sandbox.factory, "__module__", "") or "")
    if not home.startswith(PREFIX):
        return None
    name = home.removeprefix(PREFIX).partition(".")[0]
    candidate = active.candidate(name)
    if candidate is not None and "sandbox.provider" in candidate.capabilities:
        return None
    return rules.SANDBOX_CAPABILITY.problem(
        f"The provider of the sandbox {path.stem!r} comes from the extension {name!r}, which does "
        "not declare 'sandbox.provider'.",
        path=f"{FOLDER}/{path.name}",
    )
