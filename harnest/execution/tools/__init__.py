"""Tools for agents: commands and files of one backend, whatever framework calls them.

::

    from harnest.execution import Workspace, WorkspaceConfig
    from harnest.execution.tools import WorkspaceTools

    async with Workspace(WorkspaceConfig(tier="bubblewrap")) as workspace:
        tools = WorkspaceTools(workspace)
        text = await tools["read_file"](path="notes.txt")

Adapters for frameworks are in :mod:`harnest.execution.adapters`.
"""

from harnest.execution.tools.answer import Answer
from harnest.execution.tools.faults import EditError, FileChangedError, UnreadableContentError
from harnest.execution.tools.grammar import PatternError
from harnest.execution.tools.tool import Tool
from harnest.execution.tools.workspace_tools import TOOL_NAMES, WorkspaceTools

__all__ = [
    "TOOL_NAMES",
    "Answer",
    "EditError",
    "FileChangedError",
    "PatternError",
    "Tool",
    "UnreadableContentError",
    "WorkspaceTools",
]
