"""From a request to what is sent, and from what came of it to a result."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from harnest.sandbox import (
    SandboxInputFilesUnsupportedError,
    SandboxPolicyUnsupportedError,
    SandboxRequest,
    SandboxResult,
    SandboxStatus,
)
from harnest.sandbox.optional import OutputSink
from harnest.sandbox.scope import SandboxControl

from ..contracts.config import DockerSandboxConfig
from ..contracts.files import DockerFiles
from ..errors import Phase
from ..limits import CODE_BYTES, FILE_NAME_BYTES, MIB
from ..pid1.files import parts_of
from ..telemetry import Journal
from .primary import RunResult
from .program import Program

Identity: TypeAlias = tuple[str, ...]
"""Whose container it is; empty if nobody meets it again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One admitted request: what runs, for whom, until when, and who watches."""

    identity: Identity = field(repr=False)
    program: Program
    scope: SandboxControl
    journal: Journal
    on_output: OutputSink | None


class InvalidProgram(Exception):
    """The code cannot be a program: nothing is made for it."""


def program_of(request: SandboxRequest, config: DockerSandboxConfig) -> Program:
    """Return the program that *request* asks for.

    Raises:
        InvalidProgram: the code holds NUL or lone surrogates, or is over 16 MiB.
        SandboxInputFilesUnsupportedError: there are input files, and exchange is off.
        SandboxPolicyUnsupportedError: the request's policy is not the declared one.
        ValueError: an input file's name is not a plain relative path, or the files are over the bounds.
    """
    if request.network_policy is not None and request.network_policy != config.network_policy:
        raise SandboxPolicyUnsupportedError(
            "the request asks for another network policy than the sandbox declares"
        )
    files = config.files
    if request.input_files:
        _check_files(request, files)
    return Program(
        code=_encode(request.code),
        output_bytes=config.max_output_bytes,
        input_files=request.input_files,
        most_files=files.max_count if files else 0,
        most_file_bytes=files.max_bytes if files else 0,
    )


def _encode(code: str) -> bytes:
    try:
        encoded = code.encode()
    except UnicodeEncodeError:
        raise InvalidProgram("the code holds lone surrogates") from None
    if b"\0" in encoded:
        raise InvalidProgram("the code holds a NUL character")
    if len(encoded) > CODE_BYTES:
        raise InvalidProgram(f"the code is over {CODE_BYTES // MIB} MiB")
    return encoded


def _check_files(request: SandboxRequest, files: DockerFiles | None) -> None:
    if files is None:
        raise SandboxInputFilesUnsupportedError(
            "this sandbox takes no input files; declare files=docker.files() to turn them on"
        )
    if len(request.input_files) > files.max_count:
        raise ValueError(f"more than {files.max_count} input files")
    if sum(len(file.data) for file in request.input_files) > files.max_bytes:
        raise ValueError(f"input files of more than {files.max_bytes} bytes")
    names = set()
    for file in request.input_files:
        try:
            names.add(tuple(parts_of(file.name)))
        except ValueError:
            raise ValueError(
                "names of input files must be plain relative paths of at most "
                f"{FILE_NAME_BYTES} bytes, without '..'"
            ) from None
    if len(names) != len(request.input_files):
        raise ValueError("two input files have the same name")
    if any(name[:depth] in names for name in names for depth in range(1, len(name))):
        raise ValueError("an input file has the name of a folder that another one lies in")


def refused(error: InvalidProgram) -> SandboxResult:
    """Return the result for code that cannot be a program."""
    return SandboxResult(
        stderr=f"{error}\n",
        status=SandboxStatus.FAILED,
        metadata={"phase": Phase.CONFIGURATION, "reason": "invalid_code"},
    )


def timed_out(journal: Journal) -> SandboxResult:
    """Return the result for a deadline that passed before the program could run."""
    return SandboxResult(
        status=SandboxStatus.TIMED_OUT,
        metadata={
            "phase": journal.phase or Phase.QUEUE,
            "reason": "deadline",
            "duration_ms": journal.durations(),
        },
    )


def result_of(run: RunResult, journal: Journal) -> SandboxResult:
    """Return the result of a program that ran."""
    ending = run.ending
    metadata: dict[str, Any] = {
        "phase": Phase.EXECUTION,
        "topology": journal.topology,
        "fresh": journal.fresh,
        "duration_ms": journal.durations(),
        **_truncation(ending.dropped),
        **ending.notes,
    }
    if not journal.removed:
        metadata["cleanup"] = "unconfirmed"
    if ending.why:
        metadata["reason"] = ending.why
    if ending.seconds is not None:
        metadata["program_ms"] = round(ending.seconds * 1000, 3)
    return SandboxResult(
        stdout=run.stdout,
        stderr=run.stderr,
        output_files=run.files,
        metadata=metadata,
        status=ending.status,
        exit_code=ending.code,
    )


def _truncation(dropped: Mapping[str, int]) -> dict[str, Any]:
    lost = {name: count for name, count in dropped.items() if count}
    return {"truncated": lost} if lost else {}
