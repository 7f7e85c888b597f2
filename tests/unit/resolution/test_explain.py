"""How a conflict is explained."""

from __future__ import annotations

import pytest

from harnest_ext import limits
from harnest_ext.errors import ExtensionNotFound, HarnestExtensionError, IncompatibleExtension
from harnest_ext.host import Host
from harnest_ext.resolution import ResolutionRequest, resolve
from tests.fakes.releases import FakeReleases, need

HOST = Host(harnest_version="1.0.0", python_version="3.11.4")


def refusal(releases: dict[str, list[str]], *wanted: str) -> HarnestExtensionError:
    """Return what resolving ends with, having checked that it keeps the bound of lines."""
    request = ResolutionRequest(wanted=tuple(map(need, wanted)), host=HOST)
    with pytest.raises(HarnestExtensionError) as caught:
        resolve(request, FakeReleases(releases))
    assert len(str(caught.value).splitlines()) <= limits.EXPLANATION_LINES
    return caught.value


def test_a_diamond_names_both_chains_and_the_clash() -> None:
    """Each chain goes from what was asked to the requirement that clashes."""
    error = refusal(
        {
            "a 1.0.0": ["b", "c"],
            "b 1.0.0": ["d<2"],
            "c 1.0.0": ["d>=2"],
            "d 1.0.0": [],
            "d 2.0.0": [],
        },
        "a",
    )
    assert isinstance(error, IncompatibleExtension)
    assert str(error) == (
        "d: b 1.0.0 and c 1.0.0 can't agree on one release of d. [resolution.conflict]\n"
        "    you asked for a -> a 1.0.0 needs b -> b 1.0.0 needs d<2\n"
        "    you asked for a -> a 1.0.0 needs c -> c 1.0.0 needs d>=2\n"
        "    d: known are 2.0.0, 1.0.0\n"
        "    remedy: No single change of what was asked makes it work; ask the maintainers of "
        "b 1.0.0, c 1.0.0 for releases that accept the same d."
    )


def test_two_pins_of_one_name_say_which_to_leave_out() -> None:
    """A contradiction in what was typed is told as one, with the change that works."""
    error = refusal({"a 1.0.0": [], "a 2.0.0": []}, "a==1.0.0", "a==2.0.0")
    assert error.kind == "resolution-conflict"
    assert error.remedy == "This would work: leave out a==1.0.0 (a 2.0.0)."


@pytest.mark.parametrize(
    "typed", [["a>=1,<1"], ["a==1,==2"], ["a==1.0.0", "a<1"], ["a>1,==1.*,<1"]]
)
def test_a_typed_range_without_any_version_is_a_conflict(typed: list[str]) -> None:
    """No release of the name, present or future, could satisfy it: it is not merely not found."""
    error = refusal({"a 1.0.0": []}, *typed)
    assert (error.kind, error.rule) == ("resolution-conflict", "resolution.empty-range")
    assert error.path == "a"
    assert error.got.startswith("a")


def test_an_empty_range_of_an_unknown_name_is_an_unknown_name() -> None:
    """What is wrong first is told first."""
    assert refusal({"a 1.0.0": []}, "b>=1,<1").problems[0].message == "b is not known."


def test_a_release_that_does_not_exist_proposes_the_one_that_does() -> None:
    """The nearest change was tried before it is proposed."""
    error = refusal({"a 1.0.0": []}, "a>=2")
    assert isinstance(error, ExtensionNotFound)
    assert error.kind == "not-found"
    assert "a: known are 1.0.0" in str(error)
    assert error.remedy == "This would work: ask for a instead of a>=2 (a 1.0.0)."


def test_a_missing_requirement_says_who_needs_it() -> None:
    """A name that nobody knows is not found, with the chain to it."""
    error = refusal({"a 1.0.0": ["gone>=1"]}, "a")
    assert (error.kind, error.rule) == ("not-found", "resolution.unknown")
    assert "you asked for a -> a 1.0.0 needs gone>=1" in str(error)


def test_every_unknown_name_is_told_at_once() -> None:
    """Typed names that nobody knows are told before anything is resolved."""
    error = refusal({"a 1.0.0": []}, "x", "a", "y")
    assert [problem.message for problem in error.problems] == ["x is not known.", "y is not known."]


def test_an_empty_range_is_a_conflict_of_one() -> None:
    """A range that no version can satisfy is told with its owner."""
    error = refusal({"a 1.0.0": ["b>=2,<1"], "b 1.0.0": []}, "a")
    assert error.kind == "resolution-conflict"
    assert "a 1.0.0 needs b>=2,<1, and there is no such release" in str(error)


def test_a_ring_is_named() -> None:
    """Extensions that require each other are refused with the ring."""
    error = refusal({"a 1.0.0": ["b"], "b 1.0.0": ["c"], "c 1.0.0": ["a"]}, "c")
    assert (error.kind, error.rule) == ("resolution-conflict", "resolution.ring")
    assert "a -> b -> c -> a" in str(error)


def test_a_ring_that_asks_for_another_version_of_itself_is_a_conflict() -> None:
    """The chain shows that it comes back to its start."""
    error = refusal({"a 1.0.0": ["b>=2"], "b 2.0.0": ["a>=2"]}, "a")
    assert error.kind == "resolution-conflict"
    assert "b 2.0.0 needs a>=2" in str(error)


@pytest.mark.parametrize("exact", [True, False])
def test_an_explosion_is_searched_and_names_the_end_of_the_chain(exact: bool) -> None:
    """10 names of 8 releases with no way out: refused within the bound of steps."""
    releases: dict[str, list[str]] = {"q 1.0.0": []}
    for level in range(10):
        for version in range(1, 9):
            target = f"p{level + 1}=={version}.0.0" if exact else f"p{level + 1}"
            releases[f"p{level} {version}.0.0"] = [target if level < 9 else "q==99"]
    error = refusal(releases, "p0")
    assert error.kind == "resolution-conflict"
    assert error.rule != "resolution.too-hard"
    assert "needs q==99" in str(error)
    assert "q: known are 1.0.0" in str(error)


def test_a_long_chain_is_cut_in_the_middle() -> None:
    """Root and clash stay; the number of links left out is told."""
    releases = {f"n{i} 1.0.0": [f"n{i + 1}"] for i in range(50)} | {
        "n50 1.0.0": ["q>1"],
        "q 1.0.0": [],
    }
    error = refusal(releases, "n0")
    (chain,) = [line for line in error.problems[0].details if "->" in line]
    assert chain.startswith("you asked for n0 -> ")
    assert chain.endswith("n50 1.0.0 needs q>1")
    assert "47 more" in chain


def test_a_search_beyond_the_bound_is_given_up() -> None:
    """A search that would take too long ends in a refusal of its own, not in a hang."""
    releases: dict[str, list[str]] = {}
    names = [f"x{i}" for i in range(9)]
    for at, name in enumerate(names):
        for version in range(1, 9):
            others = [f"{other}!={version}.0.0" for other in names[:at]]
            releases[f"{name} {version}.0.0"] = others
    error = refusal(releases, *names)
    assert (error.kind, error.rule) == ("resolution-conflict", "resolution.too-hard")


def test_the_same_conflict_is_explained_in_the_same_words() -> None:
    """The text depends on the releases, not on the order in which they are listed."""
    releases = {"a 1.0.0": ["d<2"], "a 2.0.0": ["d<1"], "b 1.0.0": ["d>=3"], "b 2.0.0": ["d>4"]}
    releases |= {f"d {i}.0.0": [] for i in range(1, 6)}
    first = str(refusal(releases, "a", "b"))
    assert first == str(refusal(dict(reversed(releases.items())), "a", "b"))
    assert "a" in first
    assert "b" in first
