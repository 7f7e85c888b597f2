"""The product's modules as syntax trees: what each imports, defines and calls."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("harnest", "harnest_ext")


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """One imported module, and how: by whom, where, and whether only for the type checker."""

    target: str
    line: int
    deferred: bool
    typing_only: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """One source file."""

    name: str
    path: Path
    tree: ast.Module
    imports: tuple[Import, ...]

    @property
    def lines(self) -> int:
        """Number of lines of the file."""
        return self.path.read_bytes().count(b"\n")

    @property
    def where(self) -> str:
        """Path from the repository's root."""
        return str(self.path.relative_to(ROOT))


@cache
def modules() -> dict[str, Module]:
    """Return the modules of the two packages by name."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if "_data" not in path.parts:
                found[_name(path, ROOT)] = path
    return {name: _module(name, path, frozenset(found)) for name, path in found.items()}


@cache
def extension_modules() -> dict[str, Module]:
    """Return the modules of the official extensions by their names in a wheel, tests left out."""
    folder = ROOT / "official-extensions"
    paths = [p for p in sorted(folder.rglob("*.py")) if "_tests" not in p.parts]
    kept = [p for p in paths if not {"build", "dist", "__pycache__"} & set(p.parts)]
    names = {f"harnest_extension_{_name(path, folder)}": path for path in kept}
    return {name: _module(name, path, frozenset(names)) for name, path in names.items()}


def functions(module: Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield every function and method of a module, nested ones included."""
    for node in ast.walk(module.tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def code_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the lines of a function from its ``def`` on, its docstring left out."""
    last = function.end_lineno or function.lineno
    head = function.body[0]
    documented = ast.get_docstring(function, clean=False) is not None
    docstring = (head.end_lineno or head.lineno) - head.lineno + 1 if documented else 0
    return last - function.lineno + 1 - docstring


def _name(path: Path, base: Path) -> str:
    parts = path.relative_to(base).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _module(name: str, path: Path, known: frozenset[str]) -> Module:
    tree = ast.parse(path.read_text("utf-8"), str(path))
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found = tuple(_imports(tree, package, known, deferred=False, typing_only=False))
    return Module(name=name, path=path, tree=tree, imports=found)


def _imports(
    node: ast.AST, package: str, known: frozenset[str], *, deferred: bool, typing_only: bool
) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        late = deferred or isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        typing = typing_only or (isinstance(child, ast.If) and _asks_for_typing(child.test))
        for target in _targets(child, package, known):
            line = getattr(child, "lineno", 0)
            yield Import(target=target, line=line, deferred=deferred, typing_only=typing_only)
        yield from _imports(child, package, known, deferred=late, typing_only=typing)


def _asks_for_typing(test: ast.expr) -> bool:
    return ast.unparse(test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}


def _is_text(node: ast.expr) -> TypeGuard[ast.Constant]:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _targets(node: ast.AST, package: str, known: frozenset[str]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
        # An import by a name that is written there is an import.
        yield from (a.value for a in node.args[:1] if _is_text(a) and not a.value.startswith("."))
    elif isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            parts = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join((*parts, base)).strip(".")
        for alias in node.names:
            submodule = f"{base}.{alias.name}"
            yield submodule if submodule in known else base
