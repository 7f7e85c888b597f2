"""Names and paths: which are one on some system, and which no tree may hold."""

from __future__ import annotations

import unicodedata

import pytest

from harnest_ext import limits
from harnest_ext.package.names import folded, path_problem


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Client.py", "client.py"),
        ("caf\u00e9", "cafe\u0301"),
        ("CAF\u00c9", "cafe\u0301"),
        ("stra\u00dfe", "STRASSE"),
        ("\u212bngstr\u00f6m", "\u00e5ngstr\u00f6m"),
        ("\u03a3", "\u03c2"),
    ],
)
def test_names_that_systems_confuse_fold_together(one: str, other: str) -> None:
    """Case and normal form make no second file."""
    assert folded(one) == folded(other)


def test_folding_is_stable_for_every_character() -> None:
    """What is compared is a form of its own, whatever it was made from."""
    letters = (chr(code) for code in range(0x20000) if not 0xD800 <= code <= 0xDFFF)
    assert [ch for ch in letters if folded(folded(ch)) != folded(ch)] == []


@pytest.mark.parametrize(
    "path",
    [
        *("a", "lib/a.py", "lib/.keep", "_x", "a b.txt", "a-b_c+d@e=f", "a,b(c)[d]{e}.x", "...x"),
        *(
            "\u8cc7\u6599/\u8868.csv",
            "caf\u00e9.txt",
            "\u0645\u0644\u0641",
            "\U0001f600.png",
            "a.b.c",
        ),
        *("console.py", "com10", "auxiliary", "nulls.txt", "x" * 255, "/".join(["d"] * 32)),
    ],
)
def test_ordinary_paths_are_accepted(path: str) -> None:
    """Unicode, spaces and punctuation are fine where every system takes them."""
    assert path_problem(path) is None


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        *(
            (path, "tree.path")
            for path in ("", "/", "/a", "a/", "a//b", ".", "..", "a/./b", "a/..")
        ),
        *((f"a{ch}b", "tree.name") for ch in '\\:*?"<>|\0\n\r\t\x1b\x7f\x85'),
        *(
            (f"a{ch}b", "tree.name")
            for ch in "\u200b\u200d\u200e\u202e\u2066\ufeff\u00ad\u2028\u061c"
        ),
        *((f"a{ch}", "tree.name") for ch in "\ufe0f\u180b\u034f\u115f\u3164\uffa0\u2800\udcff"),
        *((f"a{ch}", "tree.name") for ch in "\U000e0001\U000e0041\U000e0100\u17b4"),
        *(
            (name, "tree.name")
            for name in ("con", "PRN", "aux.txt", "Nul .x", "com1", "LPT9.tar.gz")
        ),
        *((name, "tree.name") for name in ("com\u00b2", "conout$", "clock$", "a.", "a ", "a. ")),
        ("x" * (limits.COMPONENT_BYTES + 1), "tree.path-length"),
        ("\u00e9" * 128, "tree.path-length"),
        ("/".join(["x" * 100] * 6), "tree.path-length"),
        ("/".join(["d"] * (limits.PATH_DEPTH + 1)), "tree.depth"),
    ],
)
def test_paths_that_lie_or_fail_somewhere_are_refused(path: str, rule: str) -> None:
    """The problem names the path, and what it shows of it can be printed."""
    problem = path_problem(path)
    assert problem is not None
    assert problem.rule == rule
    assert all(ch.isprintable() or ch == "\n" for ch in problem.describe())


def test_every_control_format_and_separator_character_is_refused() -> None:
    """No invisible character of Unicode gets through, in any plane."""
    hidden = {"Cc", "Cf", "Zl", "Zp"}
    passed = [
        hex(code)
        for code in range(0x110000)
        if unicodedata.category(chr(code)) in hidden and path_problem(f"a{chr(code)}b") is None
    ]
    assert passed == []
