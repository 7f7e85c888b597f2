"""Activation: whole or not at all, counted, one set per process."""

from __future__ import annotations

import importlib
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

import harnest.extensions
from harnest.extensions import ExtensionImportError
from harnest_ext.distributions import EnvironmentView
from harnest_ext.errors import LoadError
from harnest_ext.runtime.activation import ActiveSet, activate, active_set, claim
from harnest_ext.runtime.discovery import discover
from harnest_ext.runtime.planning import make_plan
from harnest_ext.store import Project
from tests.support.projects import extension, installed
from tests.support.recorder import EVENTS, WAITING
from tests.support.runtimes import shown
from tests.support.waiting import LONG, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from harnest_ext.runtime.planning import OnBroken, Plan
    from tests.support.packages import PackageSpec


def plan_of(
    parent: Path, *specs: PackageSpec, on_broken: OnBroken = "raise", name: str = "demo"
) -> Plan:
    """Return the plan of a project with these extensions."""
    project = Project.at(installed(parent, specs, name=name))
    return make_plan(discover(project, EnvironmentView()), on_broken=on_broken)


def loaded_names() -> list[str]:
    """Return the loaded modules of extensions, in loading order."""
    prefix = "harnest.extensions."
    return [n for n in sys.modules if n.startswith(prefix) and not n.startswith(f"{prefix}_")]


def failing(name: str, line: str, **fields: object) -> PackageSpec:
    """Return an extension whose module raises in its class body."""
    return extension(name, f"    {line}", **fields)


def test_what_is_needed_is_loaded_first_and_ties_go_by_name(tmp_path: Path) -> None:
    """Requirements come before what requires them; otherwise the alphabet decides."""
    plan = plan_of(
        tmp_path,
        extension("alpha", requires=("zulu",)),
        extension("bravo"),
        extension("zulu", requires=("yankee>=1,<2",)),
        extension("yankee"),
    )
    active = activate(plan)
    assert list(active.loaded) == ["bravo", "yankee", "zulu", "alpha"]
    assert loaded_names() == [f"harnest.extensions.{name}" for name in active.loaded]
    active.release()


def test_a_loaded_extension_is_an_attribute_of_the_namespace_until_release(tmp_path: Path) -> None:
    """The module is reachable as import statements make it, and gone afterwards."""
    active = activate(plan_of(tmp_path, extension("alpha")))
    module = importlib.import_module("harnest.extensions.alpha")
    assert harnest.extensions.alpha is module  # type: ignore[attr-defined]
    assert module.alpha is module.extension is active.loaded["alpha"].extension  # type: ignore[index]
    active.release()
    assert not hasattr(harnest.extensions, "alpha")


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("raise ValueError('hunter2')", "ValueError"),
        ("import nowhere_to_be_found", "ModuleNotFoundError"),
        ("raise SystemExit('hunter2')", "SystemExit"),
        ("1 / 0", "ZeroDivisionError"),
    ],
)
def test_a_failure_takes_everything_back_and_tells_the_type_and_place_alone(
    tmp_path: Path, line: str, kind: str
) -> None:
    """No module of the set stays; the text has neither message nor a way to the original."""
    plan = plan_of(tmp_path, extension("alpha"), failing("bravo", line), extension("charlie"))
    with pytest.raises(LoadError) as caught:
        activate(plan)
    error = caught.value
    assert (error.kind, error.rule, error.got) == ("load-failed", "load.import", kind)
    assert error.path.endswith("extensions/bravo/extension.py")
    assert error.line == 9
    assert "hunter2" not in str(error)
    assert error.__cause__ is None
    assert error.__context__ is None
    assert loaded_names() == []
    assert active_set() is None


def test_a_syntax_error_is_told_with_its_line(tmp_path: Path) -> None:
    """A file that a damaged copy can't parse is named with the line."""
    plan = plan_of(tmp_path, extension("alpha", files={"lib/broken.py": "x = 1\ndef oops(:\n"}))
    (plan.extensions[0].folder / "extension.py").write_text("from .lib import broken\n")
    with pytest.raises(LoadError) as caught:
        activate(plan)
    assert (caught.value.got, caught.value.line) == ("SyntaxError", 2)
    assert caught.value.path.endswith("lib/broken.py")


def test_an_exception_type_named_like_a_secret_is_not_told(tmp_path: Path) -> None:
    """A type can be made with any text as its name; such a name is not repeated."""
    body = "raise type('pass word: hunter2', (Exception,), {})()"
    with pytest.raises(LoadError) as caught:
        activate(plan_of(tmp_path, failing("alpha", body)))
    assert "hunter2" not in str(caught.value)
    assert caught.value.got == "an exception"


def test_the_same_set_is_counted(tmp_path: Path) -> None:
    """Whoever activates it again gets the same objects; the last release removes them."""
    plan = plan_of(tmp_path, extension("alpha"))
    first, second = activate(plan), activate(plan)
    assert first is second
    first.release()
    assert loaded_names() == ["harnest.extensions.alpha"]
    second.release()
    assert loaded_names() == []


def test_another_set_is_refused_while_one_is_active(tmp_path: Path) -> None:
    """The refusal says what is active and what was asked for; afterwards it loads."""
    active = activate(plan_of(tmp_path, extension("alpha")))
    other = plan_of(tmp_path, extension("bravo"), name="other")
    with pytest.raises(LoadError) as caught:
        activate(other)
    assert (caught.value.kind, caught.value.expected, caught.value.got) == (
        "busy",
        "alpha 1.0.0",
        "bravo 1.0.0",
    )
    active.release()
    activate(other).release()


def test_a_new_activation_makes_new_objects(tmp_path: Path) -> None:
    """A released set leaves nothing that the next one would meet."""
    plan = plan_of(tmp_path, extension("alpha"))
    first = activate(plan)
    before = first.loaded["alpha"].extension  # type: ignore[index]
    first.release()
    second = activate(plan)
    assert second.loaded["alpha"].extension is not before  # type: ignore[index]
    second.release()


def test_many_threads_get_one_set(tmp_path: Path) -> None:
    """Sixteen threads that activate at once load each module once."""
    body = "    import builtins\n    builtins.loads = getattr(builtins, 'loads', 0) + 1"
    plan = plan_of(tmp_path, extension("alpha", body), extension("bravo"))
    start = threading.Barrier(16)

    def run(_: int) -> object:
        start.wait(LONG)
        return activate(plan)

    import builtins  # noqa: PLC0415 - the test counts through it

    try:
        with ThreadPoolExecutor(16) as pool:
            sets = list(pool.map(run, range(16)))
        assert len(set(map(id, sets))) == 1
        assert builtins.loads == 1  # type: ignore[attr-defined]
    finally:
        del builtins.loads  # type: ignore[attr-defined]
    for each in sets:
        each.release()  # type: ignore[attr-defined]


def test_threads_that_wait_for_a_failing_set_are_told(tmp_path: Path) -> None:
    """When the loading thread fails, every thread that asked gets a LoadError."""
    plan = plan_of(tmp_path, failing("alpha", "import time; time.sleep(0.05); 1 / 0"))
    start = threading.Barrier(8)

    def run(_: int) -> BaseException | None:
        start.wait(LONG)
        try:
            activate(plan)
        except LoadError as error:
            return error
        return None

    with ThreadPoolExecutor(8) as pool:
        errors = list(pool.map(run, range(8)))
    assert [isinstance(error, LoadError) for error in errors] == [True] * 8


def test_threads_that_may_skip_go_on_without_what_failed(tmp_path: Path) -> None:
    """All of them get the one set that is left, with the reason of what is not in it."""
    plan = plan_of(
        tmp_path,
        extension("alpha"),
        failing("bravo", "import time; time.sleep(0.05); 1 / 0"),
        on_broken="skip",
    )
    start = threading.Barrier(8)

    def run(_: int) -> ActiveSet:
        start.wait(LONG)
        return activate(plan)

    with ThreadPoolExecutor(8) as pool:
        sets = list(pool.map(run, range(8)))
    assert len(set(map(id, sets))) == 1
    assert list(sets[0].loaded) == ["alpha"]
    assert sets[0].plan.skipped["bravo"][0].got == "ZeroDivisionError"  # type: ignore[index]
    for each in sets:
        each.release()
    assert loaded_names() == []


def test_who_tolerates_nothing_does_not_join_a_set_without_it(tmp_path: Path) -> None:
    """The refusal is the reason of what was left out; the active set stays."""
    project = installed(tmp_path, [extension("alpha"), failing("bravo", "1 / 0")])
    found = discover(Project.at(project), EnvironmentView())
    active = activate(make_plan(found, on_broken="skip"))
    with pytest.raises(LoadError) as caught:
        activate(make_plan(found))
    assert (caught.value.rule, caught.value.got) == ("load.import", "ZeroDivisionError")
    assert activate(make_plan(found, on_broken="skip")) is active
    active.release()
    active.release()


def test_an_extension_can_import_the_one_that_it_requires(tmp_path: Path) -> None:
    """``harnest.extensions.<other>`` works inside an extension, and its export is not its own."""
    body = "    from harnest.extensions.bravo import bravo as needed"
    active = activate(
        plan_of(tmp_path, extension("alpha", body, requires=("bravo",)), extension("bravo"))
    )
    alpha = sys.modules["harnest.extensions.alpha"]
    assert alpha.Alpha.needed is sys.modules["harnest.extensions.bravo"].extension
    active.release()


def test_skipping_leaves_out_what_fails_and_all_that_requires_it(tmp_path: Path) -> None:
    """The others load; each reason is kept."""
    active = activate(
        plan_of(
            tmp_path,
            failing("alpha", "1 / 0"),
            extension("bravo", requires=("alpha",)),
            extension("charlie", requires=("bravo",)),
            extension("delta"),
            on_broken="skip",
        )
    )
    assert list(active.loaded) == ["delta"]
    assert {name: problems[0].rule for name, problems in active.plan.skipped.items()} == {
        "alpha": "load.import",
        "bravo": "load.requires-skipped",
        "charlie": "load.requires-skipped",
    }
    assert loaded_names() == ["harnest.extensions.delta"]
    active.release()


WAITS = (
    "from tests.support import recorder; from tests.support.waiting import LONG; "
    "recorder.EVENTS.append('entered'); recorder.WAITING.wait(LONG); 1 / 0"
)
"""An extension that fails when it is told to."""


@pytest.fixture
def entered() -> Iterator[Callable[[], bool]]:
    """Whether such an extension is being imported."""
    EVENTS.clear()
    WAITING.clear()
    yield lambda: "entered" in EVENTS
    EVENTS.clear()
    WAITING.set()


def test_a_module_that_was_imported_early_is_the_one_of_the_set(
    tmp_path: Path, entered: Callable[[], bool]
) -> None:
    """Another thread may import an extension before the set is whole, and something else fail."""
    plan = plan_of(tmp_path, failing("alpha", WAITS), extension("bravo"), on_broken="skip")
    with ThreadPoolExecutor(1) as pool:
        loading = pool.submit(activate, plan)
        until(entered)
        early = importlib.import_module("harnest.extensions.bravo")
        WAITING.set()
        active = loading.result(LONG)
    assert early is sys.modules["harnest.extensions.bravo"]
    assert [each.extension for each in active.loaded.values()] == [early.extension]
    active.release()


def test_who_waits_is_not_given_a_set_without_what_it_needs(
    tmp_path: Path, entered: Callable[[], bool]
) -> None:
    """A thread that may skip loads; one that may not waits for it, and counts no more then."""
    project = installed(tmp_path, [failing("alpha", WAITS), extension("bravo")])
    found = discover(Project.at(project), EnvironmentView())
    with ThreadPoolExecutor(2) as pool:
        loading = pool.submit(activate, make_plan(found, on_broken="skip"))
        until(entered)
        joined, fresh = claim(strict := make_plan(found))
        assert not fresh
        waiting = pool.submit(joined.wait, strict)
        WAITING.set()
        assert list(loading.result(LONG).loaded) == ["bravo"]
        with pytest.raises(LoadError, match="'alpha' could not be imported: ZeroDivisionError"):
            waiting.result(LONG)
    loading.result().release()
    assert loaded_names() == []


def test_an_early_import_hides_what_the_extension_raised(
    tmp_path: Path, entered: Callable[[], bool]
) -> None:
    """The loading thread has not come to it yet."""
    broken = failing("bravo", "int('hunter2-is-secret')")
    plan = plan_of(
        tmp_path,
        failing("alpha", WAITS.replace("1 / 0", "pass")),
        broken,
        on_broken="skip",
    )
    with ThreadPoolExecutor(1) as pool:
        loading = pool.submit(activate, plan)
        until(entered)
        with pytest.raises(
            ExtensionImportError, match="bravo could not be imported: ValueError"
        ) as caught:
            importlib.import_module("harnest.extensions.bravo")
        WAITING.set()
        active = loading.result(LONG)
    assert "hunter2" not in shown(caught.value)
    assert active.plan.skipped["bravo"][0].got == "ValueError"  # type: ignore[index]
    active.release()
