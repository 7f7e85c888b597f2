"""The lock file: what it takes, what it refuses, and that it is the same everywhere."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnest_ext.errors import HarnestExtensionError, InvalidExtension, StoreError
from harnest_ext.identity import Slug
from harnest_ext.store import (
    LockedExtension,
    LockedSource,
    LockFile,
    SourceKind,
    parse_lock,
    read_lock,
    render_lock,
)

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "lock-version = 1\n"
ENTRY = (
    '[[extension]]\nname = "rain"\nversion = "1.0.0"\n'
    'source = { kind = "folder", location = "../rain" }\n'
    f'digest = "sha256:{"0" * 64}"\n'
)

texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
names = st.from_regex(r"[a-z](_?[a-z0-9]){0,6}", fullmatch=True).filter(
    lambda name: name not in {"as", "if", "in", "is", "or", "def", "del", "for", "not", "try"}
)
lists = st.lists(texts, max_size=3).map(tuple)


@st.composite
def entries(draw: st.DrawFn) -> LockedExtension:
    """Any entry that can be written."""
    try:
        name = Slug("x" + draw(names))
    except InvalidExtension:
        name = Slug("xyz")
    kind = draw(st.sampled_from(SourceKind))
    wheel = draw(st.booleans())
    return LockedExtension(
        name=name,
        version=draw(texts.filter(bool)),
        requirement=draw(texts),
        source=LockedSource(
            kind=kind, location=draw(texts.filter(lambda t: t[:1] != "/")), file=draw(texts)
        ),
        digest=""
        if kind is SourceKind.LINKED
        else "sha256:" + hashlib.sha256(name.encode()).hexdigest(),
        wheel_sha256="a" * 64 if wheel else "",
        wheel_size=draw(st.integers(1, 2**40)) if wheel else 0,
        requires=draw(lists),
        dependencies=draw(lists),
        capabilities=draw(lists),
        host_range=draw(texts),
        requires_python=draw(texts),
        pinned=draw(st.booleans()),
    )


@given(st.lists(entries(), max_size=4))
def test_what_is_written_is_read_again(items: list[LockedExtension]) -> None:
    """Any lock survives writing and reading, and is written as the same bytes again."""
    lock = LockFile(entries={item.name: item for item in items})
    data = render_lock(lock)
    assert parse_lock(data, "lock") == lock
    assert render_lock(parse_lock(data, "lock")) == data


@given(st.lists(entries(), min_size=1, max_size=3), st.data())
def test_a_lock_in_another_style_says_the_same(
    items: list[LockedExtension], data: st.DataObject
) -> None:
    """Comments and blanks that a person added change nothing of what is read."""
    lock = LockFile(entries={item.name: item for item in items})
    lines = render_lock(lock).decode().split("\n")
    at = data.draw(st.integers(0, len(lines)))
    edited = "\n".join([*lines[:at], "", "# a remark", *lines[at:]])
    assert parse_lock(edited.encode(), "lock") == lock


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda t: (HEAD + ENTRY + t).encode()))
def test_no_content_makes_it_fail_otherwise_than_by_a_refusal(data: bytes) -> None:
    """Any bytes are read or refused; nothing else is ever raised."""
    try:
        parse_lock(data, "lock")
    except HarnestExtensionError as error:
        assert error.kind == "lock-invalid"  # noqa: PT017 - either outcome is right


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("no toml", "lock.toml"),
        (HEAD + "<<<<<<< ours\n", "lock.toml"),
        ("lock-version = 2\n", "lock.version"),
        ("", "lock.version"),
        (HEAD + "extra = 1\n", "lock.keys"),
        (HEAD + "extension = 1\n", "lock.keys"),
        (HEAD + "extension = [1]\n", "lock.keys"),
        (HEAD + ENTRY + ENTRY, "lock.duplicate"),
        (HEAD + ENTRY + "more = 1\n", "lock.keys"),
        (HEAD + ENTRY.replace("rain", "../rain", 1), "lock.field"),
        (HEAD + ENTRY.replace('"folder"', '"ftp"'), "lock.field"),
        (HEAD + ENTRY.replace("../rain", "/rain"), "lock.field"),
        (HEAD + ENTRY.replace("sha256:0", "sha256:g"), "lock.field"),
        (HEAD + ENTRY.replace("sha256:", "md5:"), "lock.field"),
        (HEAD + ENTRY + "wheel = { size = 3 }\n", "lock.field"),
        (HEAD + ENTRY + "pinned = 1\n", "lock.field"),
        (HEAD + ENTRY + "requires = [1]\n", "lock.field"),
        (HEAD + ENTRY.replace('"1.0.0"', "1"), "lock.field"),
    ],
)
def test_a_lock_that_breaks_the_format_is_refused_by_rule(text: str, rule: str) -> None:
    """Each breach has its rule, names the file, and says what to do."""
    with pytest.raises(InvalidExtension) as caught:
        parse_lock(text.encode(), "harnest-extensions.lock")
    assert (caught.value.kind, caught.value.rule) == ("lock-invalid", rule)
    assert caught.value.path == "harnest-extensions.lock"
    assert "version control" in caught.value.remedy


def test_a_merge_conflict_is_told_with_its_line() -> None:
    """Whoever merged two branches is led to the place."""
    with pytest.raises(InvalidExtension) as caught:
        parse_lock((HEAD + "\n<<<<<<< ours\n").encode(), "lock")
    assert caught.value.line == 3
    assert "merge conflict" in str(caught.value)


def test_an_absent_lock_is_empty_and_a_link_is_refused(tmp_path: Path) -> None:
    """No file means nothing is locked; a link in its place is not followed."""
    assert read_lock(tmp_path / "none").entries == {}
    (tmp_path / "link").symlink_to(tmp_path / "none")
    with pytest.raises(StoreError) as caught:
        read_lock(tmp_path / "link")
    assert caught.value.rule == "store.unreadable"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("# c\nlock-version = 2\n", 2),
        ("", 1),
        (HEAD + "nonsense\n", 2),
        (HEAD + ENTRY + "more = 1\n", 2),
        (HEAD + ENTRY + ENTRY, 7),
        (HEAD + ENTRY + ENTRY.replace("sha256:", "md5:"), 7),
    ],
)
def test_a_breach_is_told_with_the_line_of_its_entry(text: str, line: int) -> None:
    """Of the file's header, or of the entry that breaks the format."""
    with pytest.raises(InvalidExtension) as caught:
        parse_lock(text.encode(), "lock")
    assert caught.value.line == line
