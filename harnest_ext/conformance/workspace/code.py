"""Code: it never goes through a file that a program can write to."""

from __future__ import annotations

from harnest_ext.conformance.checks import expect
from harnest_ext.conformance.workspace_bench import WorkspaceBench, WorkspaceGroup

__all__ = ["GROUP"]

GROUP = WorkspaceGroup("code")

REPLACING = """\
import os, sys
seen = set(sys.argv) | {{__file__ if '__file__' in globals() else ''}}
with open('/proc/self/cmdline', 'rb') as file:
    seen |= {{os.fsdecode(item) for item in file.read().split(b'\\0')}}
seen |= {{os.path.join(folder, name) for folder, _, names in os.walk('.') for name in names}}
for path in seen:
    if os.path.isfile(path) and os.access(os.path.dirname(path) or '.', os.W_OK):
        if os.path.realpath(path).startswith(os.path.realpath('.') + os.sep):
            os.unlink(path)
            os.symlink({victim!r}, path)
print('replaced')
"""
LISTING = "import os; print(sorted(os.listdir('.')))"


@GROUP.promise("no-file")
async def no_file(bench: WorkspaceBench) -> None:
    """While a program runs there is no file of the backend's in its work directory."""
    async with bench.workspace() as workspace:
        expect("files", (await workspace.execute(LISTING)).stdout, "[]\n")
        expect("files of a command", (await workspace.execute_command("ls -A")).stdout, "")


@GROUP.promise("replaced")
async def replaced(bench: WorkspaceBench) -> None:
    """A program that replaces what could be its code by a link makes no later call follow it."""
    victim = bench.folder / "victim"
    victim.write_text("untouched")
    async with bench.workspace() as workspace:
        result = await workspace.execute(REPLACING.format(victim=str(victim)))
        expect("stdout", result.stdout, "replaced\n")
        expect("next", (await workspace.execute("print('next')")).stdout, "next\n")
        command = await workspace.execute_command("cat", stdin=b"in")
        expect("next command", command.stdout, "in")
    expect("file of the host", victim.read_text(), "untouched")


@GROUP.promise("size")
async def size(bench: WorkspaceBench) -> None:
    """A program of 1 MB runs."""
    async with bench.workspace() as workspace:
        text = f"x = '{'a' * 1_000_000}'\nprint(len(x))"
        expect("stdout", (await workspace.execute(text)).stdout, "1000000\n")
