"""What ``sandbox run`` gives back: passed-through output, files, and the exit status."""

from __future__ import annotations

import uuid
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from harnest.sandbox import SandboxStatus
from harnest.sandbox.metadata import sandbox_metadata_to_dict
from harnest.sandbox.optional import OutputStream
from harnest_ext.cli.sandbox import rules
from harnest_ext.errors import LoadError

if TYPE_CHECKING:
    from pathlib import Path
    from typing import TextIO

    from harnest.sandbox import SandboxFile, SandboxResult
    from harnest_ext.cli.output import Output

__all__ = [
    "HARNEST_FAILED",
    "READER_LEFT",
    "exit_status",
    "pass_through",
    "save_files",
    "shape",
    "tell_outcome",
]

OUTPUT_LIMIT: Final = 123
TIMED_OUT: Final = 124
HARNEST_FAILED: Final = 125
CANCELLED: Final = 130
READER_LEFT: Final = 141
"""A program whose reader has gone (`... | head`) ends by SIGPIPE; shells give this for it."""
_STATUS: Final = {
    SandboxStatus.SUCCEEDED: 0,
    SandboxStatus.TIMED_OUT: TIMED_OUT,
    SandboxStatus.OUTPUT_LIMIT_EXCEEDED: OUTPUT_LIMIT,
    SandboxStatus.CANCELLED: CANCELLED,
}


def pass_through(output: Output, stream: OutputStream, text: str) -> None:
    """Write a program's output to the stream of the same name, as UTF-8, at once.

    Raises:
        BrokenPipeError: Its reader has gone.
        LoadError: It can't be written, to a full disk for example.
    """
    target = output.stdout if stream is OutputStream.STDOUT else output.stderr
    failed = ""
    try:
        _write(target, text)
    except BrokenPipeError:
        raise
    except OSError as error:
        failed = error.strerror or type(error).__name__
    if failed:
        raise LoadError(
            rules.OUTPUT_STREAM.problem(f"{stream.value} can't be written: {failed}.", got=failed)
        )


def _write(target: TextIO, text: str) -> None:
    # What the program wrote is passed on as it is, whatever the locale of this terminal.
    binary = getattr(target, "buffer", None)
    if binary is None:
        target.write(text)
    else:
        binary.write(text.encode("utf-8", "surrogatepass"))
    target.flush()


def exit_status(result: SandboxResult) -> int:
    """Return the exit status of the command: the program's own where it ended by itself."""
    if result.status in _STATUS:
        return _STATUS[result.status]
    if not result.exit_code:
        # A failure without the program's own sign of it must not look like a success.
        return HARNEST_FAILED
    # Some providers give the negative number of a signal, as Python does; shells add it to 128.
    code = result.exit_code if result.exit_code >= 0 else 128 - result.exit_code
    return code & 0xFF


def tell_outcome(output: Output, result: SandboxResult) -> None:
    """Say on stderr why a program did not end by itself."""
    metadata = sandbox_metadata_to_dict(result.metadata)
    phase, reason = metadata.get("phase"), metadata.get("reason")
    if result.status is SandboxStatus.TIMED_OUT:
        output.note(f"harnest: the deadline passed{f' in phase {phase!r}' if phase else ''}.")
    elif result.status is SandboxStatus.OUTPUT_LIMIT_EXCEEDED:
        output.note("harnest: the program wrote more than its output limit; the rest is dropped.")
    elif result.status is SandboxStatus.CANCELLED:
        output.note("harnest: the execution was cancelled.")
    elif result.status is SandboxStatus.FAILED and (reason or result.exit_code is None):
        output.note(f"harnest: the program failed: {reason or 'the provider gives no exit code'}.")


def shape(result: SandboxResult, saved: list[str]) -> dict[str, object]:
    """Return the JSON shape of a result."""
    return {
        "status": result.status.value,
        "exit_code": result.exit_code,
        "stdout": result.stdout,
        "stderr": result.stderr,
        "metadata": sandbox_metadata_to_dict(result.metadata),
        "output_files": [
            {"name": file.name, "mime_type": file.mime_type, "size": len(file.data)}
            for file in result.output_files
        ],
        "saved": saved,
    }


def save_files(files: tuple[SandboxFile, ...], folder: Path) -> list[str]:
    """Write output files below a folder, replacing files of the same names.

    Args:
        files: What the program left; their names are the program's and not trusted.
        folder: Where to; made if it is not there.

    Returns:
        The paths that were written.

    Raises:
        LoadError: A name leads out of the folder or through a link, or a file can't be written.
    """
    saved = []
    for file in files:
        parts = PurePosixPath(file.name).parts
        if not parts or any(part in {"..", "/"} for part in parts) or "\0" in file.name:
            raise _refused(file.name, "its name leads out of the folder")
        target = folder.joinpath(*parts)
        try:
            _place(folder, target, file.data)
        except OSError as error:
            raise _refused(file.name, error.strerror or type(error).__name__) from None
        except UnicodeEncodeError:
            raise _refused(file.name, "its name is no name of this system") from None
        saved.append(str(target))
    return saved


def _place(folder: Path, target: Path, data: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for parent in reversed(target.relative_to(folder).parents[:-1]):
        step = folder / parent
        if step.is_symlink():
            raise NotADirectoryError(0, "a folder on the way is a link")
        step.mkdir(exist_ok=True)
    # Not by tempfile, whose files nobody else may read: these are the user's, as any other.
    temporary = target.with_name(f".harnest-{uuid.uuid4().hex}")
    try:
        with temporary.open("xb") as file:
            file.write(data)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _refused(name: str, reason: str) -> LoadError:
    return LoadError(
        rules.OUTPUT_FILE.problem(f"An output file was not saved: {reason}.", path=name)
    )
