"""All tools of one backend: their binding, and the life of a backend that belongs to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import TracebackType
from typing import Self, TypeGuard

from harnest.execution.backend import DescribedBackend, ExecutionBackend, OwnedBackend
from harnest.execution.hooks import HookManager
from harnest.execution.tools.answer import Answer
from harnest.execution.tools.backend_files import BackendFileSystem
from harnest.execution.tools.bash import BashTool
from harnest.execution.tools.delete import DeleteTool
from harnest.execution.tools.edit_file import EditTool
from harnest.execution.tools.generate_file import GenerateTool
from harnest.execution.tools.glob import GlobTool
from harnest.execution.tools.grep import GrepTool
from harnest.execution.tools.host_files import HostFileSystem
from harnest.execution.tools.list_directory import ListTool
from harnest.execution.tools.read_file import ReadTool
from harnest.execution.tools.tool import Tool, ToolContext
from harnest.execution.tools.write_file import WriteTool

__all__ = ["TOOL_NAMES", "WorkspaceTools"]

_TOOLS: tuple[type[Tool], ...] = (
    BashTool,
    ReadTool,
    WriteTool,
    EditTool,
    DeleteTool,
    GlobTool,
    GrepTool,
    ListTool,
    GenerateTool,
)
TOOL_NAMES = tuple(tool.name for tool in _TOOLS)
"""The names of all tools, in the order in which a model is shown them."""


class WorkspaceTools:
    """The tools of one backend, by name.

    Entered, it starts a backend that belongs to the agent (``agent_owned``); left, it syncs that
    and closes it, which deletes what was made for it. A backend of the caller's is neither started
    nor closed.

    Args:
        backend: Where commands run. Its ``owns_filesystem`` decides whether file tools work inside
            it or on the host; it is asked once.
        hooks: Told of what runs, if the backend has no hooks of its own yet.
        names: Which tools to offer; None for all.

    Raises:
        TypeError: It is no backend, or ``hooks`` or ``names`` has another type.
        ValueError: A name is none of a tool, or comes twice.
    """

    def __init__(
        self,
        backend: ExecutionBackend,
        *,
        hooks: HookManager | None = None,
        names: Iterable[str] | None = None,
    ) -> None:
        if not isinstance(backend, ExecutionBackend):
            raise TypeError(f"{type(backend).__name__} is no ExecutionBackend")
        if hooks is not None and not isinstance(hooks, HookManager):
            raise TypeError(f"hooks must be a HookManager or None, not {type(hooks).__name__}")
        chosen = _chosen(names)
        files = BackendFileSystem(backend) if backend.owns_filesystem else HostFileSystem()
        context = ToolContext(backend=backend, files=files)
        self._backend = backend
        self._tools = {tool.name: tool(context) for tool in _TOOLS if tool.name in chosen}
        if backend.hooks is None and hooks is not None:
            backend.hooks = hooks

    @property
    def backend(self) -> ExecutionBackend:
        """The backend that the tools are bound to."""
        return self._backend

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools."""
        return tuple(self._tools)

    def bind(self, backend: ExecutionBackend) -> Self:
        """Return these tools if they are bound to a backend.

        Args:
            backend: The backend that somebody wants to use them with.

        Raises:
            ValueError: They are bound to another one; the message names both.
        """
        if backend is not self._backend:
            raise ValueError(
                f"these tools are bound to {_described(self._backend)} and can't be used with "
                f"{_described(backend)}; make a WorkspaceTools for that one"
            )
        return self

    async def answer(self, name: str, arguments: Mapping[str, object]) -> Answer:
        """Do what a model asks for and return text for it, whatever happens.

        Args:
            name: Name of the tool.
            arguments: What the model sent.
        """
        tool = self._tools.get(name)
        if tool is None:
            text = f"Error (unknown-tool): there is no tool {name!r}; there are "
            return Answer(text=text + ", ".join(self._tools), kind="unknown-tool")
        return await tool.answer(arguments)

    async def __aenter__(self) -> Self:
        if _owned(self._backend):
            await self._backend.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Sync and close a backend that belongs to the agent; leave any other alone.

        Raises:
            ExecutionError: What changed inside can't be brought back. It is not closed then, so
                nothing is lost: the message says where it is.
        """
        if _owned(self._backend):
            await self._backend.sync()
            await self._backend.close()

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __repr__(self) -> str:
        return f"<{len(self)} tools bound to {_described(self._backend)}>"


def _chosen(names: Iterable[str] | None) -> frozenset[str]:
    if names is None:
        return frozenset(TOOL_NAMES)
    if isinstance(names, str):
        raise TypeError("names must be several names, not one text")
    listed = list(names)
    for name in listed:
        if name not in TOOL_NAMES:
            raise ValueError(f"there is no tool {name!r}; there are {', '.join(TOOL_NAMES)}")
    if len(listed) != len(set(listed)):
        raise ValueError("names holds a name twice")
    return frozenset(listed)


def _owned(backend: ExecutionBackend) -> TypeGuard[OwnedBackend]:
    return isinstance(backend, OwnedBackend) and backend.agent_owned


def _described(backend: object) -> str:
    tier = f" of tier {backend.tier!r}" if isinstance(backend, DescribedBackend) else ""
    return f"the {type(backend).__name__}{tier} at {id(backend):#x}"
