"""Log records on a command line, as a process of its own sees them."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import click
from harnest.logging import get_logger
from harnest_ext.cli.main import run
from harnest_ext.cli.options import common

@click.command("go")
@common
def go(*, project, output):
    get_logger("box").warning("box.left", name="a\\x1b[31m", count=3)
    output.result({}, "done")

run({arguments}, click.Group("harnest", [go]))
"""


def said(*arguments: str) -> tuple[str, str]:
    """Return what the command printed to stdout and stderr."""
    program = PROGRAM.replace("{arguments}", repr(["go", *arguments]))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    return done.stdout.decode(), done.stderr.decode()


def test_a_warning_in_the_log_is_not_an_answer() -> None:
    """Without --verbose the command prints its answer and no log record."""
    assert said() == ("done\n", "")


def test_verbose_shows_the_log() -> None:
    """With --verbose each record is a line on stderr with its attributes, escaped."""
    out, err = said("--verbose")
    assert out == "done\n"
    assert err.startswith("warning: harnest.agent.box: box.left")
    assert "count=3" in err
    assert "\\x1b[31m" in err
