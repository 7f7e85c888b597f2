"""Names, wildcards and patterns by themselves."""

from __future__ import annotations

import os
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnest.execution.tools.names import read_name, show_name
from harnest.execution.tools.pattern import LinePattern, PatternError
from harnest.execution.tools.shell import encoded
from harnest.execution.tools.wildcards import GlobPattern

ATOMS = st.sampled_from(
    [
        r"a",
        r"b",
        r"1",
        r"é",
        r"_",
        r"-",
        r".",
        r"\.",
        r"\d",
        r"\w",
        r"\s",
        r"\W",
        r"\D",
        r"\S",
        r"[ab]",
        r"[^a]",
        r"[a-c1]",
        r"[\d_]",
        r"[]a]",
        r"[^-é]",
        r"\t",
        r"\x61",
        r"^",
        r"$",
        r"\b",
    ]
)
REPEATS = st.sampled_from(["", "*", "+", "?", "{2}", "{1,2}", "{0,}", "{,2}", "*?", "+?"])
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        st.tuples(inner, REPEATS).map(lambda pair: f"({pair[0]}){pair[1]}"),
    ),
    max_leaves=8,
)
LINES = st.text(alphabet="abc_ -1éÉ.\t", max_size=8)


@given(expression=EXPRESSIONS, line=LINES, ignore_case=st.booleans())
def test_a_pattern_chooses_the_lines_that_others_would(
    expression: str, line: str, *, ignore_case: bool
) -> None:
    """Within the dialect, a line matches exactly if Python's own expressions find something."""
    expected = re.search(expression, line, re.IGNORECASE if ignore_case else 0) is not None
    pattern = LinePattern(expression, ignore_case=ignore_case)
    assert pattern.matches(line.encode()) == expected


@given(expression=EXPRESSIONS, line=LINES, ignore_case=st.booleans())
def test_the_texts_of_a_pattern_stand_in_every_matching_line(
    expression: str, line: str, *, ignore_case: bool
) -> None:
    """A file without any of them is rightly not looked into."""
    pattern = LinePattern(expression, ignore_case=ignore_case)
    if pattern.literals and pattern.matches(line.encode()):
        folded = line.encode().lower() if ignore_case else line.encode()
        texts = [text.lower() if ignore_case else text for text in pattern.literals]
        assert any(text in folded for text in texts)


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("", "must have 1 to 1000 characters"),
        ("x" * 1001, "must have 1 to 1000 characters"),
        ("a\nb", "no line feed"),
        ("(", "a group is not closed"),
        (")", "no group to close"),
        ("[a", "a set is not closed"),
        ("[b-a]", "runs backwards"),
        ("[[:nope:]]", "no class [:nope:]"),
        ("*a", "nothing to repeat"),
        ("a**", "a repetition can't be repeated"),
        ("^*", "a condition can't be repeated"),
        ("a{3,1}", "a repetition counts up"),
        ("a{1001}", "to 1000 at most"),
        ("((a{100}){100})", "more than 2000 states"),
        ("(" * 60 + ")" * 60, "nested more than 50 deep"),
        (r"\1", "nothing refers back"),
        ("(?<=a)b", "nothing looks around"),
        (r"\p{L}", r"\p has no meaning"),
        ("a\\", "something is missing at the end"),
    ],
)
def test_what_is_no_pattern_is_refused_with_the_reason(expression: str, why: str) -> None:
    """The message says where the pattern goes wrong, and how."""
    with pytest.raises(PatternError, match=re.escape(why)):
        LinePattern(expression)


def test_no_line_takes_longer_than_its_length_allows() -> None:
    """A pattern that sends others through all ways, which are more than 2**20000, comes back."""
    for expression in ("(a+)+$", "(a|a)*b", "(a?){200}a{200}b", "(.*)*x"):
        assert not LinePattern(expression).matches(b"a" * 20_000 + b"!")


def test_a_search_gives_up_at_its_deadline() -> None:
    """The clock is looked at within a line."""
    with pytest.raises(TimeoutError):
        LinePattern("[ab][cd]").matches(b"a" * 10_000_000, time.monotonic() - 1)


@given(name=st.binary(min_size=1, max_size=40).filter(lambda name: b"\0" not in name))
def test_a_shown_name_is_read_as_the_same_name(name: bytes) -> None:
    """Whatever its bytes, in text that holds no control character and no half of a pair."""
    shown = show_name(name)
    assert os.fsencode(read_name(shown)) == name
    assert shown.isprintable()
    shown.encode()


def test_a_name_without_quotes_is_literal() -> None:
    """Backslashes and quotes within are characters like others."""
    for text in ("a\\n", 'a"b', '"a', "'a'", '"'):
        assert read_name(text) == text


@given(data=st.binary(max_size=60))
def test_encoded_bytes_are_harmless_words(data: bytes) -> None:
    """Only letters, digits, slashes, underscores and backslashes reach a command."""
    text = encoded(data)
    assert re.fullmatch(r"[A-Za-z0-9_/\\]*", text)
    decoded = re.sub(r"\\(\d{3})", lambda match: chr(int(match[1], 8)), text)
    assert decoded.encode("latin-1") == data


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("*.py", (b"*.py",)),
        ("a[bc]?.{py,c}", (b"a**.c", b"a**.py")),
        ("x\\*", (b"x\\\\*",)),
        ("src/**", ()),
        ("[a", (b"*a",)),
        ("a]b", (b"a\\]b",)),
    ],
)
def test_what_a_walk_asks_for_is_never_less_than_the_pattern(
    pattern: str, names: tuple[bytes, ...]
) -> None:
    """The last name's pattern for find is wider where dialects differ."""
    assert tuple(sorted(GlobPattern.parse(pattern).last_names)) == names


@given(
    pattern=st.text(alphabet="ab*?[]!-\\.{,}", min_size=1, max_size=6),
    name=st.text(alphabet="ab[]!-\\.{}", min_size=1, max_size=5),
)
def test_a_name_that_matches_is_one_that_the_walk_asks_for(pattern: str, name: str) -> None:
    """Find -name, with * for anything and a backslash before characters, misses no match."""
    try:
        parsed = GlobPattern.parse(pattern, hidden=True)
    except ValueError:
        return
    if "/" in name or not parsed.matches(name.encode(), folder=False):
        return
    wider = [re.compile(_regex(item)) for item in parsed.last_names]
    assert not wider or any(regex.fullmatch(name.encode()) for regex in wider)


def _regex(pattern: bytes) -> bytes:
    """Return an expression for what find makes of such a pattern."""
    parts = re.findall(rb"\\(.)|(\*)|([^\\*])", pattern)
    return b"".join(b".*" if star else re.escape(quoted or plain) for quoted, star, plain in parts)
