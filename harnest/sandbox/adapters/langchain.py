"""A LangChain tool that runs Python in a declared sandbox, for LangGraph's own tool loop."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Self

try:
    from langchain_core.tools import StructuredTool
except ImportError as error:
    raise ImportError(
        "to_langchain_tool() needs langchain-core: install 'harnest[langchain]'"
    ) from error

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, field_validator

from harnest.sandbox.adapters.held import Held
from harnest.sandbox.checks import nonblank
from harnest.sandbox.foreign import AdkOnlyError, is_adk_executor
from harnest.sandbox.metadata import sandbox_metadata_to_dict
from harnest.sandbox.runtime import ManagedSandbox

if TYPE_CHECKING:
    from harnest.sandbox.declaration import Sandbox
    from harnest.sandbox.file import SandboxFile
    from harnest.sandbox.result import SandboxResult

__all__ = ["ExecutePython", "HarnestTool", "langchain_tool"]

_NAME = "harnest_execute_python"
_DESCRIPTION = (
    "Run a Python program in an isolated sandbox. Print what you want to see: the answer holds "
    "stdout, stderr, status (succeeded, failed, timed_out, output_limit_exceeded or cancelled), "
    "exit_code, metadata and output_files (content in base64)."
)


class ExecutePython(BaseModel):
    """The tool's only argument; anything else is refused."""

    model_config = ConfigDict(extra="forbid", strict=True)

    code: str = Field(description="Complete Python source; not blank.")

    @field_validator("code")
    @classmethod
    def _not_blank(cls, value: str) -> str:
        return nonblank("code", value)


class HarnestTool(StructuredTool):
    """LangChain's tool on top of a managed sandbox.

    The provider is closed by :meth:`close`, with the tool and its copies, or with the process.
    """

    _held: Held = PrivateAttr()

    @classmethod
    def around(cls, managed: ManagedSandbox) -> Self:
        """Return the tool of one managed sandbox.

        Args:
            managed: What runs the code.
        """

        def run(code: str) -> dict[str, Any]:
            return _answer(managed.execute(managed.request(code)))

        async def arun(code: str) -> dict[str, Any]:
            return _answer(await managed.aexecute(managed.request(code)))

        tool = cls(
            func=run,
            coroutine=arun,
            name=_NAME,
            description=_DESCRIPTION,
            args_schema=ExecutePython,
        )
        tool._held = Held(managed)
        return tool

    @property
    def tool_call_schema(self) -> type[BaseModel]:
        """What the model is shown: LangChain's own copy of the schema would lose its strictness."""
        return ExecutePython

    def close(self) -> None:
        """Close the provider; repeat it if it raises.

        Raises:
            SandboxExecutionError: The provider's own close failed.
        """
        self._held.managed.close()


def langchain_tool(declaration: Sandbox) -> HarnestTool:
    """Return the tool, sync and async; its provider is closed with it, or with the process.

    Args:
        declaration: The declared sandbox.

    Raises:
        TypeError: The factory makes something without ``execute``, or a google-adk executor.
        SandboxPolicyUnsupportedError: The provider does not enforce the declared policy.
    """
    built = declaration.build()
    if is_adk_executor(built):
        raise AdkOnlyError
    return HarnestTool.around(ManagedSandbox(declaration, provider=built))


def _answer(result: SandboxResult) -> dict[str, Any]:
    return {
        "stdout": result.stdout,
        "stderr": result.stderr,
        "status": result.status.value,
        "exit_code": result.exit_code,
        "metadata": sandbox_metadata_to_dict(result.metadata),
        "output_files": [_sent(file) for file in result.output_files],
    }


def _sent(file: SandboxFile) -> dict[str, str]:
    content = base64.b64encode(file.data).decode("ascii")
    return {"name": file.name, "content": content, "mime_type": file.mime_type}
