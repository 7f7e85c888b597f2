from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from harnest_extension_process.lib.errors import ProcessSandboxError

from harnest.execution.local.provider.limits import OUTPUT_ENTRIES
from harnest.sandbox import SandboxFile

from .support import SOMEONE, request

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_files_go_in_and_come_back(make: Callable[..., Any]) -> None:
    """Input files are in the work directory; what is written under outputs/ comes back."""
    code = (
        "import os\n"
        "os.makedirs('outputs/sub')\n"
        "data = open('data/in.bin', 'rb').read()\n"
        "open('outputs/sub/out.bin', 'wb').write(data[::-1])\n"
        "open('outputs/table.csv', 'w').write('a,b')\n"
        "open('elsewhere.txt', 'w').write('stays')\n"
    )
    inputs = (SandboxFile("data/in.bin", b"\x00\x01\xff"),)
    result = make().execute(request(code, input_files=inputs))
    assert [(file.name, file.data, file.mime_type) for file in result.output_files] == [
        ("table.csv", b"a,b", "text/csv"),
        ("sub/out.bin", b"\xff\x01\x00", "application/octet-stream"),
    ]


@pytest.mark.parametrize(
    "name", ["/etc/x", "../x", "a/../b", "a//b", "./a", "a\\b", "a\nb", "x" * 300, "a/" * 20 + "b"]
)
def test_a_name_that_is_no_plain_path_is_refused_before_anything_runs(
    make: Callable[..., Any], name: str
) -> None:
    """The refusal names the phase and the file's number, not its name."""
    with pytest.raises(ProcessSandboxError) as refusal:
        make().execute(request("print(1)", input_files=(SandboxFile(name, b"x"),)))
    assert refusal.value.phase == "input files"
    assert name not in str(refusal.value)


@pytest.mark.parametrize(
    "files",
    [
        (SandboxFile("a", b"1"), SandboxFile("a", b"2")),
        (SandboxFile("a", b"1"), SandboxFile("a/b", b"2")),
        tuple(SandboxFile(f"f{n}", b"") for n in range(65)),
        (SandboxFile("big", b"x" * (16 * 1024 * 1024 + 1)),),
        (SandboxFile("bad", "not base64!"),),
    ],
    ids=["twice", "file and folder", "too many", "too large", "no base64"],
)
def test_inputs_out_of_bounds_are_refused(
    make: Callable[..., Any], files: tuple[SandboxFile, ...]
) -> None:
    """Names, numbers and sizes are checked before a process is started."""
    with pytest.raises(ProcessSandboxError) as refusal:
        make().execute(request("print(1)", input_files=files))
    assert refusal.value.phase == "input files"


def test_links_and_special_files_do_not_come_back(make: Callable[..., Any], tmp_path: Path) -> None:
    """What could lead elsewhere is counted and not opened; a fifo does not block."""
    (tmp_path / "secret").write_text("host")
    code = (
        "import os\n"
        "os.makedirs('outputs')\n"
        f"os.symlink({str(tmp_path / 'secret')!r}, 'outputs/link')\n"
        f"os.symlink({str(tmp_path)!r}, 'outputs/folder')\n"
        "os.mkfifo('outputs/pipe')\n"
        "open('outputs/real', 'w').write('mine')\n"
        "open('outputs/large', 'wb').truncate(17 * 1024 * 1024)\n"
    )
    result = make().execute(request(code))
    assert [(file.name, file.data) for file in result.output_files] == [("real", b"mine")]
    assert result.metadata["output_files_omitted"] == 4


def test_outputs_that_are_a_link_are_not_followed(make: Callable[..., Any], tmp_path: Path) -> None:
    """A program can't make Harnest read a folder of the host as its outputs."""
    (tmp_path / "secret").write_text("host")
    result = make().execute(request(f"import os; os.symlink({str(tmp_path)!r}, 'outputs')"))
    assert result.output_files == ()


def test_a_retained_directory_returns_only_what_a_call_changed(make: Callable[..., Any]) -> None:
    """Earlier outputs come back only when they are written again."""
    provider = make(scope="session")
    first = "import os; os.makedirs('outputs'); [open(f'outputs/{n}','w').write(n) for n in 'ab']"
    again = "open('outputs/b', 'w').write('new'); open('outputs/c', 'w').write('c')"
    assert len(provider.execute(request(first, context=SOMEONE)).output_files) == 2
    result = provider.execute(request(again, context=SOMEONE))
    assert [(file.name, file.data) for file in result.output_files] == [("b", b"new"), ("c", b"c")]


def test_an_input_never_goes_through_a_planted_link(
    make: Callable[..., Any], tmp_path: Path
) -> None:
    """A link that an earlier call left is replaced or refused; the host's file stays."""
    provider = make(scope="session")
    victim = tmp_path / "victim"
    victim.write_text("untouched")
    plant = (
        f"import os; os.symlink({str(victim)!r}, 'in.txt'); os.symlink({str(tmp_path)!r}, 'dir')"
    )
    provider.execute(request(plant, context=SOMEONE))
    through_file = (SandboxFile("in.txt", b"new"),)
    result = provider.execute(
        request("print(open('in.txt').read())", context=SOMEONE, input_files=through_file)
    )
    assert (result.stdout, victim.read_text()) == ("new\n", "untouched")
    with pytest.raises(ProcessSandboxError):
        provider.execute(
            request("1", context=SOMEONE, input_files=(SandboxFile("dir/victim", b"new"),))
        )
    assert victim.read_text() == "untouched"
    assert [path.name for path in tmp_path.iterdir()] == ["victim"]


def test_a_tower_of_folders_is_left_out_and_harms_no_call(make: Callable[..., Any]) -> None:
    """Folders deeper than names may be, than calls nest and than descriptors last."""
    code = (
        "import os\nos.mkdir('outputs')\nos.chdir('outputs')\nopen('file', 'w').write('kept')\n"
        "for n in range(1500):\n    os.mkdir('d'); os.chdir('d')\n"
        "open('deep', 'w').close()\n"
    )
    provider = make(scope="session")
    result = provider.execute(request(code, context=SOMEONE))
    assert (result.exit_code, [file.name for file in result.output_files]) == (0, ["file"])
    assert result.metadata["output_files_omitted"] == 1
    after = provider.execute(request("print('on')", context=SOMEONE))
    assert (after.stdout, after.output_files) == ("on\n", ())


def test_no_more_entries_are_looked_at_than_the_bound_folders_included(
    make: Callable[..., Any],
) -> None:
    """The files of a folder come before what is in its folders."""
    code = (
        "import os\nos.makedirs('outputs/a')\nos.mkdir('outputs/b')\n"
        "for name in ('outputs/z', 'outputs/b/late'): open(name, 'x').close()\n"
        f"for n in range({OUTPUT_ENTRIES}): os.mkdir(f'outputs/a/{{n}}')\n"
    )
    result = make().execute(request(code))
    assert (result.exit_code, [file.name for file in result.output_files]) == (0, ["z"])
