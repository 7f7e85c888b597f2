"""The command line on a terminal: a real one, whose every byte is seen."""

from __future__ import annotations

import os
import pty
import select
import subprocess
from typing import TYPE_CHECKING

from tests.support.packages import PackageSpec, make_folder
from tests.support.waiting import LONG

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.commands import Command


def _on_terminal(harnest: Command, *arguments: str, cwd: Path, reply: bytes) -> tuple[int, bytes]:
    """Run a command on a terminal of its own; type ``reply`` once it asks a question."""
    terminal, inner = pty.openpty()
    child = subprocess.Popen(
        [*harnest.program, *arguments],
        cwd=cwd,
        env=os.environ | dict(harnest.environment) | {"TERM": "xterm", "COLUMNS": "100"},
        stdin=inner,
        stdout=inner,
        stderr=inner,
    )
    os.close(inner)
    shown = b""
    replied = False
    while select.select([terminal], [], [], LONG)[0]:
        try:
            data = os.read(terminal, 65536)
        except OSError:  # how a terminal says that its last program has gone
            break
        if not data:
            break
        shown += data
        # A line may come in pieces, and hold other colons.
        if not replied and shown.endswith(b"[y/N]: "):
            os.write(terminal, reply)
            replied = True
    os.close(terminal)
    return child.wait(LONG), shown


def test_consent_is_asked_for_where_it_can_be_read(
    harnest: Command, agent: Path, tmp_path: Path
) -> None:
    """The question stands on a line that no progress bar wipes, with what may be answered."""
    wide = PackageSpec(name="weather", version="1.1.0", capabilities=("http.routes",))
    make_folder(tmp_path / "old", PackageSpec(name="weather"))
    make_folder(tmp_path / "new", wide)
    assert harnest("extensions", "install", "../old/weather", cwd=agent).code == 0
    upgrade = ("extensions", "install", "-U", "../new/weather")
    for reply, code in ((b"n\n", 1), (b"y\n", 0)):
        done, shown = _on_terminal(harnest, *upgrade, cwd=agent, reply=reply)
        assert done == code, shown
        question = b"weather wants further capabilities: http.routes. Accept? [y/N]: "
        assert question + reply[:1] in shown
