"""What the user asked for: read from and edited into a file that is the user's own."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnest_ext.errors import InvalidExtension
from harnest_ext.identity import Slug
from harnest_ext.store.wishes import Wish, edit_wishes, parse_wishes

MINE = b"""# my agent
[project]
name = "demo"   # keep this
dependencies = [
    "httpx",  # and this
]

[tool.harnest.extensions]
# first things first
zebra = ">=1"      # why
docker = ">=0.5,<1"

[tool.ruff]
line-length = 100
"""


SCATTERED = b"[tool.z]\nq = 1 # c\n[tool.harnest.extensions.b]\npath = '.'\n"
"""A table whose parts stand apart, when another part of it comes before."""


def test_an_edit_keeps_comments_order_and_formatting() -> None:
    """Only the lines of what changed differ."""
    text = edit_wishes(
        MINE,
        put={Slug("docker"): Wish(version=">=0.6"), Slug("mine"): Wish(path="../mine", link=True)},
    )
    assert text == MINE.replace(
        b'docker = ">=0.5,<1"\n',
        b'docker = ">=0.6"\nmine = { path = "../mine", link = true }\n',
    )
    assert edit_wishes(text, put={}, drop=frozenset({"mine"})) == MINE.replace(
        b'docker = ">=0.5,<1"', b'docker = ">=0.6"'
    )


def test_nothing_to_change_gives_the_same_bytes() -> None:
    """Asking for what is there already does not even reformat a line."""
    odd = b"tool . harnest . extensions . docker='*'   # odd\r\n"
    assert edit_wishes(odd, put={Slug("docker"): Wish()}) == odd
    assert edit_wishes(MINE, put={}, drop=frozenset({"absent"})) == MINE


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[tool]\n",
        b"[tool.harnest]\nregistries = {}\n",
        b"[tool.harnest.extensions]\n",
        b"[tool]\nharnest = { extensions = { a = '*' } }\n",
        b"tool.harnest.extensions.a = '*'\n[other]\nx = 1\n",
        b"[project]\nname = 'x'\n[[tool.other]]\na = 1\n[[tool.other]]\na = 2\n",
        b"[tool.harnest.extensions.a]\nversion = '>=1'\n",
    ],
)
def test_a_wish_finds_its_place_in_any_style_or_is_refused(text: bytes) -> None:
    """What is written is read back, with everything that was there before."""
    before = parse_wishes(text)
    try:
        edited = edit_wishes(text, put={Slug("docker"): Wish(version="<1")})
    except InvalidExtension as error:
        assert "edited in place" in str(error)  # noqa: PT017 - refusing an odd style is right too
        return
    assert parse_wishes(edited) == {**before, "docker": Wish(version="<1")}
    old, new = tomllib.loads(text.decode()), tomllib.loads(edited.decode())
    new["tool"]["harnest"].pop("extensions")
    old.get("tool", {}).get("harnest", {}).pop("extensions", None)
    assert new.get("project") == old.get("project")


@pytest.mark.parametrize(
    "table",
    [
        "docker = 1",
        "docker = {}",
        'docker = { path = "../x", index = true }',
        'docker = { path = "../x", registry = "r" }',
        "docker = { link = true }",
        'docker = { versoin = ">=1" }',
        "docker = { version = 1 }",
        '"Not A Name" = "*"',
        "docker = ['*']",
    ],
)
def test_a_table_that_means_nothing_is_refused(table: str) -> None:
    """The refusal names the table and leaves the file alone."""
    with pytest.raises(InvalidExtension) as caught:
        parse_wishes(f"[tool.harnest.extensions]\n{table}\n".encode())
    assert (caught.value.kind, caught.value.rule) == ("project-invalid", "pyproject.wishes")
    assert caught.value.path == "pyproject.toml"


@given(st.binary(max_size=120))
def test_any_content_is_read_or_refused(data: bytes) -> None:
    """Nothing but a refusal is ever raised."""
    try:
        parse_wishes(data)
    except InvalidExtension as error:
        assert error.kind == "project-invalid"  # noqa: PT017 - either outcome is right


@pytest.mark.parametrize(
    "text",
    [
        "[project]\nname = 'x'  # mine\n",
        "[tool.harnest.extensions]\n# first\nzebra = '*'  # why\n\n[tool.z]\nq = 1\n",
    ],
)
def test_a_file_of_crlf_lines_stays_one(text: str) -> None:
    """What is put in ends its lines as all others do, and taking it out leaves no trace of it."""
    before = text.replace("\n", "\r\n").encode()
    put = edit_wishes(before, put={Slug("mine"): Wish(path="../mine")})
    assert put.count(b"\n") == put.count(b"\r\n") > before.count(b"\n")
    assert b'mine = { path = "../mine" }\r\n' in put
    left = edit_wishes(put, put={}, drop=frozenset({"mine"}))
    assert left.replace(b"\r\n[tool.harnest.extensions]\r\n", b"") in {before, left}
    assert left.count(b"\n") == left.count(b"\r\n")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (b"tool.harnest.extensions.a = '*'\nx = 1\n", b"x = 1\n"),
        (b"[tool]\nharnest.extensions.a = '*' # c\nz.q = 1\n", b"[tool]\nz.q = 1\n"),
        (
            b"[tool.harnest.extensions.a]\npath = '.'\n" + SCATTERED,
            SCATTERED,
        ),
    ],
)
def test_a_wish_is_taken_out_of_any_style(text: bytes, left: bytes) -> None:
    """Dotted keys and tables with headers of their own, in several places, are no obstacle."""
    assert edit_wishes(text, put={}, drop=frozenset({"a"})) == left


def test_a_wish_with_a_header_of_its_own_is_changed_in_its_place() -> None:
    """The header and the comments beside it stay."""
    text = b"[tool.harnest.extensions.a]\n# keep\nversion = '>=1'  # why\n\n[tool.z]\nq = 1\n"
    assert edit_wishes(text, put={Slug("a"): Wish(version=">=2")}) == text.replace(
        b"'>=1'", b'">=2"'
    )


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        (b"\xef\xbb\xbf[project]\n", 1, "byte order mark"),
        (b"[project]\nname = '\xe9'\n", 2, "not UTF-8"),
        (b"[project]\nname = \n", 2, "not TOML"),
        (b"[project]\nname = 'x", 2, "not TOML"),
        (b"[tool.harnest.extensions]\n# c\ndocker = 1\n", 3, "neither a range nor a table"),
        (b"[tool]\nharnest.extensions.docker = 1\n", 2, "neither a range nor a table"),
        (b"[tool.harnest.extensions.docker]\nx = 1\n", 1, "not a table of"),
        (b"[tool.harnest.extensions]\n'Not A Name' = '*'\n", 2, "a name that is none"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: bytes, line: int, told: str) -> None:
    """An editor can jump to it."""
    with pytest.raises(InvalidExtension) as caught:
        parse_wishes(text)
    assert (caught.value.path, caught.value.line) == ("pyproject.toml", line)
    assert told in str(caught.value)
