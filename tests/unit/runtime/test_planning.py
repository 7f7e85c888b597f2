"""What is checked before anything is imported."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from harnest_ext.distributions import EnvironmentView
from harnest_ext.errors import LoadError
from harnest_ext.host import Host
from harnest_ext.identity import Slug
from harnest_ext.runtime import rules
from harnest_ext.runtime.candidate import Candidate, Origin
from harnest_ext.runtime.checking import objections
from harnest_ext.runtime.discovery import discover
from harnest_ext.runtime.planning import make_plan, without
from harnest_ext.store import Project
from tests.support.packages import PackageSpec
from tests.support.projects import extension, installed, relock

if TYPE_CHECKING:
    from harnest_ext.runtime.planning import Plan


def plan(project: Path, **options: object) -> Plan:
    """Return the plan of a project."""
    found = discover(Project.at(project), EnvironmentView())
    return make_plan(found, **options)  # type: ignore[arg-type]


def refusal(project: Path, **options: object) -> LoadError:
    """Return the refusal of a project."""
    with pytest.raises(LoadError) as caught:
        plan(project, **options)
    return caught.value


def test_a_project_without_extensions_has_an_empty_plan(agent: Path) -> None:
    """Nothing need be installed."""
    assert plan(agent).extensions == ()


def test_an_edited_copy_is_refused(tmp_path: Path) -> None:
    """A copy that differs from the lock in one byte is not loaded; the remedy says what to do."""
    project = installed(tmp_path, [extension("alpha"), extension("bravo")])
    file = project / "extensions" / "alpha" / "README.md"
    file.write_text(file.read_text() + " ")
    error = refusal(project)
    assert (error.kind, error.rule) == ("modified", "load.modified")
    assert error.expected != error.got
    assert "harnest extensions sync" in error.remedy


@pytest.mark.parametrize("extra", ["lib/more.py", "alpha.pyc", "lib/__init__.pyc", ".hidden"])
def test_a_copy_with_another_file_is_refused(tmp_path: Path, extra: str) -> None:
    """A file that nobody checked is not beside what is loaded, byte code least of all."""
    project = installed(tmp_path, [extension("alpha")])
    file = project / "extensions" / "alpha" / extra
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(b"")
    assert refusal(project).kind == "modified"


def test_python_caches_in_a_copy_are_no_change(tmp_path: Path) -> None:
    """``__pycache__`` folders are what other tools leave; they are ignored."""
    project = installed(tmp_path, [extension("alpha")])
    cache = project / "extensions" / "alpha" / "__pycache__"
    cache.mkdir()
    (cache / "extension.cpython-311.pyc").write_bytes(b"nonsense")
    assert [c.slug for c in plan(project).extensions] == ["alpha"]


def test_a_copy_that_is_not_there_is_named(tmp_path: Path) -> None:
    """The lock's promise of files that are gone is a refusal with the remedy."""
    project = installed(tmp_path, [extension("alpha")])
    (project / "extensions" / "alpha").rename(tmp_path / "elsewhere")
    error = refusal(project)
    assert (error.kind, error.rule) == ("missing", "load.missing")


def test_a_folder_that_is_not_locked_is_not_loaded(tmp_path: Path) -> None:
    """It is a note, not a failure."""
    project = installed(tmp_path, [extension("alpha"), extension("stray")])
    relock(project, [extension("alpha")])
    made = plan(project)
    assert [c.slug for c in made.extensions] == ["alpha"]
    assert [note.rule for note in made.notes] == ["load.not-in-lock"]


@pytest.mark.parametrize(
    ("fields", "kind", "expected"),
    [
        ({"harnest": ">=2"}, "incompatible-harnest", ">=2"),
        ({"requires_python": ">=4"}, "incompatible-python", ">=4"),
    ],
)
def test_ranges_of_host_and_python_hold(
    tmp_path: Path, fields: dict[str, str], kind: str, expected: str
) -> None:
    """An extension for another host is refused with the range and what runs here."""
    error = refusal(installed(tmp_path, [extension("alpha", **fields)]))
    assert (error.kind, error.expected) == (kind, expected)
    assert any(part in error.got for part in ("1.0.0", f"{sys.version_info.major}."))


def test_a_prerelease_host_is_within_a_range(tmp_path: Path) -> None:
    """Who runs a pre-release of Harnest asked for it."""
    project = installed(tmp_path, [extension("alpha", harnest=">=1.0.0a1,<2")])
    assert plan(project, host=Host(harnest_version="1.0.0rc1")).extensions


@pytest.mark.parametrize(
    ("requires", "rule"),
    [(("absent",), "load.missing-requirement"), (("bravo>=2",), "load.range")],
)
def test_requirements_must_be_there_in_range(
    tmp_path: Path, requires: tuple[str, ...], rule: str
) -> None:
    """A missing or wrong requirement is refused and the remedy is a command."""
    error = refusal(
        installed(tmp_path, [extension("alpha", requires=requires), extension("bravo")])
    )
    assert error.rule == rule
    assert error.expected == requires[0]
    assert "harnest extensions" in error.remedy


def test_a_ring_is_named(tmp_path: Path) -> None:
    """Requirements in a ring are refused with the ring spelt out."""
    error = refusal(
        installed(
            tmp_path,
            [
                extension("alpha", requires=("bravo",)),
                extension("bravo", requires=("charlie",)),
                extension("charlie", requires=("alpha",)),
                extension("delta", requires=("alpha",)),
            ],
        )
    )
    assert {problem.rule for problem in error.problems} == {"load.cycle"}
    assert error.got == "alpha -> bravo -> charlie -> alpha"
    assert [problem.path for problem in error.problems] == ["alpha", "bravo", "charlie", "delta"]


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    """One run names everything that is wrong."""
    error = refusal(
        installed(
            tmp_path,
            [extension("alpha", requires=("absent",)), extension("bravo", harnest=">=2")],
        )
    )
    assert {problem.kind for problem in error.problems} == {
        "resolution-conflict",
        "incompatible-harnest",
    }
    assert error.unchanged == "No extension is loaded."


def test_skipping_keeps_what_is_whole(tmp_path: Path) -> None:
    """A changed copy is left out, and what requires it."""
    project = installed(
        tmp_path, [extension("alpha"), extension("bravo", requires=("alpha",)), extension("calm")]
    )
    (project / "extensions" / "alpha" / "extension.py").write_text("")
    made = plan(project, on_broken="skip")
    assert [c.slug for c in made.extensions] == ["calm"]
    assert {name: p[0].rule for name, p in made.skipped.items()} == {
        "alpha": "load.modified",
        "bravo": "load.requires-skipped",
    }


def test_no_yaml_is_read_when_the_copy_equals_the_lock(tmp_path: Path) -> None:
    """The digest vouches for the lock's facts: a manifest that would not parse is never opened."""
    project = installed(tmp_path, [extension("alpha", files={"extension.yaml": "{: broken"})])
    assert [c.version for c in plan(project).extensions] == ["1.0.0"]


def test_a_lock_that_cannot_be_read_refuses_the_project(tmp_path: Path) -> None:
    """Without a lock nothing is known of the copies, so nothing is loaded."""
    project = installed(tmp_path, [PackageSpec(name="alpha")])
    (project / "harnest-extensions.lock").write_text("version = [")
    with pytest.raises(Exception, match="lock"):
        plan(project, on_broken="skip")


@given(
    clauses=st.lists(
        st.tuples(
            st.sampled_from(["==", "!=", ">=", "<=", ">", "<", "~=", "==="]),
            st.sampled_from(["", " "]),
            st.lists(st.integers(0, 3), min_size=1, max_size=4),
            st.sampled_from(["", "", "", ".*", "rc1", ".post1", "x"]),
        ),
        min_size=1,
        max_size=3,
    ),
    running=st.sampled_from(["0", "1", "1.0", "1.2", "1.2.0", "1.2.3", "2.0.0.0", "1.2rc1", "3+x"]),
)
def test_plain_ranges_are_held_as_packaging_holds_them(
    clauses: list[tuple[str, str, list[int], str]], running: str
) -> None:
    """Ranges of Harnest and Python that are compared without it give the same answers."""
    wanted = ",".join(
        f"{operator}{space}{'.'.join(map(str, numbers))}{suffix}"
        for operator, space, numbers, suffix in clauses
    )
    try:
        expected = SpecifierSet(wanted).contains(running, prereleases=True)
    except InvalidSpecifier:
        expected = False
    candidate = Candidate(
        slug=Slug("alpha"),
        version="1.0.0",
        folder=Path("alpha"),
        origin=Origin.LINKED,
        host_range=wanted,
    )
    assert (not objections(candidate, Host(harnest_version=running))) is expected


def test_what_failed_may_be_left_out_twice(tmp_path: Path) -> None:
    """Whoever waits for others, one after the other, is told of the same failure by each."""
    found = plan(
        installed(tmp_path, [extension("alpha"), extension("bravo", requires=("alpha",))]),
        on_broken="skip",
    )
    problem = rules.IMPORT_FAILED.problem("It failed.")
    once = without(found, Slug("alpha"), problem)
    twice = without(once, Slug("alpha"), problem)
    assert (once.extensions, set(once.skipped)) == ((), {"alpha", "bravo"})
    assert (twice, twice.identity) == (once, found.identity)
