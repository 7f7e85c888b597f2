"""The tools of agents on a workspace: the same answers on the host and inside its containers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from workspaces import Shop

from harnest.execution.tools import WorkspaceTools

if TYPE_CHECKING:
    from collections.abc import Iterable

pytestmark = pytest.mark.docker
NAMES = (
    *("plain", "a b", "-dash", "new\nline", "quo'te\"s", "\u00fcmlaut", "$(x)", "*.glob"),
    *("sub/in side/deep", "back\\slash", "\udcff-odd"),
)
SCRIPT = (
    'for f in * ./-*; do [ -f "$f" ] && echo more >> "./$f"; done; '
    "ln -s /etc out; ln -s plain in; stat -c '%u %a' plain"
)


def steps() -> Iterable[tuple[str, dict[str, Any]]]:
    """Return what an agent does: files of every name, commands between them, and ways out."""
    for name in NAMES:
        yield "write_file", {"path": name, "content": "one\ntwo\n"}
        yield "edit_file", {"path": name, "old_string": "two", "new_string": "zwei"}
        yield "read_file", {"path": name}
    yield "bash", {"command": SCRIPT}
    for path in ("plain", "in", "out/passwd", "/etc/passwd", "../x", "missing", "sub"):
        yield "read_file", {"path": path}
    yield "write_file", {"path": "out/x", "content": "x"}
    yield "glob", {"pattern": "**"}
    yield "grep", {"pattern": "zwei"}
    yield "list_directory", {}
    yield "delete", {"path": "-dash"}
    yield "delete", {"path": "sub"}
    yield "delete", {"path": "sub", "recursive": True}
    yield "delete", {"path": "."}
    yield "generate_file", {"path": "made", "content": "abc"}
    yield "list_directory", {}


def told(file_tools: str) -> tuple[list[tuple[str, str, str]], set[int]]:
    """Return what a model is told of every step, and who owns what the steps left."""
    shop = Shop(file_tools=file_tools)
    try:
        tools = WorkspaceTools(shop.workspace)
        answers = []
        for name, arguments in steps():
            answer = shop.run(tools.answer(name, arguments))
            text = answer.text.replace(str(shop.directory), "/workspace")
            answers.append((name, answer.kind, text))
        return answers, {path.lstat().st_uid for path in shop.directory.rglob("*")}
    finally:
        shop.close()


def test_tools_say_the_same_on_the_host_and_inside(daemon: None) -> None:
    """Every name and every refusal is the same by system calls and by commands, and nothing is root's."""
    on_host, owners = told("host")
    inside, others = told("backend")
    assert on_host == inside
    assert owners == others
    assert 0 not in owners
    assert sum(not kind for _, kind, _ in inside) >= 3 * len(NAMES)
