"""Whatever is done to files, by whichever tools in whichever order, both places answer alike."""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harnest.execution.tools import WorkspaceTools
from tests.fakes.shell_backend import ShellBackend

NAMES = st.sampled_from(
    ["a", "b", "d", "d/a", "d/e", "d/e/a", "l", "l/a", ".h", "-x", "a/", "d/", "l/", '"n\\n"', "."]
)
TEXTS = st.sampled_from(["", "x", "x\n", "x\ny\nx\n", "x\r\ny\r\n", "é\n", "\0"])
PATTERNS = st.sampled_from(["*", "**", "**/a", "d/*", "*/", "**/*a*", ".*", "{a,b}", "[!a]"])
CALLS = st.one_of(
    st.fixed_dictionaries({"path": NAMES, "content": TEXTS}).map(lambda a: ("write_file", a)),
    st.fixed_dictionaries({"path": NAMES, "content": TEXTS}).map(lambda a: ("generate_file", a)),
    st.fixed_dictionaries({"path": NAMES}).map(lambda a: ("read_file", a)),
    st.fixed_dictionaries({"path": NAMES, "recursive": st.booleans()}).map(lambda a: ("delete", a)),
    st.fixed_dictionaries(
        {
            "path": NAMES,
            "old_string": st.sampled_from(["x", "x\ny", "é"]),
            "new_string": st.sampled_from(["", "z", "x\nx"]),
            "replace_all": st.booleans(),
        }
    ).map(lambda a: ("edit_file", a)),
    st.fixed_dictionaries({"path": NAMES}).map(lambda a: ("list_directory", a)),
    st.fixed_dictionaries({"path": NAMES, "pattern": PATTERNS, "hidden": st.booleans()}).map(
        lambda a: ("glob", a)
    ),
    st.fixed_dictionaries(
        {
            "path": NAMES,
            "pattern": st.sampled_from(["x", "^x$", "z|é", "."]),
            "context": st.integers(0, 1),
            "hidden": st.booleans(),
        }
    ).map(lambda a: ("grep", a)),
    st.tuples(NAMES, st.sampled_from(["d", "a", "..", "/etc", "l", "d/e/../a", "no/x"])).map(
        lambda pair: ("link", {"path": pair[0], "target": pair[1]})
    ),
)


def made_link(root: Path, path: str, target: str) -> None:
    """Make a link as a program would, if it can be made there."""
    parent = (root / path).parent
    if parent.is_dir() and parent.resolve().is_relative_to(root):
        with contextlib.suppress(FileExistsError):
            (root / path).symlink_to(target)


def tree(root: Path) -> dict[str, Any]:
    """Return everything in a folder."""
    found: dict[str, Any] = {}
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            path = Path(folder, name)
            shown = str(path.relative_to(root))
            if path.is_symlink():
                found[shown] = ("link", str(path.readlink()))
            else:
                content = path.read_bytes() if path.is_file() else None
                found[shown] = (path.stat().st_mode, content)
    return found


async def compare(root: Path, calls: list[tuple[str, dict[str, Any]]]) -> None:
    """Do the same in two folders, by system calls and by a shell."""
    folders = (root / "host", root / "shell")
    tools = []
    for folder in folders:
        folder.mkdir()
        backend = ShellBackend(directory=folder, owns_filesystem=folder.name == "shell")
        tools.append(WorkspaceTools(backend))
    for name, arguments in calls:
        if name == "link":
            for folder in folders:
                made_link(folder, **arguments)
            continue
        told = [(await each.answer(name, arguments)).text for each in tools]
        assert told[0] == told[1], (name, arguments)
    assert tree(folders[0]) == tree(folders[1])


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(calls=st.lists(CALLS, min_size=3, max_size=10))
def test_both_places_answer_and_act_alike(calls: list[tuple[str, dict[str, Any]]]) -> None:
    """Every text is the same, and so is what is left."""
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(compare(Path(folder).resolve(), calls))
