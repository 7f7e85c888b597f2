"""The loading order, over any set of requirements."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from harnest_ext.identity import Slug
from harnest_ext.manifest import ExtensionRequirement
from harnest_ext.runtime.candidate import Candidate, Origin
from harnest_ext.runtime.ordering import in_order

NAMES = [f"x{number}" for number in range(8)]
EDGES = st.sets(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=20)


def candidates(edges: set[tuple[str, str]]) -> list[Candidate]:
    """Return extensions that require each other as the pairs say."""
    return [
        Candidate(
            slug=Slug(name),
            version="1.0.0",
            folder=Path("/nowhere"),
            origin=Origin.PROJECT,
            requires=tuple(
                ExtensionRequirement.parse(needed) for user, needed in sorted(edges) if user == name
            ),
        )
        for name in NAMES
    ]


@given(edges=EDGES)
def test_needs_come_first_and_rings_are_told(edges: set[tuple[str, str]]) -> None:
    """Each extension is either loaded after all that it needs, or told to hang on a ring."""
    order, rings = in_order(candidates(edges))
    place = {candidate.slug: number for number, candidate in enumerate(order)}
    assert place.keys() | rings.keys() == set(NAMES)
    assert not place.keys() & rings.keys()
    assert all(place[needed] < place[user] for user, needed in edges if user in place)
    for name in rings:
        steps = rings[name].got.split(" -> ")
        assert steps[0] == steps[-1]
        assert all(pair in edges for pair in pairwise(steps))
    assert all(any(needed in rings for user, needed in edges if user == name) for name in rings)


@given(edges=EDGES, seed=st.randoms())
def test_the_order_does_not_depend_on_the_order_of_finding(edges: object, seed: object) -> None:
    """Whatever order the extensions are listed in, they load in the same one."""
    found = candidates(edges)  # type: ignore[arg-type]
    shuffled = list(found)
    seed.shuffle(shuffled)  # type: ignore[attr-defined]
    assert in_order(found)[0] == in_order(shuffled)[0]
