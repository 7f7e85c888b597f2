"""Files into a program and out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest.sandbox import SandboxFile, SandboxInputFilesUnsupportedError
from harnest_ext.conformance.checks import Group, expect, expect_raises, refuse
from harnest_ext.conformance.features import Feature

if TYPE_CHECKING:
    from harnest_ext.conformance.bench import Bench

__all__ = ["GROUP"]

GROUP: Group[Bench] = Group("files")

READ = "print(open('in.txt').read())"
READ_BINARY = "print(open('data/in.bin', 'rb').read().hex())"
WRITE = """\
import os
os.makedirs('outputs', exist_ok=True)
open('outputs/out.bin', 'wb').write(bytes(range(256)))
"""
WRITE_ELSEWHERE = "open('elsewhere', 'w').write('stays')"
LINK = """\
import os
os.makedirs('outputs', exist_ok=True)
os.symlink('/etc/passwd', 'outputs/link')
"""


@GROUP.check("input", needs=[Feature.INPUT_FILES])
def input_arrives(bench: Bench) -> None:
    """An input file is in the program's working directory."""
    files = (SandboxFile("in.txt", b"content"),)
    result = bench.run(READ, on=bench.make(files=True), input_files=files)
    expect("what the program read", result.stdout, "content\n")


@GROUP.check("input-binary", needs=[Feature.INPUT_FILES])
def input_binary(bench: Bench) -> None:
    """Every byte arrives, in a folder too."""
    files = (SandboxFile("data/in.bin", bytes(range(256))),)
    result = bench.run(READ_BINARY, on=bench.make(files=True), input_files=files)
    expect("what the program read", result.stdout, bytes(range(256)).hex() + "\n")


@GROUP.check("input-names", needs=[Feature.INPUT_FILES])
def input_names(bench: Bench) -> None:
    """A name that leads out of the working directory is refused."""
    provider = bench.make(files=True)
    for name in ("../up", "/absolute", "a/../../up", "a//b", "."):
        request = bench.request("print(1)", input_files=(SandboxFile(name, b"x"),))
        expect_raises(f"an input file {name!r}", Exception, lambda r=request: provider.execute(r))  # type: ignore[misc]


@GROUP.check("input-not-lost", unless=[Feature.INPUT_FILES])
def input_not_lost(bench: Bench) -> None:
    """A provider that doesn't exchange files says so instead of running without them."""
    request = bench.request(READ, input_files=(SandboxFile("in.txt", b"content"),))
    try:
        result = bench.provider.execute(request)
    except SandboxInputFilesUnsupportedError:
        return
    expect("what the program read", result.stdout, "content\n")


@GROUP.check("output", needs=[Feature.OUTPUT_FILES])
def output_returned(bench: Bench) -> None:
    """A file under outputs/ comes back, every byte of it, named below that folder."""
    result = bench.run(WRITE, on=bench.make(files=True))
    files = [(file.name, file.data) for file in result.output_files]
    expect("output files", files, [("out.bin", bytes(range(256)))])


@GROUP.check("output-only-there", needs=[Feature.OUTPUT_FILES])
def output_only_there(bench: Bench) -> None:
    """A file elsewhere stays where it is."""
    result = bench.run(WRITE_ELSEWHERE, on=bench.make(files=True))
    expect("output files", len(result.output_files), 0)


@GROUP.check("output-links", needs=[Feature.OUTPUT_FILES, Feature.PROCESS])
def output_links(bench: Bench) -> None:
    """A link under outputs/ never brings a file of the host back."""
    result = bench.run(LINK, on=bench.make(files=True))
    refuse("a linked file came back", if_true=bool(result.output_files))
