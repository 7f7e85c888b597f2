"""What every tool is: a name, a description, a schema, and a call that ends in text."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from harnest.execution.backend import ExecutionBackend
from harnest.execution.tools.answer import Answer, failure
from harnest.execution.tools.locks import WriteLocks
from harnest.execution.tools.parameters import Parameter, checked, schema_of
from harnest.sandbox.errors import SandboxCancelledError

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from harnest.execution.tools.filesystem import FileSystem
    from harnest.execution.tools.place import Place

__all__ = ["Outcome", "Tool", "ToolContext"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """What the tools of one binding share.

    Attributes:
        backend: Where commands run; whose paths they are.
        files: Where the files are.
    """

    backend: ExecutionBackend
    files: FileSystem

    def writing(self, place: Place) -> AbstractAsyncContextManager[None]:
        """Return a context in which nobody else in this process writes to a place by tools.

        Args:
            place: The file; two names of one file by links count as two.
        """
        # Bindings and workspaces may share a folder of the host; one inside has one backend.
        where = id(self.backend) if self.backend.owns_filesystem else 0
        return _LOCKS.holding((where, place.base, place.parts))


_LOCKS = WriteLocks()


class Outcome(Protocol):
    """What a tool came to."""

    @property
    def text(self) -> str:
        """What a model reads of it."""
        ...


class Tool(abc.ABC):
    """One tool, bound to a backend.

    Called with named arguments it returns text for a model, and raises what is wrong as built-in
    exceptions; :meth:`answer` turns those into text too, and :meth:`run` returns values for code.

    Args:
        context: What it works with.
    """

    name: ClassVar[str]
    """Name by which a model calls it."""
    parameters: ClassVar[tuple[Parameter, ...]]
    """What it takes."""

    def __init__(self, context: ToolContext) -> None:
        self._context = context

    @property
    def backend(self) -> ExecutionBackend:
        """The backend that it is bound to."""
        return self._context.backend

    @property
    @abc.abstractmethod
    def description(self) -> str:
        """What a model is told about it."""

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of its arguments; a copy of the caller's own."""
        return schema_of(self.parameters)

    async def run(self, /, **arguments: object) -> Outcome:
        """Do the work and return what came of it, as values.

        Args:
            **arguments: What the schema says.

        Raises:
            ValueError: An argument is missing, unknown or wrong.
            OSError: A file can't be worked on as asked; the built-in class says why.
            ExecutionError: The backend failed.
        """
        return await self._run(**checked(self.parameters, arguments))

    async def __call__(self, /, **arguments: object) -> str:
        """Do the work and return text for a model.

        Args:
            **arguments: What the schema says.

        Raises:
            ValueError: As :meth:`run`, and so are the others.
            OSError: See above.
            ExecutionError: See above.
        """
        return (await self.run(**arguments)).text

    async def answer(self, arguments: Mapping[str, object]) -> Answer:
        """Do the work and return text for a model, whatever happens.

        Args:
            arguments: What the model sent.

        Raises:
            SandboxCancelledError: The invocation that it belongs to is over: no model is waiting.
        """
        try:
            return Answer(text=await self(**arguments))
        except SandboxCancelledError:
            raise
        except Exception as error:  # noqa: BLE001 - backends are third-party code, and the model has to be told
            return failure(self.name, error)

    def __repr__(self) -> str:
        return f"<tool {self.name} bound to {self.backend!r}>"

    @abc.abstractmethod
    async def _run(self, **arguments: Any) -> Outcome:
        """Do the work with a value for each parameter, all of them checked."""
