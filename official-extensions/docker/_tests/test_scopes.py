"""Retained containers: whose they are, what stays in them, what never does, and who has to go."""

from __future__ import annotations

import gc
import os
import threading
from typing import TYPE_CHECKING, Any

import pytest
from harnest.extensions.docker import DockerScope, docker
from harnest.extensions.docker.lib.errors import DockerImageError

from conftest import FOREVER, IDENTITY, Box, command, meta, open_descriptors, ours, until
from harnest.sandbox import SandboxContext, SandboxFile, SandboxStatus

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.docker
FILL = """\
try:
    with open("full", "wb", 0) as file:
        while True: file.write(bytes(1 << 20))
except OSError: pass
"""


def who(session: str = "s", **parts: Any) -> SandboxContext:
    """Return an identity that differs in its session."""
    known = {"agent_name": "a", "user_id": "u", "session_id": session, **parts}
    return SandboxContext(**known)


@pytest.mark.parametrize(
    ("scope", "missing"),
    [
        (DockerScope.SESSION, "agent_name"),
        (DockerScope.SESSION, "user_id"),
        (DockerScope.SESSION, "session_id"),
        (DockerScope.INVOCATION, "invocation_id"),
    ],
)
def test_a_missing_part_of_the_identity_is_refused_before_docker(
    scope: DockerScope, missing: str
) -> None:
    """Without a whole identity nothing is retained and nobody is asked."""
    parts = {"agent_name": "a", "user_id": "u", "session_id": "s", "invocation_id": "i"}
    parts[missing] = ""
    box = Box(scope=scope, base_url="tcp://127.0.0.1:1")
    with pytest.raises(ValueError, match=missing):
        box.run("print(1)", context=SandboxContext(**parts))
    box.close()


def test_files_stay_and_processes_do_not(box: Callable[..., Box]) -> None:
    """The next call of a session finds /tmp as it was, and no process, shared memory or module."""
    one = box(scope=DockerScope.SESSION)
    first = one.run(
        "import os, time\n"
        "open('/tmp/kept', 'w').write('kept'); open('/dev/shm/gone', 'w').write('gone')\n"
        "for _ in range(3):\n"
        "    if os.fork() == 0:\n"
        "        os.setsid(); time.sleep(600)\n"
        "os.environ['LEFT'] = 'x'; import json; json.left = 1"
    )
    second = one.facts(
        "import json, os\n"
        "print(json.dumps([open('/tmp/kept').read(), os.listdir('/dev/shm'), 'LEFT' in os.environ,"
        " hasattr(json, 'left'), sorted(p for p in os.listdir('/proc') if p.isdigit()).__len__()]))"
    )
    assert first.exit_code == 0
    assert second == ["kept", [], False, False, 2]


def test_a_failing_program_keeps_its_container_and_a_stopped_one_does_not(
    box: Callable[..., Box],
) -> None:
    """Exit statuses are the program's business; a deadline, an overflow or a kill poison the container."""
    one = box(scope=DockerScope.SESSION, max_output_bytes=100)
    first = one.run("open('/tmp/kept', 'w'); raise SystemExit(3)")
    assert first.exit_code == 3
    again = one.run("import os; print(os.listdir('/tmp'))")
    assert (again.stdout, meta(again)["fresh"]) == ("['kept']\n", False)
    assert one.run("print('x' * 200)").status is SandboxStatus.OUTPUT_LIMIT_EXCEEDED
    fresh = one.run("import os; print(os.listdir('/tmp'))")
    assert (fresh.stdout, meta(fresh)["fresh"]) == ("[]\n", True)
    one.overdue("open('/tmp/kept', 'w')\n" + FOREVER, context=IDENTITY)
    assert one.run("import os; print(os.listdir('/tmp'))").stdout == "[]\n"


def test_what_a_call_leaves_cannot_shadow_the_standard_library(box: Callable[..., Box]) -> None:
    """A module, sitecustomize or python3 left in /tmp is not used by the next call."""
    one = box(scope=DockerScope.SESSION)
    one.run(
        "for name in ('python3', 'sitecustomize.py', 'usercustomize.py', 'colorsys.py'):\n"
        "    open('/tmp/' + name, 'w').write('raise SystemExit(\"shadowed\")')"
    )
    assert (
        one.run("import colorsys; print(colorsys.__file__.startswith('/usr'))").stdout == "True\n"
    )


def test_identities_do_not_meet(box: Callable[..., Box]) -> None:
    """Another session, user or agent gets another container; an invocation ends with its id."""
    one = box(scope=DockerScope.INVOCATION)
    one.run("open('/tmp/mine', 'w')", context=who(invocation_id="1"))
    look = "import os; print(os.path.exists('/tmp/mine'))"
    assert one.run(look, context=who(invocation_id="1")).stdout == "True\n"
    for other in (
        who(invocation_id="2"),
        who(invocation_id="1", user_id="v"),
        who(invocation_id="1", agent_name="b"),
        who("t", invocation_id="1"),
    ):
        assert one.run(look, context=other).stdout == "False\n"


def test_the_least_recently_used_identity_goes_first(box: Callable[..., Box]) -> None:
    """At ``max_scopes`` a new identity takes the place of the one that was idle longest."""
    one = box(scope=DockerScope.SESSION, max_scopes=2)
    for session in ("a", "b", "a"):
        one.run(f"open('/tmp/{session}', 'w')", context=who(session))
    one.run("open('/tmp/c', 'w')", context=who("c"))
    assert len(ours()) == 2
    look = "import os; print(os.listdir('/tmp'))"
    assert one.run(look, context=who("a")).stdout == "['a']\n"
    assert one.run(look, context=who("b")).stdout == "[]\n"
    assert len(ours()) == 2


def test_calls_of_one_identity_come_one_after_the_other(box: Callable[..., Box]) -> None:
    """Two calls of a session never run at once; calls of two sessions do."""
    one = box(scope=DockerScope.SESSION, max_concurrency=4)
    with one.held(context=who("a")):
        assert one.run("print('beside')", context=who("b")).stdout == "beside\n"
        late = one.run("print('never')", context=who("a"), timeout_seconds=1)
    assert (late.status, late.stdout) == (SandboxStatus.TIMED_OUT, "")
    assert meta(late)["phase"] == "queue"


def test_a_container_that_died_in_between_is_replaced(box: Callable[..., Box]) -> None:
    """When somebody else killed a retained container the next call gets a fresh one, and says so."""
    one = box(scope=DockerScope.SESSION)
    one.run("open('/tmp/kept', 'w')")
    command("kill", ours()[0])
    assert until(lambda: one.alive == 0)
    again = one.run("import os; print(os.listdir('/tmp'))")
    assert (again.stdout, meta(again)["fresh"]) == ("[]\n", True)
    assert len(ours()) == 1


def test_file_descriptors_of_another_run_are_out_of_reach(box: Callable[..., Box]) -> None:
    """A program sees neither PID 1's descriptors, memory and environment nor those of a run before."""
    one = box(scope=DockerScope.SESSION)
    one.run("print(1)")
    facts = one.facts(
        "import json, os\n"
        "out = []\n"
        "for name in ('fd', 'environ', 'mem', 'map_files', 'cwd'):\n"
        "    try:\n"
        "        path = f'/proc/1/{name}'\n"
        "        os.listdir(path) if os.path.isdir(path) else open(path).read(1)\n"
        "        out.append(name)\n"
        "    except OSError: pass\n"
        "print(json.dumps([out, sorted(map(int, os.listdir('/proc/self/fd')))[:3]]))"
    )
    assert facts == [[], [0, 1, 2]]


def test_calls_of_a_session_leave_nothing_behind_in_the_host_process(
    box: Callable[..., Box],
) -> None:
    """Fifty calls of a session leave no descriptor and no thread behind."""
    one = box(scope=DockerScope.SESSION)
    one.run("print(1)")
    before = open_descriptors(), threading.active_count()
    for number in range(50):
        assert one.run(f"print({number})").stdout == f"{number}\n"

    def no_more() -> bool:
        return open_descriptors() <= before[0] and threading.active_count() <= before[1]

    assert until(no_more), (before, open_descriptors(), threading.enumerate())


def test_warm_containers_are_ready_before_they_are_asked_for(box: Callable[..., Box]) -> None:
    """After the first answer the pool fills; a claimed container is never used again."""
    one = box(warm=2)
    assert meta(one.run("print(1)"))["duration_ms"].keys() >= {"container creation"}
    assert until(lambda: one.waiting == 2 and len(ours()) == 2)
    seen = set()
    result = one.run("import os; print(os.listdir('/tmp')); open('/tmp/mine', 'w')")
    assert result.stdout == "[]\n"
    assert meta(result)["duration_ms"].keys() == {"queue", "execution"}
    seen.add(meta(result)["topology"])
    # A slow machine has the new one before it has removed the used one.
    assert until(lambda: one.waiting == 2 and len(ours()) == 2)
    other = one.run("import os; print(os.listdir('/tmp'))")
    assert other.stdout == "[]\n"
    assert meta(other)["topology"] not in seen


def test_a_dead_warm_container_is_not_handed_out(box: Callable[..., Box]) -> None:
    """A container of the pool that somebody killed is noticed before a program is sent to it."""
    one = box(warm=1)
    one.run("print(1)")
    assert until(lambda: one.waiting == 1)
    command("kill", ours()[0])
    assert until(lambda: one.alive == 0)
    assert one.run("print(2)").stdout == "2\n"


def test_files_go_in_and_come_out(box: Callable[..., Box]) -> None:
    """Input files lie in the working directory; what is under ``outputs/`` comes back, whole."""
    one = box(files=docker.files(max_count=3, max_bytes=100_000))
    data = bytes(range(256)) * 300
    result = one.run(
        "import os, shutil\n"
        "os.makedirs('outputs/deep', exist_ok=True)\n"
        "shutil.copy('in/data.bin', 'outputs/deep/data.bin')\n"
        "open('outputs/name.txt', 'w').write(open('text.txt').read().upper())",
        input_files=(SandboxFile("in/data.bin", data), SandboxFile("text.txt", b"hello")),
    )
    assert result.exit_code == 0, result.stderr
    files = {file.name: (file.data, file.mime_type) for file in result.output_files}
    assert files == {
        "deep/data.bin": (data, "application/octet-stream"),
        "name.txt": (b"HELLO", "text/plain"),
    }


def test_links_devices_and_too_much_do_not_come_out(box: Callable[..., Box]) -> None:
    """What is no plain file within the bounds is counted and left out."""
    one = box(files=docker.files(max_count=2, max_bytes=1000))
    result = one.run(
        "import os\n"
        "os.makedirs('outputs'); os.symlink('/etc/passwd', 'outputs/a-link'); os.mkfifo('outputs/b-pipe')\n"
        "os.symlink('/etc', 'outputs/c-dir'); open('outputs/d', 'w').write('d' * 1001)\n"
        "open('outputs/e', 'w').write('e'); open('outputs/f', 'w').write('f')\n"
        "open('outputs/g', 'w').write('g'); open('outputs/bad\\udcff', 'w').write('h')"
    )
    assert result.exit_code == 0, result.stderr
    assert [file.name for file in result.output_files] == ["e", "f"]
    assert meta(result)["refused_output_files"] == 6


def test_every_file_that_stays_behind_is_counted(box: Callable[..., Box]) -> None:
    """However many are over the bounds, the count is of all of them."""
    result = box(files=docker.files(max_count=2)).run(
        "import os\nos.mkdir('outputs')\nfor n in range(600): open(f'outputs/{n}', 'w').close()"
    )
    assert len(result.output_files) == 2
    assert meta(result)["refused_output_files"] == 598


def test_only_what_a_call_wrote_comes_out_of_it(box: Callable[..., Box]) -> None:
    """In a retained container an output file of an earlier call stays, and is not returned again."""
    one = box(files=docker.files(), scope=DockerScope.SESSION)
    first = one.run("import os; os.mkdir('outputs'); open('outputs/a', 'w').write('1')")
    second = one.run("import os; print(os.listdir('outputs')); open('outputs/b', 'w').write('2')")
    third = one.run("open('outputs/a', 'a').write('3')")
    assert [file.name for file in first.output_files] == ["a"]
    assert (second.stdout, [file.name for file in second.output_files]) == ("['a']\n", ["b"])
    assert [(file.name, file.data) for file in third.output_files] == [("a", b"13")]


def test_quick_calls_in_a_row_return_their_own_files_alone(box: Callable[..., Box]) -> None:
    """Also calls that follow each other within one tick of the files' clock don't see older files as new."""
    one = box(files=docker.files(), scope=DockerScope.SESSION)
    one.run("import os; os.mkdir('outputs')")
    for number in range(60):
        name = f"outputs/{number % 7}"
        result = one.run(f"open({name!r}, 'w').write('{number}')")
        assert [(file.name, file.data) for file in result.output_files] == [
            (str(number % 7), str(number).encode())
        ]


def test_an_input_file_is_no_output_file_until_the_program_changes_it(
    box: Callable[..., Box],
) -> None:
    """What the host put under ``outputs/`` just before the run comes back only if it was changed."""
    one = box(files=docker.files(), scope=DockerScope.SESSION)
    for number in range(10):
        inputs = (SandboxFile("outputs/same", b"s"), SandboxFile("outputs/changed", b"c"))
        result = one.run(f"open('outputs/changed', 'a').write('{number}')", input_files=inputs)
        assert [(file.name, file.data) for file in result.output_files] == [
            ("changed", f"c{number}".encode())
        ]


def test_an_outputs_folder_that_is_a_link_gives_nothing(box: Callable[..., Box]) -> None:
    """``outputs`` itself is not followed when it is a link."""
    one = box(files=docker.files())
    result = one.run("import os; os.symlink('/etc', 'outputs')")
    assert result.output_files == ()
    assert meta(result)["refused_output_files"] == 1


@pytest.mark.parametrize("name", ["../a", "/a", "a/../b", "a//b", ".", "a/./b", "a\0b", "a" * 600])
def test_names_of_input_files_are_plain(name: str) -> None:
    """A name that leads elsewhere is refused before anything is contacted."""
    box = Box(files=docker.files(), base_url="tcp://127.0.0.1:1")
    with pytest.raises(ValueError, match="plain relative paths"):
        box.run("print(1)", input_files=(SandboxFile(name, b"a"),))
    box.close()


def test_input_files_cannot_follow_a_link_of_an_earlier_call(box: Callable[..., Box]) -> None:
    """A link that an earlier call left in the way of an input file is not written through."""
    one = box(files=docker.files(), scope=DockerScope.SESSION)
    one.run("import os; os.mkdir('real'); os.symlink('real', 'link'); os.symlink('real/x', 'file')")
    result = one.run(
        "import os; print(os.path.islink('file'), os.listdir('real'))",
        input_files=(SandboxFile("file", b"new"),),
    )
    assert result.stdout == "False []\n"


@pytest.mark.parametrize(
    ("before", "words"),
    [
        ("import os; os.mkdir('file')", "Is a directory"),
        (FILL, "No space left"),
        ("import os; os.chmod('.', 0)", "Permission denied"),
    ],
    ids=["folder-in-the-way", "no-space", "closed"],
)
def test_input_files_that_cannot_be_written_are_told_and_cost_nobody_the_container(
    box: Callable[..., Box], before: str, words: str
) -> None:
    """The program is not begun, the result says why, and the session goes on where it was."""
    one = box(files=docker.files(), scope=DockerScope.SESSION)
    assert one.run(before).exit_code == 0
    files = tuple(SandboxFile(name, b"x" * 100_000) for name in ("other", "file", "last"))
    result = one.run("print('never')", input_files=files)
    assert (result.status, result.exit_code, result.stdout) == (SandboxStatus.FAILED, None, "")
    assert (meta(result)["reason"], words in result.stderr) == ("input_files", True)
    after = one.run("print('on')")
    assert (after.stdout, meta(after)["fresh"]) == ("on\n", False)


def test_an_input_file_in_the_way_of_another_is_refused() -> None:
    """A file cannot be a folder for another one; that is seen before anything is contacted."""
    one = Box(files=docker.files(), base_url="tcp://127.0.0.1:1")
    files = (SandboxFile("a", b""), SandboxFile("a/b/c", b""))
    with pytest.raises(ValueError, match="a folder that another one lies in"):
        one.run("print(1)", input_files=files)
    one.close()


def test_an_image_is_built_once_per_content(box: Callable[..., Box], tmp_path: Path) -> None:
    """``docker_path`` is built without network, labelled with its digest, and found again."""
    (tmp_path / "Dockerfile").write_text("FROM harnest-test/python\nCOPY data /opt/data\n")
    (tmp_path / "data").write_text(f"{os.getpid()}")
    (tmp_path / ".dockerignore").write_text("secret\n")
    (tmp_path / "secret").write_text("s3cret")
    one = box(image=None, docker_path=str(tmp_path))
    first = one.run("print(open('/opt/data').read(), end='')")
    assert first.stdout == f"{os.getpid()}", (first.stderr, meta(first))
    (tmp_path / "secret").write_text("changed")
    again = box(image=None, docker_path=str(tmp_path))
    assert again.run("print(1)").stdout == "1\n"
    mine = [
        item.resource_id
        for item in again.provider.inventory()
        if item.kind == "image" and f".{os.getpid()}." in item.owner
    ]
    assert len(mine) == 1
    command("image", "rm", *mine)


@pytest.mark.parametrize("line", ["RUN exit 3", "NO-SUCH-STEP x"])
def test_a_build_that_fails_is_told_as_one(
    box: Callable[..., Box], tmp_path: Path, line: str
) -> None:
    """A step that fails and a line that is no step: the error names the build, and nothing stays open."""
    (tmp_path / "Dockerfile").write_text(f"FROM harnest-test/python\n{line}\n")
    one = box(image=None, docker_path=str(tmp_path))
    before = open_descriptors()
    gc.disable()
    try:
        with pytest.raises(DockerImageError, match="the build failed") as caught:
            one.run("print(1)")
        assert open_descriptors() == before
    finally:
        gc.enable()
    assert caught.value.phase == "image build"


def test_the_identity_of_the_tests_is_whole() -> None:
    """The identity that these tests run under has every part."""
    assert all((IDENTITY.agent_name, IDENTITY.user_id, IDENTITY.session_id, IDENTITY.invocation_id))
