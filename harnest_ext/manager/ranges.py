"""Whether a version is in a range, without `packaging` for the plain ranges that nearly all are.

`list` asks this for every extension's host range; importing `packaging` for ``>=1,<2`` would cost
more than the rest of the command. Whatever is not plain numbers is left to `packaging`.
"""

from __future__ import annotations

import operator
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["satisfies"]

_CLAUSE = re.compile(r"(>=|<=|>|<|==|!=)([0-9]+(?:\.[0-9]+)*)", re.ASCII)
_PLAIN = re.compile(r"[0-9]+(?:\.[0-9]+)*", re.ASCII)
_COMPARE: Final[dict[str, Callable[[tuple[int, ...], tuple[int, ...]], bool]]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "==": operator.eq,
    "!=": operator.ne,
}


@lru_cache(maxsize=1024)
def satisfies(version: str, specifier: str) -> bool:
    """Return whether ``version`` is in the PEP 440 range ``specifier``; pre-releases count.

    Args:
        version: A PEP 440 version.
        specifier: A PEP 440 range; empty for any.
    """
    if not specifier:
        return True
    clauses = [_CLAUSE.fullmatch(clause.strip()) for clause in specifier.split(",")]
    plain = [clause for clause in clauses if clause is not None]
    if not _PLAIN.fullmatch(version) or len(plain) != len(clauses):
        return _by_packaging(version, specifier)
    have = _numbers(version)
    return all(_COMPARE[clause[1]](have, _numbers(clause[2])) for clause in plain)


def _numbers(text: str) -> tuple[int, ...]:
    numbers = [int(part) for part in text.split(".")]
    # 1 and 1.0.0 are equal in PEP 440.
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _by_packaging(version: str, specifier: str) -> bool:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # noqa: PLC0415 - see above

    try:
        return SpecifierSet(specifier).contains(version, prereleases=True)
    except InvalidSpecifier:
        # A range that nobody can read excludes everything; the lock's check names it.
        return False
