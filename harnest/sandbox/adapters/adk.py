"""A google-adk code executor that runs an agent's code blocks in a declared sandbox.

ADK calls executors in a thread that it can't interrupt. A run ends early when the invocation that
it belongs to is revoked, or when the control scope around the agent's run is left by cancellation.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

try:
    from google.adk.code_executors.base_code_executor import BaseCodeExecutor
    from google.adk.code_executors.code_execution_utils import (
        CodeExecutionInput,
        CodeExecutionResult,
        File,
    )
except ImportError as error:
    raise ImportError("to_adk_executor() needs google-adk: install 'harnest[adk]'") from error

from pydantic import PrivateAttr

from harnest.sandbox.adapters.held import Held
from harnest.sandbox.adapters.visible import outcome_line
from harnest.sandbox.context import SandboxContext
from harnest.sandbox.file import SandboxFile
from harnest.sandbox.foreign import is_adk_executor
from harnest.sandbox.metadata import sandbox_metadata_to_dict
from harnest.sandbox.result import SandboxResult
from harnest.sandbox.runtime import ManagedSandbox
from harnest.sandbox.status import SandboxStatus

if TYPE_CHECKING:
    from google.adk.agents.invocation_context import InvocationContext

    from harnest.sandbox.declaration import Sandbox

__all__ = ["HarnestCodeExecutor", "adk_executor"]

_HAS_EXIT_CODE = "exit_code" in {field.name for field in dataclasses.fields(CodeExecutionResult)}


_NO_CODE = SandboxResult(status=SandboxStatus.FAILED, metadata={"reason": "the code is blank"})


class HarnestCodeExecutor(BaseCodeExecutor):
    """ADK's interface on top of a managed sandbox; its fields are ADK's own.

    The provider is closed by :meth:`close`, with the executor and its copies, or with the process.
    """

    _held: Held = PrivateAttr()

    def __init__(self, managed: ManagedSandbox, **fields: Any) -> None:
        super().__init__(**fields)
        self._held = Held(managed)

    def execute_code(
        self,
        invocation_context: InvocationContext,
        code_execution_input: CodeExecutionInput,
    ) -> CodeExecutionResult:
        """Run one code block of the agent.

        Args:
            invocation_context: ADK's context; its identity counts outside of an invocation.
            code_execution_input: The code and its files.

        Returns:
            Output and files. Text on stderr counts as failure in ADK, so that of a run that
            succeeded follows its standard output; that of another ends with a line that tells
            status and exit code.

        Raises:
            SandboxCancelledError: The invocation is over or the call was cancelled.
            SandboxExecutionError: The provider failed.
        """
        if not code_execution_input.code.strip():
            # A model may write an empty block: it is told so, and the agent's run goes on.
            return _translated(_NO_CODE)
        request = self._held.managed.request(
            code_execution_input.code,
            input_files=[_received(file) for file in code_execution_input.input_files],
            timeout_seconds=getattr(self, "timeout_seconds", None),
            execution_id=code_execution_input.execution_id,
            context=_identity(invocation_context),
        )
        return _translated(self._held.managed.execute(request))

    def close(self) -> None:
        """Close the provider; repeat it if it raises.

        Raises:
            SandboxExecutionError: The provider's own close failed.
        """
        self._held.managed.close()


def adk_executor(declaration: Sandbox) -> BaseCodeExecutor:
    """Return the executor that the declaration's factory makes, or one around its provider.

    Args:
        declaration: The declared sandbox; its adapter options become fields of the executor.

    Raises:
        ValueError: An adapter option is no field of ADK's executor, or has an unusable value.
        TypeError: The factory makes something without ``execute``.
        SandboxPolicyUnsupportedError: The provider does not enforce the declared policy.
    """
    fields = sandbox_metadata_to_dict(declaration.adapter_options)
    known = set(BaseCodeExecutor.model_fields)
    if not known.issuperset(fields):
        raise ValueError(f"adapter_options must be among {', '.join(sorted(known))}")
    built = declaration.build()
    if is_adk_executor(built):
        executor: BaseCodeExecutor = built
        return executor
    return HarnestCodeExecutor(ManagedSandbox(declaration, provider=built), **fields)


def _identity(context: Any) -> SandboxContext:
    session = getattr(context, "session", None)
    return SandboxContext(
        agent_name=_text(getattr(getattr(context, "agent", None), "name", None)),
        invocation_id=_text(getattr(context, "invocation_id", None)),
        user_id=_text(getattr(session, "user_id", None)),
        session_id=_text(getattr(session, "id", None)),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _received(file: File) -> SandboxFile:
    return SandboxFile(name=file.name, content=file.content, mime_type=file.mime_type)


def _translated(result: SandboxResult) -> CodeExecutionResult:
    stdout, stderr = result.stdout, result.stderr
    line = outcome_line(result)
    if line:
        stderr = f"{_lines(stderr)}{line}\n"
    elif stderr:
        stdout, stderr = f"{_lines(stdout)}stderr:\n{stderr}", ""
    exit_code = {"exit_code": result.exit_code} if _HAS_EXIT_CODE else {}
    files = [
        File(name=file.name, content=file.data, mime_type=file.mime_type)
        for file in result.output_files
    ]
    return CodeExecutionResult(stdout=stdout, stderr=stderr, output_files=files, **exit_code)


def _lines(text: str) -> str:
    return f"{text}\n" if text and not text.endswith("\n") else text
