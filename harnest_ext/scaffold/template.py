"""A template as data: its descriptor, its variables and the files it is made of.

A template is a folder with a ``template.toml`` and one or more layers of files. Nothing of it is
executed: names and the contents of ``*.j2`` files are rendered, everything else is copied.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.errors import ExtensionNotFound
from harnest_ext.resources import templates_folder
from harnest_ext.scaffold import rules
from harnest_ext.scaffold.variable import Value, Variable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["Template", "template_names"]

_DESCRIPTOR = "template.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """One template, read and checked.

    Attributes:
        name: Name below ``templates/``, such as ``agent`` or ``extension/minimal``.
        version: Version of the template; it rises whenever its output changes.
        summary: What it is for, in one sentence.
        variables: Declared variables by name.
        sources: Source file of each output name; both may hold variables.
    """

    name: str
    version: str
    summary: str
    variables: Mapping[str, Variable]
    sources: Mapping[str, Path]

    @classmethod
    def load(cls, name: str, *, root: Path | None = None) -> Template:
        """Read the template ``name``.

        Args:
            name: Name below the folder of templates.
            root: Folder of templates; None for the one that ships with the product.

        Raises:
            ExtensionNotFound: There is no such template; the remedy lists those there are.
            ValueError: The descriptor is not one (a defect of the template, not of the caller).
        """
        folder = (root or templates_folder()) / name
        if name not in template_names(root=root):
            raise _unknown(name, root)
        table = tomllib.loads((folder / _DESCRIPTOR).read_text(encoding="utf-8"))
        variables = {key: Variable.parse(key, item) for key, item in table["variables"].items()}
        layers = [folder / layer for layer in table.get("layers", ["files"])]
        return cls(
            name=name,
            version=table["version"],
            summary=table["summary"],
            variables=variables,
            sources=_sources(layers, {key: folder / item for key, item in _chosen(table).items()}),
        )

    def values(self, given: Mapping[str, Value | None]) -> dict[str, Value]:
        """Return the value of every variable, refusing what is not declared or doesn't match.

        Raises:
            UsageError: A value is missing or doesn't match its declaration.
            ValueError: A name is given that the template doesn't declare.
        """
        unknown = set(given) - set(self.variables)
        if unknown:
            raise ValueError(f"template {self.name} has no variables {sorted(unknown)}")
        return {name: item.accept(given.get(name)) for name, item in self.variables.items()}


def template_names(*, root: Path | None = None) -> tuple[str, ...]:
    """Return the names of all templates below ``root``, sorted."""
    base = root or templates_folder()
    found = (path.parent for path in base.rglob(_DESCRIPTOR))
    return tuple(sorted(folder.relative_to(base).as_posix() for folder in found))


def _chosen(table: Mapping[str, object]) -> Mapping[str, str]:
    chosen = table.get("choose", {})
    if not isinstance(chosen, dict) or not all(isinstance(v, str) for v in chosen.values()):
        raise ValueError("[choose] maps output names to source files")
    return chosen


def _sources(layers: list[Path], chosen: Mapping[str, Path]) -> dict[str, Path]:
    """Collect files layer by layer; a later layer's file replaces an earlier one's."""
    sources: dict[str, Path] = {}
    for layer in layers:
        for path in sorted(layer.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                sources[path.relative_to(layer).as_posix().removesuffix(".j2")] = path
    sources.update(chosen)
    if len(sources) > limits.TEMPLATE_FILES:
        raise ValueError(f"{len(sources)} files, more than {limits.TEMPLATE_FILES}")
    return dict(sorted(sources.items()))


def _unknown(name: str, root: Path | None) -> ExtensionNotFound:
    known = ", ".join(template_names(root=root)) or "none"
    return ExtensionNotFound(
        rules.UNKNOWN.problem(
            "There is no such template.",
            path=name.rpartition("/")[2] or "--template",
            expected=known,
            got=name,
            remedy=f"Choose one of: {known}.",
        )
    )
