"""``import harnest.extensions.<name>`` in ordinary programs, each a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.environments import install_wheel
from tests.support.projects import SANDBOX_FILE, echo_extension, extension, installed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(root: Path, tmp_path: Path) -> Run:
    """Run a Python program in a folder and return what it came to."""

    def run(*arguments: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("HARNEST")}
        environment |= {"PYTHONPATH": str(root), "XDG_CACHE_HOME": str(tmp_path / "cache")}
        return subprocess.run(
            [sys.executable, "-W", "error", *arguments],
            cwd=cwd,
            env=environment | variables,
            capture_output=True,
            text=True,
            timeout=400,
            check=False,
        )

    return run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with two extensions and a sandbox."""
    return installed(
        tmp_path,
        [echo_extension(), extension("alpha", requires=("echo",))],
        sandboxes={"python": SANDBOX_FILE.format(name="python", timeout=60)},
    )


WHOLE = """
import sys
from harnest.extensions.alpha import alpha
import harnest.extensions.echo as echo
assert echo.extension is sys.modules["harnest.extensions.echo"].echo
assert alpha.__class__.__module__ == "harnest.extensions.alpha"
print("fine")
"""


def test_a_script_in_the_project_activates_the_whole_set(run: Run, project: Path) -> None:
    """From a folder below the project, or by HARNEST_PROJECT from anywhere."""
    below = project / "tools"
    below.mkdir()
    for where, variables in ((below, {}), (project.parent, {"HARNEST_PROJECT": str(project)})):
        done = run("-c", WHOLE, cwd=where, **variables)
        assert (done.stdout, done.stderr) == ("fine\n", "")


def test_a_runtime_of_the_same_project_joins(run: Run, project: Path) -> None:
    """What was imported before is what the runtime starts; after its close it is still there."""
    program = """
from harnest.extensions.echo import echo
from harnest import context
from harnest_ext.runtime import AgentRuntime
with AgentRuntime(".") as runtime:
    assert runtime.running.active.loaded["echo"].extension is echo
    with runtime.invocation(agent_name="assistant"):
        print(context.sandboxes["python"].execute("echo joined").stdout, end="")
import harnest.extensions.echo as again
assert again.echo is echo
"""
    done = run("-c", program, cwd=project)
    assert (done.stdout, done.stderr) == ("joined\n", "")


def test_a_runtime_joins_although_a_distribution_is_broken(
    run: Run, project: Path, root: Path
) -> None:
    """What nobody asked for and failed is left out by both, and they are the same set."""
    site = project.parent / "site"
    install_wheel(site, extension("broken", "    1 / 0"))
    program = """
from harnest.extensions.echo import echo
from harnest_ext.runtime import AgentRuntime
with AgentRuntime(".") as runtime:
    assert runtime.running.active.loaded["echo"].extension is echo
    print([name for name in runtime.running.active.plan.skipped if name == "broken"])
"""
    done = run("-c", program, cwd=project, PYTHONPATH=f"{root}{os.pathsep}{site}")
    assert (done.stdout, done.stderr) == ("['broken']\n", "")


def test_without_a_project_the_environment_serves(run: Run, tmp_path: Path, root: Path) -> None:
    """An installed distribution can be imported in any folder."""
    site = tmp_path / "site"
    install_wheel(site, extension("weather"))
    program = "from harnest.extensions.weather import weather; print(weather)"
    done = run("-c", program, cwd=tmp_path, PYTHONPATH=f"{root}{os.pathsep}{site}")
    assert (done.stdout, done.stderr) == ("<Weather 'weather'>\n", "")


@pytest.mark.parametrize(
    "statement", ["import harnest.extensions.absent", "from harnest.extensions import absent"]
)
def test_what_is_not_installed_says_how_to_install_it(
    run: Run, tmp_path: Path, statement: str
) -> None:
    """The import error names the command."""
    program = f"""
try:
    {statement}
except ImportError as error:
    print(type(error).__name__, error)
"""
    done = run("-c", program, cwd=tmp_path)
    assert done.stdout.startswith("ExtensionImportError ")
    assert "harnest extensions install absent" in done.stdout
    assert done.returncode == 0


def test_a_broken_set_is_an_import_error_with_the_reason(run: Run, tmp_path: Path) -> None:
    """The broken extension is named by type; nothing of the set stays in memory."""
    project = installed(tmp_path, [extension("alpha"), extension("bravo", "    1 / 0")])
    program = """
import sys
try:
    import harnest.extensions.alpha
except ImportError as error:
    print(error)
print([m for m in sys.modules if m.startswith(("harnest.extensions.a", "harnest.extensions.b"))])
"""
    done = run("-c", program, cwd=project)
    assert "ZeroDivisionError" in done.stdout
    assert "division by zero" not in done.stdout
    assert done.stdout.rstrip().endswith("[]")


def test_threads_that_import_at_once_get_the_same_module(run: Run, project: Path) -> None:
    """No deadlock between import locks and the activation, and one activation."""
    program = """
import threading
seen, start = [], threading.Barrier(12)
def work(n):
    start.wait()
    if n % 2:
        from harnest.extensions.alpha import alpha as found
    else:
        import harnest.extensions.echo
        from harnest.extensions.alpha import alpha as found
    seen.append(found)
threads = [threading.Thread(target=work, args=(n,)) for n in range(12)]
[t.start() for t in threads]; [t.join(60) for t in threads]
print(len(seen), len(set(map(id, seen))))
"""
    for _ in range(3):
        done = run("-c", program, cwd=project)
        assert (done.stdout, done.stderr) == ("12 1\n", "")


def test_python_m_works_in_a_project(run: Run, project: Path) -> None:
    """A module of the agent that uses an extension can be run by name."""
    (project / "tools").mkdir()
    (project / "tools" / "say.py").write_text(
        "from harnest.extensions.echo import echo\nprint(echo)\n"
    )
    done = run("-m", "tools.say", cwd=project)
    assert (done.stdout, done.stderr) == ("<EchoExtension 'echo'>\n", "")


def test_a_module_of_an_extension_can_be_run(run: Run, tmp_path: Path) -> None:
    """``python -m harnest.extensions.<name>.<module>`` runs it inside the activated set."""
    files = {
        "lib/say.py": "import sys\nfrom .. import alpha\nprint(__name__, alpha, sys.argv[1:])\n"
    }
    project = installed(tmp_path, [extension("alpha", files=files)])
    done = run("-m", "harnest.extensions.alpha.lib.say", "x", cwd=project)
    assert (done.stdout, done.stderr) == ("__main__ <Alpha 'alpha'> ['x']\n", "")


@pytest.mark.slow
def test_pytest_collects_in_a_project(run: Run, project: Path) -> None:
    """Tests of an agent import its extensions and sandboxes; the copies are no tests."""
    (project / "test_agent.py").write_text(
        "from harnest.extensions.echo import echo\nfrom harnest_ext.runtime import AgentRuntime\n"
        "from harnest import context\n\n"
        "def test_it():\n    with AgentRuntime('.') as runtime:\n"
        "        with runtime.invocation(agent_name='assistant'):\n"
        "            assert context.sandboxes['python'].execute('exit 3').exit_code == 3\n"
    )
    without = ("-p", "no:asyncio", "-p", "no:langsmith_plugin")
    for mode in ("prepend", "importlib"):
        done = run("-m", "pytest", "-q", *without, f"--import-mode={mode}", cwd=project)
        assert "1 passed" in done.stdout, done.stdout + done.stderr


def test_importing_the_contract_loads_no_runtime(run: Run, tmp_path: Path) -> None:
    """Who imports no extension pays for none of the runtime."""
    program = """
import sys
import harnest.extensions, harnest.context, harnest.credentials, harnest.continuation
print([m for m in sys.modules if m.startswith(("harnest_ext", "yaml", "pydantic", "sqlite3"))])
"""
    done = run("-c", program, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_an_activation_of_copies_needs_the_standard_library_alone(run: Run, tmp_path: Path) -> None:
    """Neither plain ranges nor the place of the cache take what is slow to import."""
    alpha = extension("alpha", harnest=">=1,<2", requires_python=">=3.11", requires=("bravo",))
    project = installed(tmp_path, [alpha, extension("bravo")])
    program = """
import sys
import harnest.extensions.alpha
print([name for name in ("asyncio", "logging", "importlib.resources") if name in sys.modules])
"""
    for _ in ("compiled", "kept"):
        done = run("-S", "-c", program, cwd=project)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_what_was_left_out_says_why_and_the_others_are_there(
    run: Run, project: Path, root: Path
) -> None:
    """Whoever imports the broken one first; a second try gets the same answer."""
    site = project.parent / "site"
    install_wheel(site, extension("broken", "    1 / 0"))
    program = """
for _ in range(2):
    try:
        import harnest.extensions.broken
    except ImportError as error:
        print(type(error).__name__, "ZeroDivisionError" in str(error), "by zero" in str(error))
    from harnest.extensions.alpha import alpha
print(alpha)
"""
    done = run("-c", program, cwd=project, PYTHONPATH=f"{root}{os.pathsep}{site}")
    refused = "ExtensionImportError True False\n"
    assert (done.stdout, done.stderr) == (f"{refused}{refused}<Alpha 'alpha'>\n", "")
