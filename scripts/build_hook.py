"""Build hook: the registry, with wheels made on the spot, becomes part of the product's wheel.

A wheel whose hash is not the one that the registry names stops the build. A checkout that is
installed in place gets the same wheels in ``registry/wheels/``; there a difference is told and the
installation goes on, since work on an extension changes its wheel with every line.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

TARGET = "harnest_ext/_data/registry"


class RegistryHook(BuildHookInterface[Any]):
    """Makes the wheels of the official extensions and puts the registry into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the wheels, hold them to the registry, include both."""
        root = Path(self.root)
        sys.path[:0] = [str(root), str(root / "scripts")]
        try:
            import shipped  # noqa: PLC0415 - only now it can be found
        finally:
            del sys.path[:2]
        registry = root / "registry"
        made = shipped.make_wheels(root, registry / "wheels")
        wrong = shipped.differences(registry, made)
        told = "\n".join(problem.describe() for problem in wrong)
        if version == "editable":
            if wrong:
                self.app.display_warning(told)
            return
        if wrong:
            raise RuntimeError(f"The registry that is to ship is stale.\n{told}")
        included = build_data["force_include"]
        for path in ("schema.json", "extensions", "wheels"):
            included[str(registry / path)] = f"{TARGET}/{path}"
