"""AgentRuntimes that see their project alone, whatever the test environment has installed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from harnest_ext.distributions import EnvironmentView
from harnest_ext.runtime import AgentRuntime

if TYPE_CHECKING:
    from harnest_ext.problem import Problem

__all__ = ["open_runtime", "raised_at", "shown"]


def open_runtime(project: Path, **options: Any) -> AgentRuntime:
    """Return a runtime of a project in an environment that brings no extension.

    Args:
        project: The agent project's folder.
        options: Further options of :class:`AgentRuntime`.
    """
    return AgentRuntime(project, environment=EnvironmentView(), **options)


def shown(error: BaseException) -> str:
    """Return everything that a reader can reach from an exception: texts, causes, contexts."""
    seen: list[str] = []
    todo: list[BaseException | None] = [error]
    while todo:
        each = todo.pop()
        if each is not None:
            seen += [str(each), repr(each), repr(vars(each))]
            todo += [each.__cause__, each.__context__]
    return "\n".join(seen)


def raised_at(problem: Problem) -> str:
    """Return the name of the extension and the line of its source that a problem points to."""
    path = Path(problem.path)
    assert problem.line is not None
    return f"{path.parent.name}: {path.read_text().splitlines()[problem.line - 1].strip()}"
