"""Relative imports of a package's modules, held against what an installation copies."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnest_ext.identity import PACKAGE_PREFIX
from harnest_ext.package.rules import python as rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harnest_ext.problem import Problem

__all__ = ["Modules", "import_problems"]

_IMPORT_ERRORS = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})
_BLOCKS = frozenset({"body", "cases", "finalbody", "handlers", "orelse"})
_INSIDE = {
    kind: tuple(field for field in kind._fields if field in _BLOCKS)  # type: ignore[attr-defined]
    for kind in (*ast.stmt.__subclasses__(), ast.ExceptHandler, ast.match_case)
}
"""Where a statement holds others: an import is never part of an expression."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Modules:
    """What can be imported from inside a package.

    Attributes:
        files: Paths of all files that are copied.
        folders: Paths of all folders that hold one of them.
        left_out: Names at the package's root that are there but not copied.
    """

    files: frozenset[str]
    folders: frozenset[str]
    left_out: frozenset[str] = frozenset()

    @classmethod
    def of(cls, files: Iterable[str], left_out: Iterable[str] = ()) -> Modules:
        """Return the modules among ``files``."""
        paths = frozenset(files)
        folders = {
            path[:position] for path in paths for position, ch in enumerate(path) if ch == "/"
        }
        return cls(files=paths, folders=frozenset(folders), left_out=frozenset(left_out))

    def has(self, parts: tuple[str, ...]) -> bool:
        """Return whether a module or package of that place is copied."""
        path = "/".join(parts)
        return not parts or f"{path}.py" in self.files or path in self.folders

    def may_bind(self, package: tuple[str, ...], name: str) -> bool:
        """Return whether a package may bind ``name`` without a module of that name."""
        if not package:
            return name not in self.left_out and f"{name}.py" not in self.left_out
        return "/".join((*package, "__init__.py")) in self.files


def import_problems(
    module: ast.Module, path: str, shown: str, modules: Modules
) -> Iterator[Problem]:
    """Yield the imports of one module that can't work once the package is installed."""
    package = tuple(path.split("/")[:-1])
    for node in _certain_imports(module):
        if isinstance(node, ast.ImportFrom) and node.level:
            yield from _relative(node, package, shown, modules)
        elif _is_of_own_wheel(node):
            yield rules.SELF_IMPORT.problem(
                "A module is imported by the name of a wheel's package.",
                path=shown,
                line=node.lineno,
                column=node.col_offset + 1,
            )


def _certain_imports(module: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield every import but those that may fail and those that never run."""
    pending: list[ast.AST] = list(module.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.Try | ast.TryStar) and any(map(_catches_imports, node.handlers)):
            pending.extend([*node.handlers, *node.orelse, *node.finalbody])
        elif isinstance(node, ast.If) and _is_type_checking(node.test):
            pending.extend(node.orelse)
        else:
            for field in _INSIDE[type(node)]:
                pending.extend(getattr(node, field))


def _catches_imports(handler: ast.ExceptHandler) -> bool:
    caught = handler.type
    if caught is None:
        return True
    names = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(isinstance(name, ast.Name) and name.id in _IMPORT_ERRORS for name in names)


def _is_type_checking(test: ast.expr) -> bool:
    if isinstance(test, ast.Attribute):
        return test.attr == "TYPE_CHECKING"
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"


def _is_of_own_wheel(node: ast.Import | ast.ImportFrom) -> bool:
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").startswith(PACKAGE_PREFIX)
    return any(alias.name.startswith(PACKAGE_PREFIX) for alias in node.names)


def _relative(
    node: ast.ImportFrom, package: tuple[str, ...], shown: str, modules: Modules
) -> Iterator[Problem]:
    climb = node.level - 1
    if climb > len(package):
        yield rules.IMPORT_OUTSIDE.problem(
            "A relative import leaves the package.",
            path=shown,
            line=node.lineno,
            column=node.col_offset + 1,
            expected=f"at most {len(package) + 1} leading dots",
            got=f"{node.level} leading dots",
        )
        return
    base = package[: len(package) - climb]
    for target in _targets(node, base, modules):
        name = "." * node.level + ".".join(target[len(base) :])
        yield rules.IMPORT_MISSING.problem(
            f"{name!r} is imported, but an installation does not copy such a module.",
            path=shown,
            line=node.lineno,
            column=node.col_offset + 1,
            expected=f"a copied file {'/'.join(target)}.py or folder {'/'.join(target)}/",
        )


def _targets(
    node: ast.ImportFrom, base: tuple[str, ...], modules: Modules
) -> Iterator[tuple[str, ...]]:
    """Yield the modules that an import names and that are not copied."""
    if node.module:
        target = (*base, *node.module.split("."))
        if not modules.has(target):
            yield target
        return
    for alias in node.names:
        target = (*base, alias.name)
        found = modules.has(target) or modules.may_bind(base, alias.name)
        if alias.name != "*" and not found:
            yield target
