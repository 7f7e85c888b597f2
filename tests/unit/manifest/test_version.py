"""Versions: which texts are one, and how two of them compare."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from harnest_ext.errors import InvalidExtension
from harnest_ext.limits import VERSION_CHARACTERS
from harnest_ext.manifest import ExtensionVersion

SPELLINGS = {
    "1.0.0": "1.0.0",
    "0.10.200": "0.10.200",
    "1.0.0-rc.1": "1.0.0rc1",
    "1.0.0rc1": "1.0.0rc1",
    "1.0.0-alpha": "1.0.0a0",
    "1.0.0-beta.2": "1.0.0b2",
    "1.0.0.post1": "1.0.0.post1",
    "1.0.0-dev.3": "1.0.0.dev3",
    "1.0.0a1.post2.dev3": "1.0.0a1.post2.dev3",
    "1.0.0+local.1": "1.0.0+local.1",
    "1.0.0-rc.1+build-5": "1.0.0rc1+build.5",
}
WRONG = {
    "": "three numbers",
    "1": "fewer than three",
    "1.0": "fewer than three",
    "1.0.0.0": "three numbers",
    "v1.0.0": "'v'",
    "1!1.0.0": "epoch",
    "01.0.0": "leading zero",
    "1.00.0": "leading zero",
    "1.0.01": "leading zero",
    "1.0.0-1": "three numbers",
    "1.0.0-foo": "three numbers",
    " 1.0.0": "three numbers",
    "1.0.0\n": "three numbers",
    "1.0.\u0661": "three numbers",
    "latest": "three numbers",
    "1.0.0+" + "a" * VERSION_CHARACTERS: "characters",
}


@pytest.mark.parametrize("text", SPELLINGS)
def test_both_spellings_mean_their_pep_440_value(text: str) -> None:
    """The text is kept as written; the public form is the one that indexes use."""
    version = ExtensionVersion(text)
    assert str(version) == version.text == text
    assert version.public == SPELLINGS[text]


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_version_is_refused_with_the_reason(text: str) -> None:
    """A version exists only if it is valid."""
    with pytest.raises(InvalidExtension) as caught:
        ExtensionVersion(text)
    assert (caught.value.kind, caught.value.rule) == ("version-invalid", "version.text")
    assert WRONG[text] in caught.value.problems[0].message


def test_versions_are_equal_and_ordered_by_value() -> None:
    """Spelling does not matter where versions are compared."""
    candidate, same = ExtensionVersion("1.0.0-rc.1"), ExtensionVersion("1.0.0rc1")
    final = ExtensionVersion("1.0.0")
    assert candidate == same
    assert hash(candidate) == hash(same)
    assert candidate < final <= ExtensionVersion("1.0.0")
    assert candidate != final
    assert candidate != "1.0.0rc1"


@given(st.text(alphabet="0123456789.-_+!abcdeprvost", max_size=30))
def test_whatever_is_accepted_is_a_pep_440_version(text: str) -> None:
    """The pattern never lets through what packaging would not take, nor raises anything else."""
    try:
        version = ExtensionVersion(text)
    except InvalidExtension:
        return
    value = Version(text)
    assert version.public == str(value)
    assert (value.epoch, len(value.release)) == (0, 3)
