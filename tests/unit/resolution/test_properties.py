"""Choices held against a search that tries everything, on small worlds of releases."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from harnest_ext.errors import HarnestExtensionError
from harnest_ext.host import Host
from harnest_ext.resolution import ResolutionRequest, resolve
from harnest_ext.resolution.catalog import Catalog
from harnest_ext.resolution.eligibility import Eligibility
from harnest_ext.resolution.engine import search
from harnest_ext.resolution.ranges import holds
from harnest_ext.resolution.rings import find_ring
from harnest_ext.resolution.straight import walk_straight
from tests.fakes.releases import FakeReleases, need

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harnest_ext.resolution import Resolution

NAMES = ("a", "b", "c", "d")
VERSIONS = ("1.0", "2.0", "3.0")
HOST = Host(harnest_version="1.0.0", python_version="3.11.4")

requirements = st.builds(
    str.__add__, st.sampled_from(NAMES), st.sampled_from(("", ">=2", "<2", "==1.0", "!=2.0", "<3"))
)
releases = st.dictionaries(
    st.builds("{} {}".format, st.sampled_from(NAMES), st.sampled_from(VERSIONS)),
    st.lists(requirements, max_size=3, unique_by=lambda text: text[0]),
    min_size=1,
)
wanted = st.lists(requirements, min_size=1, max_size=2, unique=True)


def satisfied(
    choice: Mapping[str, str], world: Mapping[str, Sequence[str]], asked: Sequence[str]
) -> bool:
    """Say whether a choice has all that is needed, in versions that everybody accepts."""
    needs = [*asked, *(text for name, v in choice.items() for text in world[f"{name} {v}"])]
    return all(text[0] in choice and holds(need(text).specifier, choice[text[0]]) for text in needs)


def choices(world: Mapping[str, Sequence[str]]) -> Iterator[dict[str, str]]:
    """Yield every way of choosing at most one release of each name."""
    options = [[None, *(v for v in VERSIONS if f"{name} {v}" in world)] for name in NAMES]
    for versions in product(*options):
        yield {n: v for n, v in zip(NAMES, versions, strict=True) if v is not None}


def outcome(
    request: ResolutionRequest, world: Mapping[str, Sequence[str]]
) -> Resolution | HarnestExtensionError:
    """Return what is chosen, or what is refused with."""
    try:
        return resolve(request, FakeReleases(world))
    except HarnestExtensionError as error:
        return error


@settings(deadline=None, max_examples=150)
@given(world=releases, asked=wanted)
def test_a_choice_is_right_and_a_refusal_is_true(
    world: dict[str, list[str]], asked: list[str]
) -> None:
    """What is chosen satisfies everything and holds nothing idle; what is refused has no way."""
    world = {release: [r for r in needs if r[0] != release[0]] for release, needs in world.items()}
    request = ResolutionRequest(wanted=tuple(map(need, asked)), host=HOST)
    answer = outcome(request, world)
    if isinstance(answer, HarnestExtensionError):
        ring = answer.rule == "resolution.ring"
        assert ring or not any(satisfied(choice, world, asked) for choice in choices(world))
        assert len(str(answer).splitlines()) <= 12
        return
    chosen = {str(name): item.candidate.version for name, item in answer.selected.items()}
    assert satisfied(chosen, world, asked)
    edges = {n: [r[0] for r in world[f"{n} {v}"]] for n, v in chosen.items()}
    assert not find_ring(edges)  # type: ignore[arg-type]
    reached, todo = set[str](), [text[0] for text in asked]
    while todo:
        name = todo.pop()
        if name not in reached:
            reached.add(name)
            todo += edges[name]
    assert reached == set(chosen)
    places = {name: place for place, name in enumerate(answer.order)}
    assert all(places[need] < places[name] for name, needs in edges.items() for need in needs)  # type: ignore[index]


@settings(deadline=None, max_examples=60)
@given(world=releases, asked=wanted)
def test_the_same_question_has_the_same_answer(
    world: dict[str, list[str]], asked: list[str]
) -> None:
    """The order in which a source lists its releases does not matter."""
    request = ResolutionRequest(wanted=tuple(map(need, asked)), host=HOST)

    answers = [outcome(request, items) for items in (world, dict(reversed(world.items())))]
    first, second = (
        str(answer)
        if isinstance(answer, HarnestExtensionError)
        else [str(item.candidate) for item in answer.selected.values()]
        for answer in answers
    )
    assert first == second


@settings(deadline=None, max_examples=300)
@given(world=releases, asked=wanted)
def test_the_straight_walk_chooses_what_the_search_chooses(
    world: dict[str, list[str]], asked: list[str]
) -> None:
    """Where the short way comes to an end at all, it comes to that of the long way."""
    world = {release: [r for r in needs if r[0] != release[0]] for release, needs in world.items()}
    request = ResolutionRequest(wanted=tuple(map(need, asked)), host=HOST)
    catalog = Catalog(request, FakeReleases(world))
    walked = walk_straight(catalog, Eligibility(catalog))
    if walked is not None:
        assert walked == search(catalog, Eligibility(catalog))
