"""What came of one execution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from harnest.sandbox.checks import typed_tuple
from harnest.sandbox.file import SandboxFile
from harnest.sandbox.metadata import freeze_metadata
from harnest.sandbox.status import SandboxStatus

__all__ = ["SandboxResult"]


@dataclass(frozen=True, slots=True)
class SandboxResult:
    """Output and outcome of an execution, whatever framework asked for it.

    Args:
        stdout: Text that the program wrote to its standard output.
        stderr: Text that it wrote to its standard error.
        output_files: Files that it left for the caller.
        metadata: JSON-like facts by evidence, frozen in construction; the names are those of
            ``docs/reference/result-metadata.md``.
        status: A status or its text.
        exit_code: Exit code of the program, 128 + n for signal n; None if it has none.

    Raises:
        ValueError: The status is unknown, success has another exit code than 0, or metadata is
            out of bounds.
        TypeError: Another field has a wrong type.
    """

    stdout: str = field(default="", repr=False)
    stderr: str = field(default="", repr=False)
    output_files: tuple[SandboxFile, ...] = field(default=(), repr=False)
    metadata: Mapping[str, Any] = field(default_factory=dict, repr=False)
    status: SandboxStatus = SandboxStatus.SUCCEEDED
    exit_code: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "status", SandboxStatus(self.status))
        _check_stream("stdout", self.stdout)
        _check_stream("stderr", self.stderr)
        self._check_exit_code()
        files = typed_tuple("output_files", self.output_files, SandboxFile)
        object.__setattr__(self, "output_files", files)
        object.__setattr__(self, "metadata", freeze_metadata(self.metadata))

    def _check_exit_code(self) -> None:
        code = self.exit_code
        if isinstance(code, bool) or not isinstance(code, int | None):
            raise TypeError(f"exit_code must be an int or None, not {type(code).__name__}")
        if self.status is SandboxStatus.SUCCEEDED and code:
            raise ValueError(f"a succeeded execution can't have exit code {code}")


def _check_stream(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {type(value).__name__}")
