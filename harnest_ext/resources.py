"""Where the data that ships with the product lies.

In an installed wheel it is below ``harnest_ext/_data``; in a checkout it is the folder of the same
name at the repository's root. Nothing else in the product looks for data files by itself.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["registry_folder", "templates_folder"]

_PACKAGE = Path(__file__).resolve().parent


def templates_folder() -> Path:
    """Return the folder that holds the templates: ``agent/`` and ``extension/``."""
    return _data("templates")


def registry_folder() -> Path:
    """Return the folder that holds the registry that ships with the product."""
    return _data("registry")


def _data(name: str) -> Path:
    packaged = _PACKAGE / "_data" / name
    return packaged if packaged.is_dir() else _PACKAGE.parent / name
