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
