"""Rules of a package's Python files. Data only."""

from __future__ import annotations

from harnest_ext.problem import Severity
from harnest_ext.rule import Rule

__all__ = [
    "ENCODING",
    "IMPORT_MISSING",
    "IMPORT_OUTSIDE",
    "SELF_IMPORT",
    "SIZE",
    "SYNTAX",
    "UNBOUND",
]

SYNTAX = Rule(
    id="python.syntax",
    kind="python-invalid",
    why="A file that this Python can't parse fails when it is imported.",
    example="def broken(:",
    fix="Correct the line, or state in requires-python which Python the file needs.",
)
ENCODING = Rule(
    id="python.encoding",
    kind="python-invalid",
    why="Source in a rare encoding reads differently from tool to tool.",
    example="# coding: utf-7",
    fix="Save the file as UTF-8 and remove the coding line.",
)
SIZE = Rule(
    id="python.size",
    kind="too-large",
    why="Parsing costs many times the size of a source file in memory.",
    example="A generated module of 10 MiB.",
    fix="Split the file, or move its data to a data file.",
)
UNBOUND = Rule(
    id="python.extension-unbound",
    kind="entrypoint-missing",
    why="The runtime takes the object 'extension' from extension.py.",
    example="An extension.py that only defines a class.",
    fix="Bind it at module level, for instance: extension = MyExtension()",
)
IMPORT_OUTSIDE = Rule(
    id="python.import-outside",
    kind="python-invalid",
    why="An import that leaves the package finds something else, or nothing, once installed.",
    example="from ... import other (in lib/client.py)",
    fix="Import from inside the package only, with fewer leading dots.",
)
IMPORT_MISSING = Rule(
    id="python.import-missing",
    kind="python-invalid",
    why="A module that is not copied can't be imported from the installed copy.",
    example="from ._private import x, where _private.py stands at the root and is not copied",
    fix="Move the module below lib/, or correct the import.",
)
SELF_IMPORT = Rule(
    id="python.self-import",
    kind="python-invalid",
    why="A copy is imported as harnest.extensions.<name>; its wheel's package is unknown there.",
    example="from harnest_extension_demo.lib import client",
    fix="Import relatively: from .lib import client",
    severity=Severity.WARNING,
)
