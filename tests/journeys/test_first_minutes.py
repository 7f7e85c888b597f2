"""A newcomer's first minutes, from an installed wheel: a project, an extension, a program."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest

from tests.support.commands import snapshot
from tests.support.packages import PackageSpec, make_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.commands import Command


def test_from_nothing_to_a_program_that_runs(installed: Command, clone: Path) -> None:
    """Init, install and run print what the program prints, and nothing but that on stdout."""
    assert installed("init", "demo", cwd=clone).code == 0
    demo = clone / "demo"
    install = installed("extensions", "install", "../official-extensions/process", cwd=demo)
    assert install.code == 0, install.stderr
    run = installed("sandbox", "run", "python", "-c", "print(40*10)", cwd=demo)
    assert (run.code, run.stdout) == (0, "400\n"), run.stderr
    assert (demo / "harnest-extensions.lock").is_file()
    listed = installed("extensions", "list", cwd=demo)
    assert "process" in listed.stdout


@pytest.mark.docker
def test_the_same_in_docker(installed: Command, clone: Path, image: str) -> None:
    """With the docker sandbox the program runs in a container of the chosen image."""
    made = installed("init", "demo", "--sandbox", "docker", "--image", image, cwd=clone)
    assert made.code == 0, made.stderr
    demo = clone / "demo"
    install = installed("extensions", "install", "../official-extensions/docker", cwd=demo)
    assert install.code == 0, install.stderr
    run = installed("sandbox", "run", "python", "-c", "print(40*10)", cwd=demo)
    assert (run.code, run.stdout) == (0, "400\n"), run.stderr
    inside = installed(
        "sandbox",
        "run",
        "python",
        "-c",
        "import os; print(os.path.exists('/.dockerenv'))",
        cwd=demo,
    )
    assert inside.stdout == "True\n"


def test_the_program_decides_the_exit_status(installed: Command, clone: Path) -> None:
    """A program that exits 7 ends the command with 7, its stderr passed on."""
    installed("init", "demo", cwd=clone)
    demo = clone / "demo"
    installed("extensions", "install", "../official-extensions/process", cwd=demo)
    code = "import sys; print('so', file=sys.stderr); sys.exit(7)"
    run = installed("sandbox", "run", "python", "-c", code, cwd=demo)
    assert (run.code, run.stdout) == (7, "")
    assert "so\n" in run.stderr


def test_quickstart_says_what_it_does(installed: Command, tmp_path: Path) -> None:
    """One command makes a project, installs an extension, runs a program and says which and why."""
    done = installed("quickstart", tmp_path / "first", cwd=tmp_path)
    assert done.code == 0, done.stderr
    told = done.stdout + done.stderr
    assert "400" in done.stdout
    assert "process" in told or "docker" in told
    assert (tmp_path / "first" / "config.yaml").is_file()


def unknown_key(folder: Path) -> None:
    """Add a key that the manifest doesn't know."""
    manifest = folder / "extension.yaml"
    manifest.write_text(manifest.read_text() + "capabilites: [sandbox.provider]\n")


def duplicate_key(folder: Path) -> None:
    """Say the kind twice."""
    manifest = folder / "extension.yaml"
    manifest.write_text(manifest.read_text() + "kind: Extension\n")


def wrong_entry_point(folder: Path) -> None:
    """Let the entry point lead to another module."""
    project = folder / "pyproject.toml"
    project.write_text(project.read_text().replace(".extension:extension", ".main:extension"))


def version_mismatch(folder: Path) -> None:
    """Give manifest and metadata different versions."""
    project = folder / "pyproject.toml"
    project.write_text(project.read_text().replace('version = "1.0.0"', 'version = "1.0.1"'))


def symlink(folder: Path) -> None:
    """Put a link into the package, even to a file of its own."""
    (folder / "lib").mkdir()
    (folder / "lib" / "alias.py").symlink_to("../extension.py")


def stray_root_file(folder: Path) -> None:
    """Leave a module at the root, where it would not be copied."""
    (folder / "helpers.py").write_text('"""Forgotten."""\n')


def syntax_error(folder: Path) -> None:
    """Break a module of the library on its third line."""
    (folder / "lib").mkdir()
    (folder / "lib" / "broken.py").write_text('"""Broken."""\n\ndef f(:\n')


@pytest.mark.parametrize(
    ("breaks", "file", "line"),
    [
        (unknown_key, "extension.yaml", 5),
        (duplicate_key, "extension.yaml", 5),
        (wrong_entry_point, "pyproject.toml", None),
        (version_mismatch, "pyproject.toml", None),
        (symlink, "lib/alias.py", None),
        (stray_root_file, "helpers.py", None),
        (syntax_error, "lib/broken.py", 3),
    ],
)
def test_a_broken_folder_is_refused_by_name(
    installed: Command,
    agent: Path,
    tmp_path: Path,
    breaks: Callable[[Path], None],
    file: str,
    line: int | None,
) -> None:
    """Exit code 1, file, line and remedy are named, and the project is byte for byte as before."""
    package = make_folder(tmp_path / "source")
    breaks(package)
    before = snapshot(agent)
    refused = installed("extensions", "install", package, "--json", cwd=agent)
    assert refused.code == 1
    assert refused.error["path"].endswith(file)
    assert line is None or refused.error["line"] == line
    assert refused.error["remedy"]
    assert refused.error["rule"]
    assert snapshot(agent) == before
    told = installed("extensions", "install", package, cwd=agent)
    assert told.code == 1
    assert f"{file}:{line}:" in told.stderr if line else file in told.stderr
    assert "remedy:" in told.stderr
    assert "Traceback" not in told.stderr


TRIPWIRE = 'open(__import__("os").environ["TRIPWIRE"], "a").write(__file__ + "\\n")\n'


def test_managing_a_package_executes_nothing_of_it(
    installed: Command, agent: Path, tmp_path: Path
) -> None:
    """Check, install, list, show and uninstall leave every tripwire of a package untouched."""
    modules = ("setup.py", "conftest.py", "lib/__init__.py", "lib/work.py", "tools/search.py")
    extension = f"{TRIPWIRE}\nextension = None\n"
    manifest = PackageSpec().contents()["extension.yaml"].decode()
    package = make_folder(
        tmp_path / "source",
        PackageSpec(
            files={
                **dict.fromkeys(modules, TRIPWIRE),
                "extension.py": extension,
                "extension.yaml": f"{manifest}contributes: {{tools: [tools]}}\n"
                "capabilities: [content.tools]\n",
            }
        ),
    )
    fired = tmp_path / "fired"
    for arguments in (
        ("check", package),
        ("install", package),
        ("list",),
        ("show", "weather"),
        ("verify",),
        ("uninstall", "weather"),
    ):
        done = installed("extensions", *arguments, cwd=agent, TRIPWIRE=str(fired))
        assert done.code == 0, (arguments, done.stderr)
    assert not fired.exists()


def test_what_is_installed_belongs_to_the_user(
    installed: Command, agent: Path, tmp_path: Path
) -> None:
    """Copies have mode 0644, a program's 0755, in folders of mode 0755, whatever the source had."""
    package = make_folder(tmp_path / "source")
    (package / "extension.py").chmod(0o777)
    assert installed("extensions", "install", package, cwd=agent).code == 0
    copy = agent / "extensions" / "weather"
    files = {
        path.name: stat.S_IMODE(path.stat().st_mode) for path in copy.rglob("*") if path.is_file()
    }
    assert files.pop("extension.py") == 0o755
    assert set(files.values()) == {0o644}
    assert stat.S_IMODE(copy.stat().st_mode) == 0o755
