"""The measurable part of the house style."""

from __future__ import annotations

import ast
from statistics import median

from tests.architecture.source import code_lines, extension_modules, functions, modules

MODULE_LINES = 350
MODULE_LINES_MEDIAN = 150
FUNCTION_LINES = 50
FUNCTION_LINES_MEDIAN = 10


def every_module() -> list:
    """Return the product's and the official extensions' modules."""
    return [*modules().values(), *extension_modules().values()]


def test_modules_are_short() -> None:
    """One noun per file: no module is long, and most are much shorter."""
    long = [f"{m.where}: {m.lines} lines" for m in every_module() if m.lines > MODULE_LINES]
    assert long == []
    assert median(m.lines for m in every_module()) <= MODULE_LINES_MEDIAN


def test_functions_are_short() -> None:
    """A function fits on a screen, and most are a few lines."""
    lengths = [(code_lines(f), m.where, f.name) for m in every_module() for f in functions(m)]
    assert [entry for entry in lengths if entry[0] > FUNCTION_LINES] == []
    assert median(entry[0] for entry in lengths) <= FUNCTION_LINES_MEDIAN


def test_modules_say_what_they_are_for() -> None:
    """Every module begins with a docstring."""
    assert [m.where for m in every_module() if not ast.get_docstring(m.tree)] == []


def test_exports_exist() -> None:
    """``__all__`` names once each what the module defines, imports or loads lazily.

    That it is sorted is the linter's rule RUF022.
    """
    wrong = []
    for module in every_module():
        names = _exports(module.tree)
        if len(names) != len(set(names)):
            wrong.append(f"{module.where}: a name stands there twice")
        lazy = any(f.name == "__getattr__" for f in functions(module))
        missing = set(names) - _bound(module.tree)
        if missing and not lazy:
            wrong.append(f"{module.where}: {sorted(missing)} not defined")
    assert wrong == []


def test_what_is_loaded_lazily_has_no_modules_name() -> None:
    """Whoever imported the module first would get that in place of what has its name."""
    known = modules()
    wrong = [
        f"{module.where}: {name}"
        for package, module in known.items()
        if any(function.name == "__getattr__" for function in functions(module))
        for name in _exports(module.tree)
        if f"{package}.{name}" in known
    ]
    assert wrong == []


def _exports(tree: ast.Module) -> list[str]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []


def _bound(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names
