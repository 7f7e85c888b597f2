"""Which releases are chosen."""

from __future__ import annotations

import datetime as dt
import inspect
import sys
from typing import TYPE_CHECKING

import pytest

from harnest_ext.errors import ExtensionNotFound, IncompatibleExtension, SourceError
from harnest_ext.host import Host
from harnest_ext.identity import Slug
from harnest_ext.problem import Problem, Severity
from harnest_ext.resolution import Given, Installed, ResolutionRequest, resolve
from tests.fakes.releases import FakeReleases, candidate, facts, need

if TYPE_CHECKING:
    from harnest_ext.resolution import Resolution

HOST = Host(harnest_version="1.0.0", python_version="3.11.4")


def chosen(answer: Resolution) -> dict[str, str]:
    """Return the chosen versions by name."""
    return {slug: item.candidate.version for slug, item in answer.selected.items()}


def ask(releases: FakeReleases, *wanted: str, **request: object) -> Resolution:
    """Resolve what is typed."""
    made = ResolutionRequest(wanted=tuple(map(need, wanted)), host=HOST, **request)  # type: ignore[arg-type]
    return resolve(made, releases)


def installed(text: str, *requires: str, **changes: object) -> Installed:
    """Return an installed copy."""
    return Installed(
        candidate=candidate(text, installed=True),
        facts=facts(requires),
        **changes,  # type: ignore[arg-type]
    )


def test_the_newest_release_and_what_it_requires_are_chosen() -> None:
    """Missing requirements come along, in an order in which each stands after what it needs."""
    releases = FakeReleases(
        {"a 1.0.0": [], "a 1.1.0": ["c", "b"], "b 1.0.0": ["c<2"], "c 1.0.0": [], "c 2.0.0": []}
    )
    answer = ask(releases, "a")
    assert chosen(answer) == {"a": "1.1.0", "b": "1.0.0", "c": "1.0.0"}
    assert answer.order == ("c", "b", "a")
    assert answer.selected[Slug("c")].required_by == ("a", "b")


def test_an_older_release_is_chosen_when_the_newest_has_no_way() -> None:
    """A release whose requirement can't be met makes room for the one before it."""
    releases = FakeReleases({"a 1.0.0": ["b<2"], "a 2.0.0": ["b>=2"], "b 1.0.0": []})
    assert chosen(ask(releases, "a")) == {"a": "1.0.0", "b": "1.0.0"}


def test_a_release_for_another_harnest_is_passed_over_and_told() -> None:
    """The host range decides, and the newer release that it excluded is named."""
    releases = FakeReleases({"a 1.0.0": ["harnest<2"], "a 2.0.0": ["harnest>=2"]})
    answer = ask(releases, "a")
    assert chosen(answer) == {"a": "1.0.0"}
    (note,) = answer.notes
    assert note.severity is Severity.WARNING
    assert "a 2.0.0 needs Harnest >=2, this is 1.0.0" in note.message


@pytest.mark.parametrize(
    ("requires", "kind"),
    [(["harnest>=1.0"], "incompatible-harnest"), (["python>=3.14"], "incompatible-python")],
)
def test_a_host_outside_every_range_is_refused(requires: list[str], kind: str) -> None:
    """A release candidate of the host is below its release, and a Python may be too old."""
    request = ResolutionRequest(
        wanted=(need("a"),), host=Host(harnest_version="1.0.0rc1", python_version="3.11.4")
    )
    with pytest.raises(IncompatibleExtension) as caught:
        resolve(request, FakeReleases({"a 1.0.0": requires}))
    assert caught.value.kind == kind


def test_a_listed_range_of_the_host_spares_the_download() -> None:
    """What a source states beforehand is held against the host before facts are read."""
    releases = FakeReleases(
        {"a 1.0.0": [], "a 2.0.0": [], "a 3.0.0": []},
        {"a 3.0.0": {"host_range": ">=9"}, "a 2.0.0": {"requires_python": ">=4"}},
    )
    assert chosen(ask(releases, "a")) == {"a": "1.0.0"}
    assert releases.read == ["a 1.0.0"]


def test_prereleases_are_taken_only_when_asked() -> None:
    """By ``--pre``, by naming one, or by somebody's requirement that names one."""
    releases = FakeReleases({"a 1.0.0": [], "a 2.0.0rc1": [], "b 1.0.0": ["a>=2.0.0rc1"]})
    assert chosen(ask(releases, "a")) == {"a": "1.0.0"}
    assert chosen(ask(releases, "a", prereleases=True)) == {"a": "2.0.0rc1"}
    assert chosen(ask(releases, "a==2.0.0rc1")) == {"a": "2.0.0rc1"}
    assert chosen(ask(releases, "a", "b")) == {"a": "2.0.0rc1", "b": "1.0.0"}


def test_only_prereleases_is_not_found_and_names_the_way() -> None:
    """The refusal says that ``--pre`` would take it, having tried it."""
    with pytest.raises(ExtensionNotFound) as caught:
        ask(FakeReleases({"a 1.0.0rc1": []}), "a")
    assert (caught.value.kind, caught.value.rule) == ("not-found", "resolution.prerelease")
    assert "--pre" in caught.value.remedy
    assert "a 1.0.0rc1" in caught.value.remedy


def test_a_withdrawn_release_needs_an_exact_pin() -> None:
    """It is passed over, refused when it is all there is, and taken with a warning if pinned."""
    only = FakeReleases({"a 1.0.0": []}, {"a 1.0.0": {"yanked": "broken"}})
    with pytest.raises(IncompatibleExtension) as caught:
        ask(only, "a>=1")
    assert caught.value.kind == "yanked"
    assert "broken" in str(caught.value)
    answer = ask(only, "a==1.0.0")
    assert chosen(answer) == {"a": "1.0.0"}
    assert "was withdrawn by its publisher: broken" in answer.notes[0].message
    with pytest.raises(IncompatibleExtension):
        ask(only, "a==1.*")


def test_an_objection_of_the_source_refuses_in_its_own_words() -> None:
    """A file that its index can't vouch for is passed over; alone it refuses with its kind."""
    objection = Problem(kind="hash-missing", rule="index.hash", message="There is no sha256.")
    releases = FakeReleases({"a 1.0.0": [], "a 2.0.0": []}, {"a 2.0.0": {"objection": objection}})
    assert chosen(ask(releases, "a")) == {"a": "1.0.0"}
    with pytest.raises(SourceError) as caught:
        ask(releases, "a==2.0.0")
    assert (caught.value.kind, caught.value.rule) == ("hash-missing", "index.hash")


def test_cooldown_passes_over_young_and_undated_releases() -> None:
    """Only a release that is known to be old enough is taken from an index."""
    day = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    releases = FakeReleases(
        {"a 1.0.0": [], "a 2.0.0": [], "a 3.0.0": []},
        {"a 1.0.0": {"uploaded": day}, "a 2.0.0": {"uploaded": day + dt.timedelta(days=9)}},
    )
    assert chosen(ask(releases, "a", newest_upload=day)) == {"a": "1.0.0"}
    with pytest.raises(ExtensionNotFound) as caught:
        ask(releases, "a>1", newest_upload=day)
    assert caught.value.rule == "resolution.cooldown"


def test_what_is_installed_stays_unless_an_upgrade_is_asked() -> None:
    """No source is even asked about a name whose installed copy will do."""
    releases = FakeReleases({"a 1.0.0": [], "a 2.0.0": [], "b 1.0.0": ["a"]})
    have = (installed("a 1.0.0"),)
    answer = ask(releases, "b", installed=have)
    assert chosen(answer) == {"a": "1.0.0", "b": "1.0.0"}
    assert answer.selected[Slug("a")].candidate.installed
    assert releases.asked == ["b"]
    upgraded = ask(releases, "b", installed=have, upgrade=frozenset({Slug("a")}))
    assert chosen(upgraded) == {"a": "2.0.0", "b": "1.0.0"}


def test_an_upgrade_that_finds_nothing_newer_keeps_the_copy() -> None:
    """An upgrade never goes back to an older release by itself."""
    releases = FakeReleases({"a 1.0.0": []})
    answer = ask(releases, installed=(installed("a 2.0.0"),), upgrade=frozenset({Slug("a")}))
    assert answer.selected[Slug("a")].candidate.installed


def test_what_is_installed_changes_when_something_new_needs_it() -> None:
    """An installed copy that a new requirement excludes is replaced by a release that fits."""
    releases = FakeReleases({"a 1.0.0": [], "a 2.0.0": [], "b 1.0.0": ["a>=2"]})
    answer = ask(releases, "b", installed=(installed("a 1.0.0", requirement=need("a>=1")),))
    assert chosen(answer) == {"a": "2.0.0", "b": "1.0.0"}


def test_requirements_of_what_is_installed_hold() -> None:
    """A new release may not take away what an installed extension needs."""
    releases = FakeReleases({"a 1.0.0": [], "a 2.0.0": []})
    have = (installed("b 1.0.0", "a<2"), installed("a 1.0.0"))
    with pytest.raises(IncompatibleExtension) as caught:
        ask(releases, "a==2.0.0", installed=have)
    assert caught.value.kind == "resolution-conflict"
    assert "b 1.0.0 needs a<2" in str(caught.value)


def test_a_pin_holds_and_the_refusal_proposes_to_unpin() -> None:
    """A pinned copy is not replaced, whatever is asked."""
    releases = FakeReleases({"a 1.0.0": [], "a 2.0.0": []})
    have = (installed("a 1.0.0", pinned=True),)
    with pytest.raises(IncompatibleExtension) as caught:
        ask(releases, "a>=2", installed=have)
    assert "harnest extensions unpin a (a 2.0.0)" in caught.value.remedy


def test_a_copy_of_a_folder_is_replaced_only_when_it_is_named() -> None:
    """A folder's content exists nowhere else, so a requirement alone does not replace it."""
    releases = FakeReleases({"a 1.0.0": [], "a 2.0.0": [], "b 1.0.0": ["a>=2"]})
    have = (installed("a 1.0.0", replaceable=False),)
    with pytest.raises(IncompatibleExtension) as caught:
        ask(releases, "b", installed=have)
    assert "install a by name" in caught.value.remedy
    assert chosen(ask(releases, "b", "a", installed=have)) == {"a": "2.0.0", "b": "1.0.0"}


def test_a_package_that_is_handed_over_is_the_only_release_of_its_name() -> None:
    """A folder or wheel beats every source, and its requirements are looked up."""
    releases = FakeReleases({"a 9.0.0": [], "b 1.0.0": []})
    given = Given(candidate=candidate("a 0.1.0"), facts=facts(["b"]))
    assert chosen(ask(releases, given=(given,))) == {"a": "0.1.0", "b": "1.0.0"}


def test_without_dependencies_a_missing_requirement_refuses() -> None:
    """``--no-deps`` adds nothing, and what is installed still counts."""
    releases = FakeReleases({"a 1.0.0": ["b"], "b 1.0.0": []})
    with pytest.raises(IncompatibleExtension) as caught:
        ask(releases, "a", add_missing=False)
    assert caught.value.rule == "resolution.no-deps"
    assert "--no-deps" in caught.value.remedy
    answer = ask(releases, "a", add_missing=False, installed=(installed("b 1.0.0"),))
    assert chosen(answer) == {"a": "1.0.0", "b": "1.0.0"}


def test_the_higher_build_of_one_version_is_taken() -> None:
    """Of two wheels of one version the build tag decides."""
    releases = FakeReleases({"a 1.0.0": []})
    second = candidate("a 1.0.0", build=(2, ""), filename="second.whl")
    releases._candidates.append(second)
    assert ask(releases, "a").selected[Slug("a")].candidate is second


def test_a_chain_of_300_and_200_at_once_are_resolved() -> None:
    """Neither depth nor width meets a limit of the interpreter."""
    chain = {f"n{i} 1.0.0": [f"n{i + 1}"] if i < 299 else [] for i in range(300)}
    answer = ask(FakeReleases(chain), "n0")
    assert (len(answer.order), answer.order[0], answer.order[-1]) == (300, "n299", "n0")
    wide = {"a 1.0.0": [f"w{i}" for i in range(200)]} | {f"w{i} 1.0.0": [] for i in range(200)}
    assert len(ask(FakeReleases(wide), "a").order) == 201


def test_the_order_in_which_releases_are_listed_changes_nothing() -> None:
    """The same releases in another order give the same answer."""
    releases = {"a 1.0.0": ["b", "c"], "b 1.0.0": ["d<2"], "b 2.0.0": ["d<3"], "c 1.0.0": ["d>=1"]}
    releases |= {f"d {i}.0.0": [] for i in range(1, 5)}
    forward = ask(FakeReleases(releases), "a")
    backward = ask(FakeReleases(dict(reversed(releases.items()))), "a")
    assert (
        chosen(forward)
        == chosen(backward)
        == {"a": "1.0.0", "b": "2.0.0", "c": "1.0.0", "d": "2.0.0"}
    )
    assert forward.order == backward.order


def test_what_a_given_up_release_required_is_left_out() -> None:
    """A ring among requirements of a release that was given up neither stays nor loops."""
    releases = FakeReleases(
        {
            "a 2.0.0": ["b", "z>=9"],
            "a 1.0.0": [],
            "b 1.0.0": ["c"],
            "c 1.0.0": ["b"],
            "z 1.0.0": [],
        }
    )
    assert chosen(ask(releases, "a")) == {"a": "1.0.0"}


def test_a_chain_longer_than_the_interpreter_recurses_is_resolved() -> None:
    """No recursion stands in the way of a long chain."""
    length = 300
    releases = FakeReleases(
        {f"n{i} 1.0.0": [f"n{i + 1}"] if i + 1 < length else [] for i in range(length)}
    )
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + length // 2)
    try:
        assert len(chosen(ask(releases, "n0"))) == length
    finally:
        sys.setrecursionlimit(limit)
