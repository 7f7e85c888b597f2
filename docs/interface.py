"""The page of every public name of the Python interface, from the modules and their docstrings."""

from __future__ import annotations

import ast
import enum
import inspect
import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["MODULES", "interface"]

MODULES = (
    "harnest.sandbox",
    "harnest.sandbox.control",
    "harnest.sandbox.optional",
    "harnest.extensions",
    "harnest.context",
    "harnest.credentials",
    "harnest.continuation",
    "harnest.durable",
    "harnest.execution",
    "harnest.execution.tools",
    "harnest.execution.adapters.langchain",
    "harnest.execution.adapters.adk",
    "harnest.execution.local",
    "harnest.execution.local.calls",
    "harnest.logging",
    "harnest.tracing",
    "harnest_ext.runtime",
    "harnest_ext.conformance",
    "harnest_ext.errors",
)
ROOT = Path(__file__).resolve().parents[1]


def interface() -> str:
    """Return the page."""
    lines = [
        "# Public names",
        "",
        "Each with the first sentence of its docstring, as a map; the whole, with arguments,",
        "units, bounds and errors, is shown by `python -m pydoc MODULE`. What a name has beside",
        "its arguments is listed below it.",
        "",
    ]
    for name in MODULES:
        module = import_module(name)
        lines += [f"## {name}", "", _first(module.__doc__), "", "| name | what |", "| --- | --- |"]
        for public in sorted(module.__all__):
            lines += [f"| `{left}` | {right} |" for left, right in _rows(module, public)]
        lines.append("")
    return "\n".join(lines)


def _rows(module: Any, name: str) -> Iterator[tuple[str, str]]:
    value = getattr(module, name)
    if inspect.isclass(value):
        yield f"{name}{_arguments(value)}", _first(value.__doc__)
        yield from _members(value)
    elif inspect.isfunction(value):
        yield f"{name}{_arguments(value)}", _first(value.__doc__)
    elif inspect.ismodule(value):
        yield name, _first(value.__doc__)
    else:
        yield name, _first(_documented().get(name)) or f"A `{type(value).__name__}`."


def _members(owner: type) -> Iterator[tuple[str, str]]:
    for name, member in dict(vars(owner)).items():
        if isinstance(member, enum.Enum) and type(member) is owner:
            yield f".{name}", _first(_documented().get(f"{owner.__name__}.{name}"))
        if name.startswith("_") or not getattr(member, "__doc__", None):
            continue
        if isinstance(member, property):
            yield f".{name}", _first(member.__doc__)
        elif inspect.isfunction(member) or isinstance(member, classmethod | staticmethod):
            yield f".{name}{_arguments(getattr(owner, name))}", _first(member.__doc__)


def _arguments(value: Any) -> str:
    made_by_nobody = getattr(value, "_is_protocol", False)
    if made_by_nobody or (inspect.isclass(value) and issubclass(value, enum.Enum)):
        return ""
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return ""
    shown, named = [], False
    for each in parameters:
        if each.name in ("self", "cls") or each.name.startswith("_"):
            continue
        if each.kind is each.KEYWORD_ONLY and not named:
            shown.append("*")
        named = named or each.kind in (each.KEYWORD_ONLY, each.VAR_POSITIONAL)
        star = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        shown.append(f"{star}{each.name}{_default(each)}")
    return f"({', '.join(shown)})"


def _default(parameter: inspect.Parameter) -> str:
    value = parameter.default
    if value is parameter.empty:
        return ""
    if isinstance(value, enum.Enum):
        return f"={value.value!r}"
    # A path is one of the machine that this runs on.
    path = isinstance(value, str) and value.startswith("/")
    plain = not path and (value in (None, ()) or isinstance(value, bool | int | float | str))
    return f"={value!r}" if plain else "=..."


def _first(text: str | None) -> str:
    """Return the first sentence, in Markdown."""
    paragraph = " ".join((text or "").strip().partition("\n\n")[0].split()).removesuffix("::")
    sentence = re.split(r"(?<=[.:])\s+(?=[A-Z])", paragraph)[0]
    named = re.sub(r":\w+:`~?([^`]+)`", lambda m: f"`{m[1].rpartition('.')[2]}`", sentence)
    return named.replace("``", "`").replace("|", "\\|")


@cache
def _documented() -> dict[str, str]:
    """Return the texts below assignments, by name, ``Class.NAME`` for those of a class."""
    found: dict[str, str] = {}
    for folder in ("harnest", "harnest_ext"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            tree = ast.parse(path.read_text("utf-8"))
            for body in (tree, *(n for n in tree.body if isinstance(n, ast.ClassDef))):
                prefix = f"{body.name}." if isinstance(body, ast.ClassDef) else ""
                for node, after in zip(body.body, body.body[1:], strict=False):
                    name, text = _assigned(node), _text(after)
                    if name and text:
                        found.setdefault(prefix + name, text)
    return found


def _assigned(node: ast.stmt) -> str:
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return targets[0].id if isinstance(targets[0], ast.Name) else ""


def _text(node: ast.stmt) -> str:
    value = node.value if isinstance(node, ast.Expr) else None
    return str(value.value) if isinstance(value, ast.Constant) else ""
