"""Static checks of a package's Python files, by their syntax trees alone.

Nothing is imported, compiled to code or executed. Only what can be known for certain is reported:
an import that is allowed to fail, or that only type checkers see, is not.
"""

from __future__ import annotations

import ast
import re
import warnings
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.package.bindings import binds
from harnest_ext.package.imports import import_problems
from harnest_ext.package.rules import python as rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnest_ext.package.imports import Modules
    from harnest_ext.problem import Problem

__all__ = ["EXTENSION_FILE", "PythonCheck", "is_python"]

EXTENSION_FILE = "extension.py"
_EXPORT = "extension"
_TOKEN = re.compile(rb"\w+|[^\w\s]")
_SMALL = 64 * limits.KIB
_CODING = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.ASCII)
_PLAIN_ENCODINGS = frozenset(
    {b"utf-8", b"utf8", b"utf-8-sig", b"ascii", b"us-ascii", b"latin-1", b"iso-8859-1"}
)


def is_python(path: str) -> bool:
    """Return whether a file is Python source by its name."""
    return path.lower().endswith((".py", ".pyi", ".pyw"))


class PythonCheck:
    """Checks the Python files of one package, one after the other.

    Args:
        modules: What can be imported from inside the package.
    """

    __slots__ = ("_modules", "_tokens")

    def __init__(self, modules: Modules) -> None:
        self._modules = modules
        self._tokens = 0

    def problems(self, path: str, shown: str, source: bytes) -> Iterator[Problem]:
        """Yield what is wrong with one file.

        Args:
            path: Its path in the package.
            shown: The path by which its author knows it.
            source: Its content.
        """
        if self._tokens > limits.PYTHON_TOKENS_TOTAL:
            return  # refused as a whole: to look at the rest would cost what the bound saves
        refusal = self._too_much(shown, source) or _coding_problem(shown, source)
        if refusal:
            yield refusal
            return
        tree = _parsed(shown, source)
        if not isinstance(tree, ast.Module):
            yield tree
            return
        if path == EXTENSION_FILE and not binds(tree, _EXPORT):
            yield rules.UNBOUND.problem(
                f"{EXTENSION_FILE} does not bind 'extension' at module level.",
                path=shown,
                line=1,
                expected="a module-level assignment, import or definition of 'extension'",
            )
        yield from import_problems(tree, path, shown, self._modules)

    def _too_much(self, shown: str, source: bytes) -> Problem | None:
        if len(source) > limits.PYTHON_BYTES:
            return rules.SIZE.problem(
                "A Python file is too big.",
                path=shown,
                expected=f"at most {limits.PYTHON_BYTES} bytes",
                got=f"{len(source)} bytes",
            )
        tokens = _count(source)
        self._tokens += tokens
        if tokens > limits.PYTHON_TOKENS or self._tokens > limits.PYTHON_TOKENS_TOTAL:
            return rules.SIZE.problem(
                "There is too much Python source to parse.",
                path=shown,
                expected=f"at most {limits.PYTHON_TOKENS} words and signs in a file and "
                f"{limits.PYTHON_TOKENS_TOTAL} in a package",
                got=f"{tokens} in this file, {self._tokens} so far",
            )
        return None


def _count(source: bytes) -> int:
    """Return the number of words and signs, without a list of all of a large file's."""
    if len(source) < _SMALL:
        return len(_TOKEN.findall(source))
    return sum(1 for _ in _TOKEN.finditer(source))


def _coding_problem(shown: str, source: bytes) -> Problem | None:
    for number, line in enumerate(source.split(b"\n", 2)[:2], 1):
        match = _CODING.match(line.removeprefix(b"\xef\xbb\xbf"))
        if match and match[1].lower().replace(b"_", b"-") not in _PLAIN_ENCODINGS:
            return rules.ENCODING.problem(
                "A Python file is in an encoding that is not accepted.",
                path=shown,
                line=number,
                expected="UTF-8",
                got=match[1].decode("ascii"),
            )
    return None


def _parsed(shown: str, source: bytes) -> ast.Module | Problem:
    try:
        with warnings.catch_warnings():
            # A file may have an invalid escape or the like; that is its author's to hear of.
            warnings.simplefilter("ignore")
            return ast.parse(source, filename=shown)
    except SyntaxError as error:
        return rules.SYNTAX.problem(
            f"This is not valid Python: {error.msg}.",
            path=shown,
            line=error.lineno or 1,
            column=error.offset or None,
        )
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        reason = "it is nested too deeply" if not isinstance(error, ValueError) else str(error)
        return rules.SYNTAX.problem(f"This can't be parsed: {reason}.", path=shown)
