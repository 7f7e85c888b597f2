"""TOML read within bounds: its size and depth are known before a parser sees it."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

from harnest_ext import limits
from harnest_ext.package.rules import project as rules
from harnest_ext.toml_fault import toml_fault

if TYPE_CHECKING:
    from harnest_ext.problem import Problem

__all__ = ["load_toml"]

# Every alternative matches an unterminated string too, and never backtracks: one pass, always.
_LEXEME = re.compile(
    r'"""(?:[^"\\]|\\.?|"(?!""))*+(?:""""{0,2}|\Z)'
    r"|'''(?:[^']|'(?!''))*+(?:''''{0,2}|\Z)"
    r'|"(?:[^"\\\n]|\\.?)*+"?'
    r"|'[^'\n]*+'?"
    r"|#[^\n]*+|[\[\]{}=,.\n]",
    re.DOTALL,
)
_OPENING, _CLOSING = frozenset("[{"), frozenset("]}")


def load_toml(data: bytes, path: str) -> tuple[dict[str, Any], Problem | None]:
    """Return the document that ``data`` holds, or the reason why it can't be taken.

    Args:
        data: Content of the file.
        path: How the file is named in a problem.
    """
    if len(data) > limits.METADATA_BYTES:
        expected = f"at most {limits.METADATA_BYTES} bytes"
        got = f"{len(data)} bytes"
        return {}, rules.SIZE.problem("The file is too big.", path=path, expected=expected, got=got)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return {}, rules.ENCODING.problem("The file is not UTF-8.", path=path, line=line)
    deep = _deep_line(text)
    if deep:
        expected = f"at most {limits.METADATA_DEPTH} levels"
        return {}, rules.DEPTH.problem(
            "The nesting is too deep.", path=path, line=deep, expected=expected
        )
    try:
        return tomllib.loads(text), None
    except (ValueError, RecursionError) as error:
        fault = toml_fault(error, data)
        message = f"The file can't be read: {fault.reason}."
        return {}, rules.SYNTAX.problem(message, path=path, line=fault.line, column=fault.column)


def _deep_line(text: str) -> int:
    """Return the line at which brackets or dotted keys nest too deeply; 0 if none does."""
    line, brackets, dots = 1, 0, 0
    for match in _LEXEME.finditer(text):
        lexeme = match[0]
        if lexeme == ".":
            dots += 1
        elif lexeme in _OPENING:
            brackets += 1
            dots = 0
        elif lexeme in _CLOSING:
            brackets = max(0, brackets - 1)
        elif lexeme in {"=", ",", "\n"}:
            dots = 0
        if brackets + dots > limits.METADATA_DEPTH:
            return line
        line += lexeme.count("\n")
    return 0
