"""All rules of packages by their id, for whoever lists or explains them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.manifest import rules as manifest
from harnest_ext.package.rules import archive, build, project, python, tree, wheel
from harnest_ext.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["RULES"]

RULES: Mapping[str, Rule] = {
    rule.id: rule
    for module in (manifest, archive, build, project, python, tree, wheel)
    for rule in (getattr(module, name) for name in module.__all__)
    if isinstance(rule, Rule)
}
