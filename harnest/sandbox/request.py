"""One program to run, with everything that the provider may know about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from harnest.sandbox.checks import nonblank, optional_text, positive_int, typed_tuple
from harnest.sandbox.context import SandboxContext
from harnest.sandbox.file import SandboxFile
from harnest.sandbox.metadata import freeze_metadata
from harnest.sandbox.policy import SandboxNetworkPolicy

__all__ = ["SandboxRequest"]


@dataclass(frozen=True, slots=True)
class SandboxRequest:
    """One Python execution; the provider enforces its deadline.

    Args:
        code: Python source, not blank.
        timeout_seconds: Deadline in whole seconds over queue, start-up and run; None leaves the
            provider's own.
        context: Identity on whose behalf it runs.
        input_files: Files that the program finds in its working directory.
        execution_id: Identity of a stateful conversation with an interpreter, if any.
        metadata: JSON-like data for the provider, frozen in construction.
        network_policy: Policy to enforce; None asks for none.

    Raises:
        ValueError: Code is blank, the deadline no positive int, or metadata is out of bounds.
        TypeError: Another field has a wrong type.
    """

    code: str = field(repr=False)
    timeout_seconds: int | None = None
    context: SandboxContext = field(default_factory=SandboxContext)
    input_files: tuple[SandboxFile, ...] = field(default=(), repr=False)
    execution_id: str | None = field(default=None, repr=False)
    metadata: Mapping[str, Any] = field(default_factory=dict, repr=False)
    network_policy: SandboxNetworkPolicy | None = None

    def __post_init__(self) -> None:
        nonblank("code", self.code)
        if self.timeout_seconds is not None:
            positive_int("timeout_seconds", self.timeout_seconds)
        if not isinstance(self.context, SandboxContext):
            raise TypeError("context must be SandboxContext")
        if not isinstance(self.network_policy, SandboxNetworkPolicy | None):
            raise TypeError("network_policy must be SandboxNetworkPolicy or None")
        optional_text("execution_id", self.execution_id)
        files = typed_tuple("input_files", self.input_files, SandboxFile)
        object.__setattr__(self, "input_files", files)
        object.__setattr__(self, "metadata", freeze_metadata(self.metadata))
