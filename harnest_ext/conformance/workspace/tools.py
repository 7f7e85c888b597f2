"""Tools: what a model is told is the same in every tier, wherever its files are worked on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from harnest.execution.tools import WorkspaceTools
from harnest_ext.conformance.checks import expect
from harnest_ext.conformance.timing import Deadlines
from harnest_ext.conformance.workspace_bench import WorkspaceBench, WorkspaceGroup
from harnest_ext.conformance.workspace_profile import WorkspaceFeature

if TYPE_CHECKING:
    from harnest.execution import Workspace

__all__ = ["GROUP"]

GROUP = WorkspaceGroup("tools")

_SESSION: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("write_file", {"path": "a/b.py", "content": "x=1\n"}, "Created a/b.py: 4 bytes, 1 line"),
    ("bash", {"command": "cat a/b.py; echo 'y=2' >> a/b.py"}, "x=1"),
    ("read_file", {"path": "a/b.py"}, "     1\tx=1\n     2\ty=2"),
    (
        "edit_file",
        {"path": "a/b.py", "old_string": "x=1", "new_string": "x=5"},
        "Edited a/b.py: 1 replacement, at line 1",
    ),
    ("bash", {"command": "sort -r a/b.py"}, "y=2\nx=5"),
    ("grep", {"pattern": r"^x=\d$"}, "a/b.py\n1:x=5\n[1 match in 1 file]"),
    ("glob", {"pattern": "**/*.py"}, "a/b.py"),
    ("generate_file", {"path": "a/b.py", "content": ""}, "Error (exists): a/b.py exists already"),
    ("delete", {"path": "a"}, "Error (not-empty): the folder a is not empty"),
    ("delete", {"path": "a", "recursive": True}, "Deleted the folder a and everything in it"),
    ("list_directory", {}, "(empty folder)"),
)
_ODD = "umask 022; printf x > \"$(printf 'n\\351\\nm')\"; printf x > ./-rf; printf x > 'a  \"b\" '"
_ODD_NAMES = ("-rf", '"a  \\"b\\" "', '"n\\xe9\\nm"')
_SPECIAL = "mkfifo pipe; ln -s /etc out; ln -s ../../etc/passwd up; mkdir d; ln -s ../d d/in"


@GROUP.promise("host", needs=[WorkspaceFeature.HOST_DIRECTORY])
async def host(bench: WorkspaceBench) -> None:
    """File tools on the host and commands inside work on the same files, in turn."""
    async with bench.workspace(file_tools="host") as workspace:
        await _session(workspace)


@GROUP.promise("backend", needs=[WorkspaceFeature.BACKEND_FILES])
async def backend(bench: WorkspaceBench) -> None:
    """File tools that work inside answer word for word as those on the host do."""
    async with bench.workspace(file_tools="backend") as workspace:
        await _session(workspace)


@GROUP.promise("names")
async def names(bench: WorkspaceBench) -> None:
    """Names with line feeds, quotes, dashes or bytes that are no UTF-8 are shown and taken back."""
    for place in _places(bench):
        async with bench.workspace(file_tools=place) as workspace:
            tools = WorkspaceTools(workspace)
            await workspace.execute_command(_ODD)
            expect("found", await _said(tools, "glob", pattern="*"), "\n".join(_ODD_NAMES))
            for name in _ODD_NAMES:
                said = await _said(tools, "edit_file", path=name, old_string="x", new_string="y")
                expect(f"edit of {name}", said, f"Edited {name}: 1 replacement, at line 1")
            expect("content", (await workspace.execute_command("cat ./*")).stdout, "yyy")


@GROUP.promise("escapes")
async def escapes(bench: WorkspaceBench) -> None:
    """No tool follows a link out of the work directory, and none is held up by a pipe."""
    for place in _places(bench):
        async with bench.workspace(file_tools=place) as workspace:
            tools = WorkspaceTools(workspace)
            await workspace.execute_command(_SPECIAL)
            for path in ("out/passwd", "up", "d/in/../../up", "/etc/passwd", "../x", "pipe"):
                kinds = {
                    (await tools.answer("read_file", {"path": path})).kind,
                    (await tools.answer("write_file", {"path": path, "content": "x"})).kind,
                }
                expect(f"{path} with file tools at {place}", kinds, {"permission-denied"})


@GROUP.promise("pieces")
async def pieces(bench: WorkspaceBench) -> None:
    """A file of 1 MB is written, edited and searched whole with a far smaller output budget."""
    text = "0123456789abcde\n" * (1 << 16) + "needle\n"
    for place in _places(bench):
        async with bench.workspace(file_tools=place, max_output_bytes=300_000) as workspace:
            tools = WorkspaceTools(workspace)
            await _said(tools, "write_file", path="f", content=text)
            await _said(tools, "edit_file", path="f", old_string="needle", new_string="pin")
            said = await _said(tools, "grep", pattern="^pin$")
            expect("found", said, "f\n65537:pin\n[1 match in 1 file]")
            sizes = (await workspace.execute_command("wc -c < f; ls -A | wc -l")).stdout.split()
            expect("size and files", sizes, [str(len(text) - 3), "1"])


@GROUP.promise("limit")
async def limit(bench: WorkspaceBench) -> None:
    """The configured deadline caps what a model asks for, and it is told which one applied."""
    deadlines = Deadlines(bench.profile.slack_seconds)
    for seconds in deadlines:
        async with bench.workspace(timeout_seconds=seconds) as workspace:
            tools = WorkspaceTools(workspace)
            command = "echo on; : > begun; sleep 600"
            with deadlines.timed():
                said = await _said(tools, "bash", command=command, timeout=60)
            deadlines.too_short = not (workspace.directory / "begun").exists()
    unit = "second" if seconds == 1 else "seconds"
    told = f"on\n[timed out after {seconds} {unit}, the limit; 60 seconds were asked for]"
    expect("text", said, told)


def _places(bench: WorkspaceBench) -> tuple[Literal["host", "backend"], ...]:
    inside = WorkspaceFeature.BACKEND_FILES in bench.profile.supports
    return ("host", "backend") if inside else ("host",)


async def _session(workspace: Workspace) -> None:
    tools = WorkspaceTools(workspace)
    for number, (name, arguments, wanted) in enumerate(_SESSION, 1):
        expect(f"call {number}, {name}", await _said(tools, name, **arguments), wanted)


async def _said(tools: WorkspaceTools, name: str, **arguments: Any) -> str:
    return (await tools.answer(name, arguments)).text
