"""What is special about files inside a backend: its output, its programs, its end."""

from __future__ import annotations

import asyncio
import shutil
from typing import TYPE_CHECKING

import pytest

from harnest.execution.tools import WorkspaceTools, limits
from tests.fakes.shell_backend import ShellBackend
from tests.support.waiting import before_a_deadline
from tests.unit.execution.tools.conftest import make_bench, programs

if TYPE_CHECKING:
    from pathlib import Path

    from harnest.execution.tools.answer import Answer
    from tests.unit.execution.tools.conftest import Bench


@pytest.fixture
def inside(tmp_path: Path) -> Bench:
    """Return tools inside a backend."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "work").mkdir()
    return make_bench("dash", tmp_path / "work", tmp_path / "bin")


def without(folder: Path, *missing: str) -> str:
    """Return a search path of busybox that lacks some programs."""
    path = programs(folder, "busybox")
    for name in missing:
        (folder / name).unlink()
    return path


def test_a_backend_that_keeps_little_output_still_gives_whole_files(tmp_path: Path) -> None:
    """Pieces shrink until they fit, for files, listings and searches."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "work").mkdir()
    bench = make_bench("dash", tmp_path / "work", tmp_path / "bin", output_bytes=20_000)
    text = "".join(f"line {number}\n" for number in range(10_000))
    (bench.root / "f").write_text(text)
    for number in range(300):
        (bench.root / f"{number:03}{'n' * 100}").touch()
    assert bench.say("read_file", path="f", offset=9_999).endswith("\n 10000\tline 9999")
    assert bench.say("glob", pattern="*").count("\n") == 300
    assert bench.say("grep", pattern="line 9999$") == "f\n10000:line 9999\n[1 match in 1 file]"


def test_a_backend_that_keeps_next_to_nothing_is_refused(tmp_path: Path) -> None:
    """No half of a file is ever taken for the whole."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "work").mkdir()
    bench = make_bench("dash", tmp_path / "work", tmp_path / "bin", output_bytes=100)
    (bench.root / "f").write_text("x" * 5_000)
    assert bench.say("read_file", path="f") == (
        "Error (failed): f: the backend keeps too little output for file tools"
    )


def test_a_program_that_is_missing_inside_is_named(tmp_path: Path) -> None:
    """The shell's own words arrive with its exit code; nothing is taken for an empty answer."""
    (tmp_path / "work").mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "work" / "f").write_text("x")
    path = without(tmp_path / "bin", "base64", "find")
    backend = ShellBackend(
        directory=tmp_path / "work", path=path, shell=f"{path}/sh", owns_filesystem=True
    )
    tools = WorkspaceTools(backend)
    said = asyncio.run(tools.answer("read_file", {"path": "f"}))
    assert said.kind == "failed"
    assert "exit code 127" in said.text
    assert "base64" in said.text
    (tmp_path / "bin" / "base64").symlink_to((tmp_path / "bin" / "cat").readlink())
    for name, arguments in (
        ("list_directory", {}),
        ("glob", {"pattern": "*"}),
        ("grep", {"pattern": "[xy]"}),
    ):
        said = asyncio.run(tools.answer(name, arguments))
        assert said.text == (
            "Error (failed): .: the backend's shell ended with exit code 127: find: not found"
        )


@pytest.mark.parametrize(("tool", "program"), [("write_file", "mv"), ("generate_file", "ln")])
def test_a_folder_that_comes_to_be_there_at_the_last_moment_takes_nothing_in(
    inside: Bench, tool: str, program: str
) -> None:
    """It is told as what is there, and holds no temporary file."""
    path = inside.root.parent / "bin" / program
    path.write_text(f'#!/bin/sh\nmkdir {inside.root}/f\nexec /usr/bin/{program} "$@"\n')
    path.chmod(0o755)
    assert inside.say(tool, path="f", content="x") == "Error (is-a-directory): f is a folder"
    assert [entry.name for entry in inside.root.rglob("*")] == ["f"]


def test_a_folder_for_which_there_is_no_space_is_told_as_such(inside: Bench) -> None:
    """As on the host, and not as a lack of permission."""
    path = inside.root.parent / "bin" / "mkdir"
    path.write_text("#!/bin/sh\necho \"mkdir: '$1': No space left on device\" >&2\nexit 1\n")
    path.chmod(0o755)
    assert inside.say("write_file", path="d/f", content="x") == (
        "Error (failed): d/f can't be written: no space, or a limit on the size of files"
    )


@pytest.mark.parametrize("missing", ["mkdir", "mv", "rm", "rmdir", "sha256sum"])
def test_no_missing_program_is_taken_for_a_lack_of_permission(tmp_path: Path, missing: str) -> None:
    """Whoever reads the answer knows what the image lacks, and nothing has happened."""
    (tmp_path / "work" / "d").mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    path = without(tmp_path / "bin", missing)
    backend = ShellBackend(
        directory=tmp_path / "work", path=path, shell=f"{path}/sh", owns_filesystem=True
    )
    tools = WorkspaceTools(backend)
    name, arguments = "delete", {"path": "d", "recursive": missing == "rm"}
    if not missing.startswith("rm"):
        name, arguments = "write_file", {"path": "new/f", "content": "x"}
    said = asyncio.run(tools.answer(name, arguments))
    end = f"the backend's shell ended with exit code 127: {missing}: not found"
    assert said.text == f"Error (failed): {arguments['path']}: {end}"
    assert [entry.name for entry in (tmp_path / "work").iterdir()] == ["d"]


def test_a_file_that_grows_is_read_as_it_was(inside: Bench) -> None:
    """A log that a program goes on writing is no file that changed."""
    path = inside.root.parent / "bin" / "stat"
    path.write_text(f'#!/bin/sh\n/usr/bin/stat "$@"; echo more >> {inside.root}/log\n')
    path.chmod(0o755)
    (inside.root / "log").write_text("one\n")
    assert inside.say("read_file", path="log") == "     1\tone"


def test_what_base64_should_write_is_checked(tmp_path: Path) -> None:
    """Output of a program inside is foreign data: what is no base64 is refused."""
    (tmp_path / "work").mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "work" / "f").write_text("x")
    path = without(tmp_path / "bin", "base64")
    (tmp_path / "bin" / "base64").write_text("#!/bin/sh\necho '<html>'\n")
    (tmp_path / "bin" / "base64").chmod(0o755)
    backend = ShellBackend(
        directory=tmp_path / "work", path=path, shell=f"{path}/sh", owns_filesystem=True
    )
    said = asyncio.run(WorkspaceTools(backend).answer("read_file", {"path": "f"}))
    assert said.text == "Error (failed): f: the backend's base64 wrote what is none"


def test_a_late_command_is_a_time_out_and_leaves_nothing(tmp_path: Path) -> None:
    """The deadline of the backend ends a write, and the unfinished file goes."""
    work = tmp_path / "work"
    (tmp_path / "bin").mkdir()
    path = without(tmp_path / "bin", "chmod")
    reached = tmp_path / "reached"
    (tmp_path / "bin" / "chmod").write_text(f"#!/bin/sh\n: >{reached}\nexec sleep 600\n")
    (tmp_path / "bin" / "chmod").chmod(0o755)

    def write(seconds: int) -> Answer:
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        backend = ShellBackend(
            directory=work,
            path=path,
            shell=f"{path}/sh",
            owns_filesystem=True,
            timeout_seconds=seconds,
        )
        tools = WorkspaceTools(backend)
        return asyncio.run(tools.answer("write_file", {"path": "f", "content": "x"}))

    # What removes the file has the same time.
    said = before_a_deadline(write, reached=lambda: reached.exists() and list(work.iterdir()) == [])
    assert said.text == "Error (timed-out): f: the backend's time-out ended this"
    assert list(work.iterdir()) == []


def test_files_of_the_host_are_never_touched(tmp_path: Path) -> None:
    """A backend whose directory is elsewhere decides alone: the host's file of that path stays."""
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    real, other = tmp_path / "real", tmp_path / "other"
    real.mkdir()
    other.mkdir()
    (real / "f").write_text("inside\n")
    (other / "f").write_text("of the host\n")
    view = ("bwrap", "--dev-bind", "/", "/", "--bind", str(real), str(other), "--chdir", str(other))
    backend = ShellBackend(directory=real, inside=str(other), owns_filesystem=True, launcher=view)
    tools = WorkspaceTools(backend)

    def say(name: str, **arguments: object) -> str:
        return asyncio.run(tools.answer(name, arguments)).text

    assert say("read_file", path="f") == "     1\tinside"
    assert say("read_file", path=f"{other}/f") == "     1\tinside"
    assert say("grep", pattern="host") == "(no matches)"
    say("edit_file", path="f", old_string="inside", new_string="changed")
    say("write_file", path="g", content="new")
    say("delete", path="f")
    assert [path.name for path in real.iterdir()] == ["g"]
    assert [path.name for path in other.iterdir()] == ["f"]
    assert (other / "f").read_text() == "of the host\n"


def test_no_command_is_longer_than_what_gateways_take(inside: Bench) -> None:
    """Every argument of a command stays below 32 KiB, however many files there are."""
    for number in range(150):
        (inside.root / f"{number:03}{chr(0xE9) * 100}").write_text("needle")
    inside.say("grep", pattern="needle")
    inside.say("write_file", path="f", content="x" * limits.PIECE_BYTES * 2)
    assert max(map(len, inside.backend.commands)) < 32 * 1024


def test_a_listing_that_changes_while_it_is_made_is_made_again(inside: Bench) -> None:
    """An entry that vanishes between its name and its size is no reason to fail."""
    (inside.root / "stays").write_text("x")
    (inside.root / "goes").write_text("x")
    path = inside.root.parent / "bin" / "stat"
    path.write_text(f'#!/bin/sh\nrm -f {inside.root}/goes\nexec /usr/bin/stat "$@"\n')
    path.chmod(0o755)
    assert inside.say("list_directory") == "file               1  stays"
