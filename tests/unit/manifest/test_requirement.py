"""Requirements between extensions: what they say and which versions will do."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet

from harnest_ext.errors import InvalidExtension
from harnest_ext.identity import Slug
from harnest_ext.limits import REQUIREMENT_CHARACTERS, REQUIREMENT_CLAUSES
from harnest_ext.manifest import ExtensionRequirement
from harnest_ext.manifest.requirement import normal_specifier

NORMAL = {
    "rag": "rag",
    " rag ": "rag",
    "rag>=0.1,<1": "rag>=0.1,<1",
    "rag <1 , >= 0.1": "rag>=0.1,<1",
    "rag==1.0": "rag==1.0",
    "rag>=1,>=1": "rag>=1",
    "rag!=1.5,~=1.0,<2": "rag~=1.0,<2,!=1.5",
    "x_y ==1.*": "x_y==1.*",
}


@pytest.mark.parametrize("text", NORMAL)
def test_a_requirement_has_one_normal_form(text: str) -> None:
    """However it is written, it is shown and compared in one way."""
    requirement = ExtensionRequirement.parse(text)
    assert str(requirement) == NORMAL[text]
    assert ExtensionRequirement.parse(str(requirement)) == requirement
    assert isinstance(requirement.slug, Slug)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("", "manifest.requirement"),
        (">=1", "manifest.requirement"),
        ("rag ^1", "manifest.requirement"),
        ("rag>=", "manifest.requirement"),
        ("rag>=1;python_version>'3'", "manifest.requirement"),
        ("rag\u200b", "manifest.requirement"),
        ("Rag", "name.slug"),
        ("r-ag", "name.slug"),
        ("rag>=1" + ",>=1" * REQUIREMENT_CLAUSES, "manifest.requirement-size"),
        ("rag" + " " * REQUIREMENT_CHARACTERS, "manifest.requirement-size"),
        ("rag>=" + "1" * 300, "manifest.requirement-size"),
    ],
)
def test_what_is_no_requirement_is_refused(text: str, rule: str) -> None:
    """A requirement exists only if it is valid and bounded."""
    with pytest.raises(InvalidExtension) as caught:
        ExtensionRequirement.parse(text)
    assert caught.value.rule == rule


def test_a_caret_is_answered_with_the_range_that_was_meant() -> None:
    """A spelling of other tools is not only refused."""
    with pytest.raises(InvalidExtension) as caught:
        ExtensionRequirement.parse("rag ^1.2")
    assert caught.value.remedy == "Write '>=1.2,<2' instead."


@pytest.mark.parametrize(
    ("text", "version", "prereleases", "expected"),
    [
        ("rag", "9.9", False, True),
        ("rag", "1.0rc1", False, False),
        ("rag", "1.0rc1", True, True),
        ("rag>=1,<2", "1.5", False, True),
        ("rag>=1,<2", "2.0", False, False),
        ("rag>=1.0rc1", "1.0rc2", False, True),
        ("rag>=1,<2", "1.5b1", False, False),
        ("rag>=1,<2", "1.5b1", True, True),
    ],
)
def test_prereleases_satisfy_only_who_asks_for_them(
    text: str, version: str, *, prereleases: bool, expected: bool
) -> None:
    """A pre-release counts if it is asked for, by the caller or by the range itself."""
    requirement = ExtensionRequirement.parse(text)
    assert requirement.contains(version, prereleases=prereleases) is expected


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["==", "!=", ">=", "<=", ">", "<"]),
            st.from_regex(r"[0-9]{1,2}(\.[0-9]{1,2}){0,2}", fullmatch=True),
        ),
        max_size=6,
    ),
    st.from_regex(r"[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{1,2}", fullmatch=True),
)
def test_the_normal_form_admits_the_same_versions(
    clauses: list[tuple[str, str]], version: str
) -> None:
    """Ordering the clauses changes no meaning."""
    text = ",".join(operator + number for operator, number in clauses)
    normal = normal_specifier(text)
    assert SpecifierSet(normal) == SpecifierSet(text)
    assert SpecifierSet(normal).contains(version) == SpecifierSet(text).contains(version)


@given(st.text(max_size=60))
def test_any_text_is_a_requirement_or_refused_by_name(text: str) -> None:
    """The parser raises nothing but its own error."""
    try:
        requirement = ExtensionRequirement.parse(text)
    except InvalidExtension:
        return
    assert ExtensionRequirement.parse(str(requirement)) == requirement


def test_names_alone_cost_no_parser() -> None:
    """Importing the type and reading a bare name loads neither packaging nor a YAML parser."""
    code = (
        "import sys; from harnest_ext.manifest import ExtensionRequirement as R;"
        "R.parse('rag'); print(sorted({'packaging', 'yaml', 'pydantic'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
