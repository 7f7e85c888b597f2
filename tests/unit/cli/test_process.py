"""The command line as a process: streams that end early, shells that complete."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.waiting import LONG

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.commands import Command

HARNEST = [sys.executable, "-m", "harnest_ext"]


def test_a_reader_that_leaves_causes_no_noise(root: Path) -> None:
    """When the other end of the pipe is closed, the command ends without a traceback."""
    process = subprocess.Popen(
        [*HARNEST, "completion", "bash"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=root
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(LONG) == 1


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


def test_the_shell_gets_command_names(harnest: Command, tmp_path: Path) -> None:
    """Completing ``harnest extensions ver`` offers ``verify``."""
    done = harnest(
        cwd=tmp_path,
        _HARNEST_COMPLETE="bash_complete",
        COMP_WORDS="harnest extensions ver",
        COMP_CWORD="2",
    )
    assert done.stdout.split() == ["plain,verify"]
