"""A granted sandbox in an invocation: what ``context.sandboxes[name]`` gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest.context import ContextUnavailableError
from harnest.sandbox.authority import acting_as

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnest.sandbox import SandboxFile, SandboxResult
    from harnest.sandbox.authority import ExecutionAuthority
    from harnest.sandbox.runtime import ManagedSandbox

__all__ = ["GrantedSandbox"]


class GrantedSandbox:
    """A handle that dies with its invocation; deadline, policy and metadata are the declaration's.

    Args:
        name: Name of the sandbox.
        managed: The provider of this agent and sandbox.
        authority: The invocation on whose behalf it executes, also from other threads.
    """

    __slots__ = ("_authority", "_managed", "name")

    def __init__(self, name: str, managed: ManagedSandbox, authority: ExecutionAuthority) -> None:
        self.name = name
        self._managed = managed
        self._authority = authority

    def execute(self, code: str, *, input_files: Sequence[SandboxFile] = ()) -> SandboxResult:
        """Run Python code and return its outcome.

        Args:
            code: Source text of a program, non-blank.
            input_files: Files for it, where the provider takes some.

        Raises:
            ContextUnavailableError: The invocation has ended.
            TypeError: An argument has a wrong type.
            ValueError: The code is blank.
            SandboxCancelledError: The invocation ended while it ran.
            SandboxExecutionError: The provider failed.
            SandboxInputFilesUnsupportedError: The provider takes no files.
        """
        self._require_active()
        with acting_as(self._authority):
            return self._managed.execute(self._managed.request(code, input_files=input_files))

    async def aexecute(
        self, code: str, *, input_files: Sequence[SandboxFile] = ()
    ) -> SandboxResult:
        """Do the same without blocking the loop; cancelling the task cancels the execution."""
        self._require_active()
        with acting_as(self._authority):
            request = self._managed.request(code, input_files=input_files)
            return await self._managed.aexecute(request)

    def _require_active(self) -> None:
        if self._authority.revoked():
            raise ContextUnavailableError(
                f"This handle of the sandbox {self.name!r} belongs to an invocation that has "
                "ended. Take a new one from context.sandboxes in the running invocation."
            )

    def __repr__(self) -> str:
        return f"<sandbox {self.name!r}>"
