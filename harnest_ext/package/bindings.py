"""Which names a module binds when it runs, told from its syntax tree."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["binds"]

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def binds(module: ast.Module, name: str) -> bool:
    """Return whether running ``module`` can bind ``name`` at its top level.

    A star import may bind any name and counts; an annotation without a value binds none.
    """
    return any(bound in {name, "*"} for bound in _bound(module))


def _bound(module: ast.Module) -> Iterator[str]:
    pending: list[ast.AST] = list(module.body)
    while pending:
        node = pending.pop()
        yield from _own(node)
        if isinstance(node, ast.AnnAssign) and node.value is None:
            continue
        if not isinstance(node, _SCOPES + _COMPREHENSIONS):
            pending.extend(ast.iter_child_nodes(node))


def _own(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.Import):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from (alias.asname or alias.name for alias in node.names)
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        yield node.name
