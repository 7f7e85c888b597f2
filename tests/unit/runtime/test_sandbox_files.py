"""The files that declare sandboxes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from harnest import context
from harnest_ext.errors import LoadError
from tests.support.projects import SANDBOX_FILE, echo_extension, installed
from tests.support.recorder import EVENTS
from tests.support.runtimes import open_runtime, shown

if TYPE_CHECKING:
    from pathlib import Path

OWN = '''"""A sandbox without an extension."""

from harnest.sandbox import Sandbox, SandboxResult


class Provider:
    def execute(self, request):
        return SandboxResult(stdout=request.code)


{name} = Sandbox.provider(Provider, name="own")
'''


def declared(parent: Path, **files: str) -> Path:
    """Return a project with these sandbox files."""
    return installed(parent, [echo_extension()], sandboxes=files)


def test_a_file_declares_the_sandbox_of_its_name(tmp_path: Path) -> None:
    """Providers of extensions and the project's own work alike; ``_*.py`` are helpers."""
    project = declared(
        tmp_path,
        python=SANDBOX_FILE.format(name="python", timeout=60),
        own="from ._shared import Provider\n" + OWN.format(name="own").split("\n\n\n")[-1],
        _shared=OWN.format(name="anything"),
    )
    own = project / "sandbox" / "own.py"
    own.write_text("from harnest.sandbox import Sandbox\n" + own.read_text())
    (project / "sandbox" / "notes.txt").write_text("no Python")
    with open_runtime(project) as runtime:
        declared_names = list(runtime.running.catalog.declared)
        assert declared_names == ["own", "python"]
        with runtime.invocation(agent_name="assistant"):
            assert context.sandboxes["own"].execute("hello").stdout == "hello"


@pytest.mark.parametrize("module", ["absent", "absent.lib.deep"])
def test_a_file_that_needs_another_extension_says_how_to_get_it(
    tmp_path: Path, module: str
) -> None:
    """The refusal names the extension and the command, as it is for a project not yet completed."""
    project = declared(tmp_path, python=f"from harnest.extensions.{module} import x\n")
    with pytest.raises(LoadError) as caught, open_runtime(project) as runtime:
        runtime.start()
    [problem] = caught.value.problems
    assert problem.message == (
        "sandbox/python.py needs the extension 'absent', which is not loaded here."
    )
    assert "'harnest extensions install absent'" in problem.remedy


@pytest.mark.parametrize(
    "name", ["harnest.extensions.hunter 2", "harnest.extensions.echo", "other"]
)
def test_an_import_error_that_names_no_absent_extension_is_shown_by_type(
    tmp_path: Path, name: str
) -> None:
    """What a file makes of the exception's own fields is not shown either."""
    project = declared(tmp_path, python=f"raise ImportError('hunter2', name={name!r})\n")
    with pytest.raises(LoadError) as caught, open_runtime(project) as runtime:
        runtime.start()
    assert "could not be imported: ImportError." in str(caught.value)
    assert "hunter" not in shown(caught.value)


def test_a_file_may_take_from_another_sandbox_file(tmp_path: Path) -> None:
    """Both names then mean the same declaration, imported once."""
    project = declared(
        tmp_path, alpha="from .bravo import bravo as alpha\n", bravo=OWN.format(name="bravo")
    )
    with open_runtime(project) as runtime:
        found = runtime.running.catalog.declared
        assert found["alpha"] is found["bravo"]


@pytest.mark.parametrize(
    ("source", "rule", "line", "got"),
    [
        ("x = 1\n", "sandbox.export", None, "no such variable"),
        ("python = 1\n", "sandbox.export", None, "int"),
        ("x = 1\nraise ValueError('hunter2')\n", "sandbox.import", 2, "ValueError"),
        ("x = 1\n\ndef oops(:\n", "sandbox.import", 3, "SyntaxError"),
        ("raise SystemExit(3)\n", "sandbox.import", 1, "SystemExit"),
        ("from harnest.extensions.absent import x\n", "sandbox.import", 1, "ExtensionImportError"),
    ],
)
def test_a_file_that_declares_nothing_refuses_the_project(
    tmp_path: Path, source: str, rule: str, line: int | None, got: str
) -> None:
    """It is told with file and line, never with the exception's text; skipping goes on without."""
    project = declared(tmp_path, python=source)
    with pytest.raises(LoadError) as caught:
        open_runtime(project).start()
    error = caught.value
    assert (error.rule, error.path, error.line) == (rule, "sandbox/python.py", line)
    assert error.got == got
    assert "hunter2" not in shown(error)
    with open_runtime(project, on_broken="skip") as runtime:
        assert [note.rule for note in runtime.notes] == [rule]
        with runtime.invocation(agent_name="assistant"):
            assert "python" not in context.sandboxes
            with pytest.raises(context.ContextResourceError, match="can't be used"):
                context.sandboxes["python"]


@pytest.mark.parametrize("name", ["my-python", "a" * 48, "9lives", "naïve", "a.b"])
def test_a_name_that_is_no_identifier_is_refused(tmp_path: Path, name: str) -> None:
    """Names are 1 to 47 letters, digits and underscores, from a letter on."""
    with pytest.raises(LoadError) as caught:
        open_runtime(declared(tmp_path, **{name: "x = 1"})).start()
    assert caught.value.rule == "sandbox.file"


def test_the_longest_name_is_taken(tmp_path: Path) -> None:
    """47 characters are the most."""
    name = "a" * 47
    with open_runtime(declared(tmp_path, **{name: OWN.format(name=name)})) as runtime:
        assert list(runtime.running.catalog.declared) == [name]


@pytest.mark.parametrize("target", ["elsewhere.py", "absent.py"])
def test_a_link_is_refused(tmp_path: Path, target: str) -> None:
    """A declaration lies in the project itself."""
    project = declared(tmp_path, other=OWN.format(name="other"))
    (tmp_path / "elsewhere.py").write_text(OWN.format(name="python"))
    (project / "sandbox" / "python.py").symlink_to(tmp_path / target)
    with pytest.raises(LoadError) as caught:
        open_runtime(project).start()
    assert (caught.value.rule, caught.value.path) == ("sandbox.file", "sandbox/python.py")


def test_a_provider_of_an_extension_needs_its_capability(tmp_path: Path) -> None:
    """An extension that does not declare ``sandbox.provider`` runs no code for agents."""
    project = installed(
        tmp_path,
        [echo_extension(capabilities=())],
        sandboxes={"python": SANDBOX_FILE.format(name="python", timeout=60)},
    )
    with pytest.raises(LoadError, match=r"sandbox\.provider") as caught:
        open_runtime(project).start()
    assert caught.value.rule == "sandbox.capability"


def test_declaring_and_opening_builds_no_provider(tmp_path: Path) -> None:
    """The factory is called at the first execution, once for each agent."""
    source = (
        "from harnest.sandbox import Sandbox, SandboxResult\n"
        "from tests.support.recorder import EVENTS\n"
        "class Provider:\n    def __init__(self):\n        EVENTS.append('built')\n"
        "    def execute(self, request):\n        return SandboxResult()\n"
        "    def close(self):\n        EVENTS.append('closed')\n"
        "python = Sandbox.provider(Provider)\n"
    )
    EVENTS.clear()
    project = declared(tmp_path, python=source)
    config = project / "config.yaml"
    config.write_text(config.read_text() + "    - {name: second, sandboxes: [python]}\n")
    with open_runtime(project) as runtime:
        assert EVENTS == []
        for agent in ("assistant", "second", "assistant"):
            with runtime.invocation(agent_name=agent):
                context.sandboxes["python"].execute("x")
        assert EVENTS == ["built", "built"]
    assert EVENTS == ["built", "built", "closed", "closed"]
    EVENTS.clear()


def test_every_provider_is_closed_and_failures_are_named(tmp_path: Path) -> None:
    """A close that raises keeps no other provider open."""
    source = (
        "from harnest.sandbox import Sandbox, SandboxResult\n"
        "from tests.support.recorder import EVENTS\n"
        "class Provider:\n    def execute(self, request):\n        return SandboxResult()\n"
        "    def close(self):\n        EVENTS.append('{name}')\n        {then}\n"
        "{name} = Sandbox.provider(Provider)\n"
    )
    EVENTS.clear()
    project = declared(
        tmp_path,
        alpha=source.format(name="alpha", then="raise OSError('hunter2')"),
        bravo=source.format(name="bravo", then="pass"),
    )
    runtime = open_runtime(project)
    runtime.start()
    with runtime.invocation(agent_name="assistant"):
        for name in ("alpha", "bravo"):
            context.sandboxes[name].execute("x")
    with pytest.raises(LoadError) as caught:
        runtime.close()
    assert sorted(EVENTS) == ["alpha", "bravo"]
    assert "'alpha'" in str(caught.value)
    assert "hunter2" not in shown(caught.value)
    EVENTS.clear()


def test_an_interrupted_import_leaves_nothing_to_the_next(tmp_path: Path) -> None:
    """After Ctrl-C the files are imported anew, not taken from what was left half done."""
    project = declared(tmp_path, python="raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        open_runtime(project).start()
    assert not [name for name in sys.modules if name.startswith("harnest_project_sandbox")]
    (project / "sandbox" / "python.py").write_text(OWN.format(name="python"))
    with open_runtime(project) as runtime:
        assert list(runtime.running.catalog.declared) == ["python"]


def test_a_file_that_exits_is_broken(tmp_path: Path) -> None:
    """Whatever it raises, its text is not shown."""
    project = declared(tmp_path, python="raise BaseException('hunter2-is-secret')\n")
    with pytest.raises(LoadError, match="could not be imported: BaseException") as caught:
        open_runtime(project).start()
    assert "hunter2" not in shown(caught.value)
