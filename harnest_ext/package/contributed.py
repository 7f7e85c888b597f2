"""The content folders of a package held against what its manifest contributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.manifest import CONTENT_KINDS
from harnest_ext.package.layout import root_of
from harnest_ext.package.rules import tree as rules
from harnest_ext.package.tree import EntryType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnest_ext.manifest import Manifest
    from harnest_ext.package.findings import Findings
    from harnest_ext.package.tree import Entry

__all__ = ["check_contributions"]


def check_contributions(copied: Sequence[Entry], manifest: Manifest, findings: Findings) -> None:
    """Report contributions that are missing or empty, and content that is not declared.

    Args:
        copied: Entries that an installation copies.
        manifest: The package's manifest.
        findings: Where problems go.
    """
    files = {entry.path for entry in copied if entry.is_file}
    holding = {path[:end] for path in files for end, ch in enumerate(path) if ch == "/"}
    folders = holding | {entry.path for entry in copied if entry.type is EntryType.FOLDER}
    declared = [(kind, path) for kind, paths in manifest.contributes.items() for path in paths]
    for kind, path in declared:
        if path not in folders:
            what = f"contributes.{kind} names a folder that is not there."
            got = "a file" if path in files else "nothing"
            findings.add(
                rules.CONTRIBUTION_MISSING.problem(what, path=path, expected="a folder", got=got)
            )
        elif path not in holding:
            what = f"contributes.{kind} names an empty folder."
            findings.add(rules.CONTRIBUTION_EMPTY.problem(what, path=path, expected="a file in it"))
    roots = {root_of(path) for _, path in declared}
    for kind in CONTENT_KINDS:
        if kind in holding and kind not in roots:
            what = f"The folder {kind!r} holds files but is not declared."
            findings.add(
                rules.CONTENT_UNDECLARED.problem(what, path=kind, expected=f"contributes.{kind}")
            )
