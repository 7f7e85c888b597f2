"""The fuzzer's targets answer: a target that rots would find nothing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.targets import SEEDS, TARGETS, feed

ANSWERED = sorted(TARGETS.keys() - {"lock"})


@pytest.mark.parametrize("name", ANSWERED)
def test_a_seed_is_answered(name: str) -> None:
    """Each target gets as far as an answer with its seed."""
    assert feed(name, SEEDS[name]) is not None


@pytest.mark.parametrize("name", TARGETS)
def test_noise_is_answered_or_refused_by_name(name: str) -> None:
    """No bytes raise anything but an error of ours."""

    @settings(max_examples=60, deadline=None)
    @given(st.binary(max_size=120) | st.text(max_size=60).map(str.encode))
    def noise(data: bytes) -> None:
        feed(name, data)

    noise()
