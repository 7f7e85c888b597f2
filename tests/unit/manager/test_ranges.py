"""Ranges without `packaging` must mean what they mean with it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet

from harnest_ext.manager.ranges import satisfies

versions = st.lists(st.integers(0, 12), min_size=1, max_size=4).map(lambda n: ".".join(map(str, n)))
clauses = st.builds(
    lambda op, version: op + version, st.sampled_from([">=", "<=", ">", "<", "==", "!="]), versions
)


@given(versions, st.lists(clauses, max_size=3).map(",".join))
def test_plain_ranges_agree_with_packaging(version: str, specifier: str) -> None:
    """For plain numbers the quick answer is the exact one."""
    exact = SpecifierSet(specifier).contains(version, prereleases=True)
    assert satisfies(version, specifier) is exact


@pytest.mark.parametrize(
    ("version", "specifier", "expected"),
    [
        ("1.0.0rc1", ">=1", False),
        ("1.0.0rc1", ">=1.0.0rc1,<2", True),
        ("1.2.3", "~=1.2", True),
        ("1.2.3", "==1.2.*", True),
        ("3.11.7", ">=3.11", True),
        ("1.0", "nonsense", False),
        ("1.0", "", True),
    ],
)
def test_other_ranges_are_left_to_packaging(
    version: str, specifier: str, *, expected: bool
) -> None:
    """Suffixes, wildcards and nonsense get the answer of PEP 440."""
    assert satisfies(version, specifier) is expected
