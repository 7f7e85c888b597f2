"""JSON that can be read in one way only: UTF-8, each key once, no NaN, bounded nesting."""

from __future__ import annotations

import json
import re
from typing import NoReturn

from harnest_ext import limits
from harnest_ext.errors import SourceError
from harnest_ext.sources.net import rules

__all__ = ["strict_json"]

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', re.DOTALL)


def strict_json(body: bytes) -> object:
    """Return the value that a body states.

    Args:
        body: UTF-8 text, without a byte order mark.

    Raises:
        SourceError: rule ``network.json``.
    """
    _check_depth(body)
    try:
        value: object = json.loads(
            body.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_constant
        )
    except UnicodeDecodeError:
        raise _odd("it is not UTF-8") from None
    except ValueError as error:
        raise _odd(_told(error)) from None
    return value


def _check_depth(body: bytes) -> None:
    """Refuse deep nesting before the parser recurses into it."""
    depth = 0
    for match in _TOKEN.finditer(body):
        first = body[match.start()]
        if first in b"[{":
            depth += 1
            if depth > limits.INDEX_PAGE_DEPTH:
                raise _odd(f"it is nested deeper than {limits.INDEX_PAGE_DEPTH} levels")
        elif first in b"]}":
            depth -= 1


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in made if keys.count(key) > 1)
        raise _odd(f"the key '{twice}' stands there twice")
    return made


def _no_constant(name: str) -> NoReturn:
    raise _odd(f"{name} is no JSON")


def _told(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"it is no JSON (line {error.lineno}, column {error.colno})"
    return "it holds a number that is too long"


def _odd(why: str) -> SourceError:
    return SourceError(rules.JSON.problem(f"The answer can't be read: {why}."))
