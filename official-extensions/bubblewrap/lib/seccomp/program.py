"""The rules as a program of the kernel's classic packet filter, in bytes.

Layout: the architecture, then a decision tree over ranges of call numbers (about ten comparisons
whatever the call), at whose leaves stand verdicts or the tests of a call's arguments.
"""

from __future__ import annotations

import struct
import sys
from functools import cache
from typing import TYPE_CHECKING, Final

from .numbers import LAST, numbers
from .rules import ABSENT, ALLOWED, DENIED, Clause, Condition, Errno, rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["MACHINES", "compiled"]

MACHINES: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""The machines that there are filters for, by :func:`os.uname`, and the kernel's AUDIT_ARCH."""

# linux/bpf_common.h and linux/seccomp.h
_LOAD, _AND, _JUMP, _RETURN = 0x20, 0x54, 0x05, 0x06
_IF_EQUAL, _IF_AT_LEAST = 0x15, 0x35
_KILL, _ERRNO, _ALLOW = 0x8000_0000, 0x0005_0000, 0x7FFF_0000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_X32: Final = 0x4000_0000
"""From here on the numbers of x86_64 are those of its 32-bit ABI, which no program here has."""

_MOST: Final = 4096
"""Most instructions that the kernel takes."""
_Code = list[tuple[int, int, int, int]]


@cache
def compiled(machine: str, *, unix_sockets: bool) -> bytes:
    """Return the filter for a machine.

    Args:
        machine: One of :data:`MACHINES`.
        unix_sockets: As for :func:`.rules.rules`.

    Raises:
        KeyError: There is none for that machine.
    """
    known = numbers(machine)
    wanted = rules(unix_sockets=unix_sockets)
    clauses = {known[name]: found for name, found in wanted.items() if name in known}
    code: _Code = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_IF_EQUAL, 1, 0, MACHINES[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        *_tree(list(_ranges(clauses))),
    ]
    if len(code) > _MOST:
        raise AssertionError(f"the filter has {len(code)} instructions, more than {_MOST}")
    order = "<" if sys.byteorder == "little" else ">"
    return b"".join(struct.pack(f"{order}HBBI", *instruction) for instruction in code)


_Leaf = tuple[Clause, ...]


def _ranges(clauses: Mapping[int, _Leaf]) -> Iterator[tuple[int, _Leaf]]:
    """Yield each first number from which on other clauses hold than before it, with them."""
    before: _Leaf | None = None
    for number in range(LAST + 1):
        found = clauses.get(number, (Clause(DENIED),))
        if found != before:
            yield number, found
        before = found
    # Newer calls; and those of x32, which are below 2**31 as well.
    yield LAST + 1, (Clause(ABSENT),)
    yield _X32, (Clause(DENIED),)


def _tree(ranges: Sequence[tuple[int, _Leaf]]) -> _Code:
    if len(ranges) == 1:
        return _leaf(ranges[0][1])
    middle = len(ranges) // 2
    below, above = _tree(ranges[:middle]), _tree(ranges[middle:])
    # Conditional jumps reach 255 instructions; the plain one reaches all.
    return [(_IF_AT_LEAST, 0, 1, ranges[middle][0]), (_JUMP, 0, 0, len(below)), *below, *above]


def _leaf(clauses: _Leaf) -> _Code:
    return [instruction for clause in clauses for instruction in _clause(clause)]


def _clause(clause: Clause) -> _Code:
    """Return the tests of a clause, each of which skips the rest of it, and its verdict."""
    code: _Code = []
    left = 3 * len(clause.conditions)
    for condition in clause.conditions:
        left -= 3
        code += _test(condition, skip=left + 1)
    return [*code, (_RETURN, 0, 0, _verdict(clause.verdict))]


def _test(condition: Condition, *, skip: int) -> _Code:
    low = 0 if sys.byteorder == "little" else 4
    skips = (0, skip) if condition.equal else (skip, 0)
    return [
        (_LOAD, 0, 0, _ARGUMENTS + 8 * condition.argument + low),
        (_AND, 0, 0, condition.mask),
        (_IF_EQUAL, *skips, condition.value),
    ]


def _verdict(verdict: Errno) -> int:
    return _ALLOW if verdict == ALLOWED else _ERRNO | verdict.number
