"""What comes back from a program that simply runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest.sandbox import SandboxResult, SandboxStatus
from harnest.sandbox.metadata import sandbox_metadata_to_dict
from harnest_ext.conformance.checks import Group, expect, refuse

if TYPE_CHECKING:
    from harnest_ext.conformance.bench import Bench

__all__ = ["GROUP"]

GROUP: Group[Bench] = Group("values")

HELLO = "print('hello')"
QUIET = "x = 1"
BOTH = "import sys\nprint('out')\nprint('err', file=sys.stderr)"
HIDDEN = "x = 'k3ptsecret'"


@GROUP.check("result-type")
def result_type(bench: Bench) -> None:
    """`execute` returns a SandboxResult."""
    result = bench.provider.execute(bench.request(QUIET))
    refuse(
        f"execute returned {type(result).__name__}", if_true=not isinstance(result, SandboxResult)
    )


@GROUP.check("stdout")
def stdout(bench: Bench) -> None:
    """What a program prints is the result's stdout, exactly."""
    expect("stdout", bench.run(HELLO).stdout, "hello\n")


@GROUP.check("stderr")
def stderr(bench: Bench) -> None:
    """What a program writes to its error output is the result's stderr, exactly."""
    expect("stderr", bench.run(BOTH).stderr, "err\n")


@GROUP.check("streams-apart")
def streams_apart(bench: Bench) -> None:
    """The two streams are not mixed."""
    expect("stdout", bench.run(BOTH).stdout, "out\n")


@GROUP.check("success")
def success(bench: Bench) -> None:
    """A program that runs to its end has succeeded."""
    expect("status", bench.run(HELLO).status, SandboxStatus.SUCCEEDED)


@GROUP.check("exit-code-zero")
def exit_code_zero(bench: Bench) -> None:
    """A program that runs to its end has exit code 0."""
    expect("exit_code", bench.run(QUIET).exit_code, 0)


@GROUP.check("no-output")
def no_output(bench: Bench) -> None:
    """A program that writes nothing has empty streams."""
    result = bench.run(QUIET)
    expect("both streams", result.stdout + result.stderr, "")


@GROUP.check("no-stray-files")
def no_stray_files(bench: Bench) -> None:
    """A program that makes no file gives none back."""
    expect("output files", len(bench.run(HELLO).output_files), 0)


@GROUP.check("metadata-hides-code")
def metadata_hides_code(bench: Bench) -> None:
    """The result's metadata does not repeat the code."""
    shown = repr(sandbox_metadata_to_dict(bench.run(HIDDEN).metadata))
    refuse("the metadata holds the code", if_true="k3ptsecret" in shown)
