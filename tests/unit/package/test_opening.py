"""Opening a package: one door, all problems, and the bytes that were inspected."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from harnest_ext import limits
from harnest_ext.errors import ExtensionNotFound, IncompatibleExtension, InvalidExtension
from harnest_ext.host import Host
from harnest_ext.package import check_package, digest_of_folder, open_package
from tests.corpus.cases import METADATA, PROJECT, Demo, manifest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from harnest_ext.package import ExtensionPackage

HOST = Host(harnest_version="1.0.0", python_version="3.11.7")


def copied(package: ExtensionPackage, target: Path) -> Path:
    """Copy a package as an installation does."""
    for file in package.files:
        path = target / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(package.read(file.path)))
    return target


def test_a_folder_gives_its_facts(tmp_path: Path) -> None:
    """Name, version, ranges, requirements, files and digest of what would be copied."""
    demo = Demo(
        files={
            "extension.yaml": manifest(requires=" {extensions: ['rag>=0.1', hatchet]}"),
            "pyproject.toml": PROJECT.replace(
                '"httpx>=0.27"',
                '"httpx>=0.27", "harnest-extension-rag<1", "x; extra == \'y\'", "HARNEST>=1.0"',
            ),
            "tests/test_x.py": "",
        }
    )
    path = demo.write_folder(tmp_path / "anything")
    with open_package(path, host=HOST) as package:
        assert (package.slug, package.version, package.location) == ("demo", "1.0.0", path)
        assert (package.requires_python, package.host_range) == (">=3.11", ">=1,>=1.0,<2")
        assert package.dependencies == ("httpx>=0.27",)
        assert [str(r) for r in package.extension_requirements] == ["hatchet", "rag>=0.1,<1"]
        assert package.capabilities == ("context.credentials",)
        assert package.archive is None
        assert [file.path for file in package.files] == [
            *("README.md", "extension.py", "extension.yaml", "lib/__init__.py"),
            *("lib/client.py", "lib/helper.py", "pyproject.toml"),
        ]
        assert digest_of_folder(copied(package, tmp_path / "copy")).digest == package.digest


def test_a_wheel_gives_its_facts_and_a_project_file(tmp_path: Path) -> None:
    """A copy of a wheel states what its metadata stated, host-owned requirements left out."""
    text = METADATA.replace(
        "harnest<2,>=1", 'harnest<2,>=1\nRequires-Dist: httpx>=0.27; python_version > "3"'
    ).replace("A sample\n", 'A "sample"\n')
    path = Demo(info={"METADATA": text}).write_wheel(tmp_path)
    with open_package(path, host=HOST) as package:
        assert package.archive is not None
        assert (package.archive.name, package.archive.size) == (path.name, path.stat().st_size)
        copy = copied(package, tmp_path / "copy")
        assert digest_of_folder(copy).digest == package.digest
    assert (copy / "pyproject.toml").read_text().splitlines()[1:] == [
        "[project]",
        'name = "harnest-extension-demo"',
        'version = "1.0.0"',
        'description = "A \\"sample\\""',
        'readme = "README.md"',
        'requires-python = ">=3.11"',
        "dependencies = [",
        '    "httpx>=0.27; python_version > \\"3\\"",',
        "]",
        "",
        '[project.entry-points."harnest.extensions"]',
        'demo = "harnest_extension_demo.extension:extension"',
    ]
    assert check_package(copy, host=HOST).ok


def test_an_installed_copy_is_a_package_again(tmp_path: Path) -> None:
    """What was copied passes the same rules, so that a copy can be moved on."""
    with open_package(Demo().write_folder(tmp_path / "demo"), host=HOST) as package:
        copy = copied(package, tmp_path / "copy")
        with open_package(copy, host=HOST) as again:
            assert again.digest == package.digest


def test_the_execute_bit_is_all_that_is_kept_of_modes(tmp_path: Path) -> None:
    """A script stays one; other bits of the source don't travel."""
    path = Demo(files={"lib/run.sh": "#!/bin/sh\n"}).write_folder(tmp_path / "demo")
    (path / "lib" / "run.sh").chmod(0o766)
    (path / "lib" / "client.py").chmod(0o666)
    with open_package(path, host=HOST) as package:
        assert [file.path for file in package.files if file.executable] == ["lib/run.sh"]


def test_all_problems_of_a_package_are_reported_together(tmp_path: Path) -> None:
    """Manifest, project, layout, tree and Python: one run shows all of it."""
    demo = Demo(
        files={
            "extension.yaml": manifest(extra=" 1"),
            "pyproject.toml": PROJECT.replace('"1.0.0"', '"word"'),
            "helpers.py": "",
            "lib/client.py": "def (:\n",
            "lib/x.so": "",
        }
    )
    report = check_package(demo.write_folder(tmp_path / "demo"), host=HOST)
    assert {problem.rule for problem in report.problems} == {
        *("manifest.unknown-key", "project.field", "layout.stray-root-entry"),
        *("python.syntax", "tree.native"),
    }
    assert not report.ok
    assert report.package is None


def test_a_package_for_another_host_is_incompatible_not_invalid(tmp_path: Path) -> None:
    """The two are told apart by type, and the facts are still there to show."""
    path = Demo().write_folder(tmp_path / "demo")
    old = Host(harnest_version="0.9.0", python_version="3.10.1")
    with pytest.raises(IncompatibleExtension) as caught, open_package(path, host=old):
        pass
    assert [p.rule for p in caught.value.problems] == ["host.python", "host.harnest"]
    assert (caught.value.expected, caught.value.got) == ("Python >=3.11", "Python 3.10.1")
    report = check_package(path, host=old)
    assert report.package is not None
    assert report.package.version == "1.0.0"


def test_source_for_a_later_python_is_incompatible_not_broken(tmp_path: Path) -> None:
    """Syntax that this Python does not know is no fault of a package that says it needs more."""
    files = {
        "pyproject.toml": PROJECT.replace(">=3.11", ">=3.99"),
        "lib/client.py": "def later[T](x: T) -> T: ...\nnot python yet(\n",
    }
    path = Demo(files=files).write_folder(tmp_path / "demo")
    with pytest.raises(IncompatibleExtension) as caught, open_package(path, host=HOST):
        pass
    assert [problem.rule for problem in caught.value.problems] == ["host.python"]


def test_a_host_before_its_release_counts_as_that_release(tmp_path: Path) -> None:
    """A pre-release or development build of Python or Harnest satisfies an open range."""
    path = Demo().write_folder(tmp_path / "demo")
    edge = Host(harnest_version="1.1.0rc1", python_version="3.13.0rc2+")
    assert check_package(path, host=edge).ok


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"pyproject.toml": None}, "project.missing"),
        ({"pyproject.toml": PROJECT.replace('"harnest>=1,<2", ', "")}, "host.no-range"),
        ({"lib/client.py": "from harnest_extension_demo import x\n"}, "python.self-import"),
    ],
)
def test_doubts_are_pointed_out_without_refusing(
    tmp_path: Path, change: dict[str, str | None], rule: str
) -> None:
    """Warnings reach the author, and the package can be installed all the same."""
    path = Demo(files=change).write_folder(tmp_path / "demo")
    report = check_package(path, host=HOST)
    assert report.ok
    assert [problem.rule for problem in report.problems] == [rule]
    with open_package(path, host=HOST) as package:
        assert [warning.rule for warning in package.warnings] == [rule]


def test_too_much_python_is_told_once_and_the_rest_is_not_looked_at(tmp_path: Path) -> None:
    """Many large files cost no more than the bound: what comes after it is not even counted."""
    large = "x = a + b * c(d)\n" * (limits.PYTHON_TOKENS // 20)
    files = {f"lib/m{number:02}.py": large for number in range(9)}
    files["lib/z.py"] = "not python(\n"
    path = Demo(files=files).write_folder(tmp_path / "demo")
    report = check_package(path, host=HOST)
    assert [problem.rule for problem in report.problems] == ["python.size"]
    assert str(limits.PYTHON_TOKENS_TOTAL) in report.problems[0].expected


@pytest.mark.parametrize("name", ["nothing", "demo/nothing", "demo/extension.py/x", "a\0b"])
def test_a_path_of_nothing_is_not_found(tmp_path: Path, name: str) -> None:
    """A missing path is an error and never looked up elsewhere."""
    Demo().write_folder(tmp_path / "demo")
    with pytest.raises(ExtensionNotFound) as caught, open_package(tmp_path / name, host=HOST):
        pass
    assert (caught.value.kind, caught.value.rule) == ("not-found", "source.not-found")


@pytest.mark.parametrize("name", ["x.tar.gz", "x.zip", "x.whl.exe", "x.WHL", "x"])
def test_neither_archives_nor_other_files_are_a_source(tmp_path: Path, name: str) -> None:
    """What would have to be built or guessed is refused without being opened."""
    (tmp_path / name).write_bytes(b"PK\3\4")
    report = check_package(tmp_path / name, host=HOST)
    assert [problem.rule for problem in report.problems] == ["source.kind"]


def test_a_pipe_named_as_a_wheel_does_not_hang(tmp_path: Path) -> None:
    """Nothing special is ever opened."""
    os.mkfifo(tmp_path / "harnest_extension_demo-1.0.0-py3-none-any.whl")
    path = tmp_path / "harnest_extension_demo-1.0.0-py3-none-any.whl"
    assert [p.rule for p in check_package(path, host=HOST).problems] == ["source.kind"]


def test_a_link_to_the_source_itself_is_followed(tmp_path: Path) -> None:
    """Where the user points is the user's choice; only what is inside must be plain."""
    Demo().write_folder(tmp_path / "demo")
    (tmp_path / "link").symlink_to("demo")
    assert check_package(tmp_path / "link", host=HOST).ok


@pytest.mark.slow
def test_a_folder_that_is_no_package_is_noticed_early(tmp_path: Path) -> None:
    """The walk ends at its bound, whatever lies beyond."""
    folder = Demo().write_folder(tmp_path / "demo")
    for number in range(limits.WALK_ENTRIES // 1000 + 1):
        inner = folder / "docs" / f"{number}"
        inner.mkdir(parents=True)
        for name in range(1000):
            os.mknod(inner / f"{name}")
    rules = {problem.rule for problem in check_package(folder, host=HOST).problems}
    assert "tree.walk" in rules


CHANGES: dict[str, Callable[[Path], object]] = {
    "other bytes": lambda p: p.write_bytes(b"VALUE = 2\n"),
    "same bytes written again": lambda p: p.write_bytes(p.read_bytes()),
    "longer": lambda p: p.write_bytes(p.read_bytes() + b"\n"),
    "shorter": lambda p: os.truncate(p, 1),
    "another file": lambda p: (p.unlink(), p.write_bytes(b"VALUE = 1\n")),
    "a link": lambda p: (p.unlink(), p.symlink_to("client.py")),
    "a pipe": lambda p: (p.unlink(), os.mkfifo(p)),
    "nothing": lambda p: p.unlink(),
    "a folder": lambda p: (p.unlink(), p.mkdir()),
    "a folder link above": lambda p: (
        p.parent.rename(p.parent.with_name("gone")),
        p.parent.symlink_to("gone"),
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_source_that_changes_after_it_was_inspected_is_refused(
    tmp_path: Path, change: str
) -> None:
    """What is copied is what was checked, or nothing."""
    path = Demo().write_folder(tmp_path / "demo")
    with open_package(path, host=HOST) as package:
        CHANGES[change](path / "lib" / "helper.py")
        with pytest.raises(InvalidExtension) as caught:
            list(package.read("lib/helper.py"))
    assert caught.value.kind in {"io-error", "unsafe-member-type"}


def test_a_source_that_vanishes_is_refused(tmp_path: Path) -> None:
    """The open descriptor shows that the files are gone."""
    path = Demo().write_folder(tmp_path / "demo")
    with open_package(path, host=HOST) as package:
        shutil.rmtree(path)
        with pytest.raises(InvalidExtension) as caught:
            list(package.read("extension.py"))
    assert caught.value.rule == "tree.unreadable"


def test_a_source_that_is_moved_is_still_the_one_that_was_opened(tmp_path: Path) -> None:
    """Files are read below the open folder, not below a path."""
    path = Demo().write_folder(tmp_path / "demo")
    with open_package(path, host=HOST) as package:
        path.rename(tmp_path / "moved")
        Demo(files={"README.md": "other"}).write_folder(path)
        assert b"".join(package.read("README.md")) == b"# demo\n"


def test_a_wheel_is_read_once(tmp_path: Path) -> None:
    """Whatever becomes of the file, what is copied is what was hashed and inspected."""
    path = Demo().write_wheel(tmp_path)
    with open_package(path, host=HOST) as package:
        path.write_bytes(b"other")
        assert b"".join(package.read("README.md")) == b"# demo\n"


def test_only_files_of_the_package_can_be_read(tmp_path: Path) -> None:
    """A path that is not among the files is an error of the caller."""
    path = Demo(files={"tests/x.py": ""}).write_folder(tmp_path / "demo")
    with open_package(path, host=HOST) as package, pytest.raises(KeyError):
        package.read("tests/x.py")
