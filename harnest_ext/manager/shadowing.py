"""Installed distributions of extensions, by the names of their metadata folders alone.

Enough to say that a project's copy stands before a distribution of the same extension; nothing is
opened, so that `list` stays cheap and a broken distribution can't break it. The doctor and the
runtime read distributions properly.
"""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

from harnest_ext.identity import Slug

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["distribution_versions"]

_METADATA = re.compile(r"(harnest[-_.]+extension[-_.]+[A-Za-z0-9._-]+?)-([0-9][^-]*)\.dist-info")


def distribution_versions(path: Iterable[str] | None = None) -> dict[str, str]:
    """Return name and version of each installed distribution of an extension.

    Args:
        path: Folders to look in, as ``sys.path`` has them, which is the default.
    """
    found: dict[str, str] = {}
    for folder in sys.path if path is None else path:
        try:
            names = os.listdir(folder or ".")  # noqa: PTH208 - texts of sys.path, zip files too
        except OSError:
            continue
        for name in names:
            match = _METADATA.fullmatch(name)
            slug = Slug.from_distribution(match[1]) if match else None
            if match and slug:
                found.setdefault(slug, match[2])
    return found
