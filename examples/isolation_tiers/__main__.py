"""What a program may do in each tier of isolation: it tries, and this prints what came of it.

::

    python examples/isolation_tiers --tier docker
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import socket
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from harnest.execution import ExecutionError, Workspace, WorkspaceConfig
from harnest_ext.runtime import AgentRuntime

if TYPE_CHECKING:
    from collections.abc import Iterator

PROJECT = Path(__file__).resolve().parent
TIERS = ("process", "docker", "seatbelt", "bubblewrap")
SECRET = "HARNEST_EXAMPLE_SECRET"  # noqa: S105 - the name of a variable, not a secret
ATTEMPT = (PROJECT / "attempt.py").read_text(encoding="utf-8")


class Outside(NamedTuple):
    """Things of the host that a program may or may not reach."""

    private: Path
    shared: Path
    port: int


@contextlib.contextmanager
def outside() -> Iterator[Outside]:
    """Make a private file, a shared one and a listening socket on this host."""
    with (
        tempfile.TemporaryDirectory(prefix="isolation-") as folder,
        socket.create_server(("127.0.0.1", 0)) as listener,
    ):
        # Other users may read it, too: what keeps a program out is the tier and nothing else.
        Path(folder).chmod(0o755)
        places = Outside(
            private=Path(folder, "private"),
            shared=Path(folder, "shared"),
            port=listener.getsockname()[1],
        )
        for place in places[:2]:
            place.mkdir()
            (place / "note.txt").write_text("a file of the host\n", encoding="utf-8")
        os.environ[SECRET] = "a secret of the host"
        yield places


async def show(config: WorkspaceConfig, places: Outside) -> None:
    """Open a workspace, let a program try everything, and print what it could do."""
    wanted = {
        "private": str(places.private / "note.txt"),
        "shared": str(places.shared / "note.txt"),
        "port": places.port,
        "secret": SECRET,
        "agent": os.getpid(),
    }
    async with Workspace(config) as workspace:
        result = await workspace.execute(f"WANTED = {wanted!r}\n{ATTEMPT}")
    if result.exit_code != 0:
        raise SystemExit(f"the program failed:\n{result.stderr}")
    print(f"tier {config.tier}: a program ...")
    for attempt, outcome in json.loads(result.stdout).items():
        print(f"  {attempt:45} {outcome}")


def main() -> int:
    """Read the command line and show the tier."""
    parser = argparse.ArgumentParser(prog="isolation_tiers", description=__doc__)
    parser.add_argument("--tier", choices=TIERS, default="process", help="default: process")
    parser.add_argument("--network", action="store_true", help="enable the network in the tier")
    parser.add_argument("--image", help="image of the docker tier; it must have a Python")
    options = parser.parse_args()
    with AgentRuntime(PROJECT, on_broken="skip"), outside() as places:
        restricting = options.tier != "process"
        config = WorkspaceConfig(
            tier=options.tier,
            allowed_paths=(places.shared,) if restricting else (),
            network_enabled=True if options.network else None,
            image=options.image,
        )
        try:
            asyncio.run(show(config, places))
        except ExecutionError as error:
            print(f"tier {options.tier}: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
