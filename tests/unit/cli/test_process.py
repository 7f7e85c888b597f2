"""The command line as a process: streams that end early, shells that complete."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.waiting import LONG

if TYPE_CHECKING:
    from tests.support.commands import Command

HARNEST = [sys.executable, "-m", "harnest_ext"]


def test_a_reader_that_leaves_causes_no_noise(root: Path) -> None:
    """When the other end of the pipe is closed, the command ends without a traceback."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [*HARNEST, "completion", "bash"],
            stdout=writing, stderr=subprocess.PIPE, cwd=root, timeout=LONG, check=False,
        )  # fmt: skip
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("arguments", [["bash"], ["bash", "--json"]])
def test_an_answer_that_finds_no_room_is_told(root: Path, arguments: list[str]) -> None:
    """A full disk below stdout: one message on stderr, and the exit code of a failure."""
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*HARNEST, "completion", *arguments],
            stdout=full, stderr=subprocess.PIPE, cwd=root, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith(b"error: The answer can't be written: No space left on device.")
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "closed", "code"),
    [("completion bash", "<&- >&-", 0), ("completion nosuch", "2>&-", 2), ("nosuch", "2>&-", 2)],
)
def test_streams_may_be_closed(root: Path, arguments: str, closed: str, code: int) -> None:
    """Whoever starts us without a stream gets the exit code all the same."""
    line = f"{' '.join(HARNEST)} {arguments} {closed}"
    assert subprocess.run(["/bin/sh", "-c", line], cwd=root, check=False).returncode == code


def test_a_current_folder_that_is_gone_is_told(harnest: Command, tmp_path: Path) -> None:
    """What needs the current folder says that it was removed; the rest works."""
    gone = tmp_path / "gone"
    gone.mkdir()
    line = f'rmdir {gone} && {" ".join(harnest.program)} "$@"'
    for arguments, code in ((["--version"], 0), (["extensions", "list"], 1)):
        done = subprocess.run(
            ["/bin/sh", "-c", line, "sh", *arguments],
            cwd=gone, env=os.environ | dict(harnest.environment), capture_output=True, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        assert (b"[cli.current-folder]" in done.stderr) is (code == 1)
        gone.mkdir()


def test_a_terminal_that_cannot_spell_a_name_gets_it_escaped(
    harnest: Command, tmp_path: Path
) -> None:
    """Text that the stream's encoding lacks is escaped, not a crash."""
    done = harnest("no-such-\u00fc", cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert done.code == 2
    assert "no-such-\\xfc" in done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_valid(shell: str, harnest: Command, tmp_path: Path) -> None:
    """Each shell accepts the script that is made for it, where that shell is installed."""
    done = harnest("completion", shell, cwd=tmp_path)
    assert done.code == 0
    assert "_HARNEST_COMPLETE" in done.stdout
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed: its script was printed but not parsed")
    subprocess.run([program, "-n"], input=done.stdout.encode(), check=True)


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("harnest extensions ver", "plain,verify"),
        ("harnest extensions install pro", "plain,process"),
        ("harnest extensions install ./", "file,./"),
        ("harnest extensions install x --registry ../", "dir,../"),
        ("harnest extensions init x --template min", "plain,minimal"),
        ("harnest extensions init x --capability sandbox", "plain,sandbox.provider"),
    ],
)
def test_the_shell_is_offered_what_fits(
    line: str, offered: str, harnest: Command, tmp_path: Path
) -> None:
    """Commands, names that ship, templates, capabilities; paths are left to the shell."""
    done = harnest(
        cwd=tmp_path,
        _HARNEST_COMPLETE="bash_complete",
        COMP_WORDS=line,
        COMP_CWORD=str(len(line.split()) - 1),
    )
    assert done.stdout.split() == [offered]


@pytest.mark.parametrize(
    ("word", "meant"), [("add", "install"), ("rm", "uninstall"), ("ls", "list"), ("lst", "list")]
)
def test_what_other_tools_call_a_command_leads_to_it(
    word: str, meant: str, harnest: Command, tmp_path: Path
) -> None:
    """A word from elsewhere, or a slip, is answered with the one command that is meant."""
    done = harnest("extensions", word, cwd=tmp_path)
    assert done.code == 2
    assert f"Did you mean 'harnest extensions {meant}'?" in done.stderr
