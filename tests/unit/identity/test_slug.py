"""Names of extensions: which are valid, and what follows from each."""

from __future__ import annotations

import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

import harnest.extensions
from harnest_ext.errors import InvalidExtension
from harnest_ext.identity import Slug, normalized


@pytest.mark.parametrize("text", ["demo", "a", "a1", "my_extension", "x_1_y", "d" * 64])
def test_a_valid_name_gives_all_its_other_names(text: str) -> None:
    """Folder, module, package and project follow from the name and lead back to it."""
    slug = Slug(text)
    assert slug.package == f"harnest_extension_{text}"
    assert slug.module == f"harnest.extensions.{text}"
    assert slug.distribution == "harnest-extension-" + text.replace("_", "-")
    assert Slug.from_distribution(slug.distribution) == slug
    assert Slug.from_distribution(slug.package.upper()) == slug


@pytest.mark.parametrize(
    "text",
    [
        *("", "1a", "A", "a-b", "a__b", "_a", "a_", "a.b", "../a", "a b", "\u00e9", "d" * 65),
        *("con", "nul", "com1", "lpt9", "harnest", "extensions", "none", "true", "false"),
        *keyword.kwlist,
    ],
)
def test_what_is_no_name_is_refused(text: str) -> None:
    """Reserved words, device names and other spellings never become a slug."""
    with pytest.raises(InvalidExtension) as caught:
        Slug(text)
    assert (caught.value.kind, caught.value.rule) == ("name-invalid", "name.slug")


@pytest.mark.parametrize(
    "text", ["requests", "harnest", "harnest-extension-", "harnest-extension-1a"]
)
def test_other_projects_are_no_extensions(text: str) -> None:
    """Only harnest-extension-<valid name> is the project of an extension."""
    assert Slug.from_distribution(text) is None


@given(st.from_regex(r"[a-z](_?[a-z0-9]){0,20}", fullmatch=True))
def test_name_and_project_map_one_to_one(text: str) -> None:
    """No two extensions share a project."""
    try:
        slug = Slug(text)
    except InvalidExtension:
        return
    assert Slug.from_distribution(normalized(slug.distribution)) == text


@pytest.mark.parametrize("name", harnest.extensions.__all__)
def test_no_extension_takes_the_place_of_what_authors_import(name: str) -> None:
    """A module `harnest.extensions.<name>` would hide what authors import from there."""
    with pytest.raises(InvalidExtension):
        Slug(name)


def test_a_typed_name_is_the_path_of_its_problem() -> None:
    """A command line names the argument that it refuses; a project's name is taken too."""
    assert Slug.typed("harnest-extension-dark-sky") == "dark_sky"
    with pytest.raises(InvalidExtension) as caught:
        Slug.typed("Bad!")
    assert caught.value.path == "Bad!"
