"""Where an editable install has its sources: found in what the installer wrote, never imported.

Installers leave ``direct_url.json`` (PEP 610) and, beside it in the environment, either a ``.pth``
file with a folder in it or a generated finder whose module holds a literal ``MAPPING``.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from importlib_metadata import Distribution

__all__ = ["editable_folder"]

_MANIFEST: Final = "extension.yaml"
_FILE_BYTES: Final = 1024 * 1024
"""Most bytes that are read of a file that an installer wrote."""


def editable_folder(distribution: Distribution, package: str) -> Path | None:
    """Return the folder of the package in its checkout, or None.

    Args:
        distribution: The installed distribution.
        package: Name of its import package.
    """
    for folder in _candidates(distribution, package):
        if (folder / _MANIFEST).is_file():
            return folder.resolve()
    return None


def _candidates(distribution: Distribution, package: str) -> Iterator[Path]:
    for file in distribution.files or ():
        path = Path(str(distribution.locate_file(file)))
        if path.suffix == ".pth":
            yield from (folder / package for folder in _pth_folders(path))
        elif path.name.startswith("__editable__") and path.suffix == ".py":
            yield from _mapped(path, package)
    root = _direct_url(distribution)
    if root is not None:
        yield from (root / package, root / "src" / package, root)


def _pth_folders(path: Path) -> Iterator[Path]:
    for line in _text(path).splitlines():
        if line.strip() and not line.startswith(("#", "import ", "import\t")):
            yield path.parent / line.strip()


def _mapped(path: Path, package: str) -> Iterator[Path]:
    try:
        tree = ast.parse(_text(path))
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign):
            targets: list[ast.expr] = [node.target]
            value = node.value
        elif isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        else:
            continue
        if any(isinstance(target, ast.Name) and target.id == "MAPPING" for target in targets):
            yield from _literal(value, package)


def _literal(node: ast.expr | None, package: str) -> Iterator[Path]:
    try:
        mapping = ast.literal_eval(node) if node is not None else None
    except (ValueError, TypeError, RecursionError):
        return
    folder = mapping.get(package) if isinstance(mapping, dict) else None
    if isinstance(folder, str):
        yield Path(folder)


def _direct_url(distribution: Distribution) -> Path | None:
    try:
        data = json.loads(distribution.read_text("direct_url.json") or "null")
    except ValueError:
        return None
    if not isinstance(data, dict) or not isinstance(data.get("url"), str):
        return None
    info = data.get("dir_info")
    parts = urlsplit(data["url"])
    if parts.scheme != "file" or not (isinstance(info, dict) and info.get("editable") is True):
        return None
    return Path(unquote(parts.path))


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_FILE_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
