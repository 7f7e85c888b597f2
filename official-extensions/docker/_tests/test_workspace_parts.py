"""The parts of the workspace tier on their own: emptying scratch, feeding input, rules for modes."""

from __future__ import annotations

import json
import os
import stat
from typing import TYPE_CHECKING

import pytest
from harnest.extensions.docker.lib.pid1 import wire
from harnest.extensions.docker.lib.pid1.link import Link
from harnest.extensions.docker.lib.pid1.scratch import clear
from harnest.extensions.docker.lib.plan.seccomp import profile
from harnest.extensions.docker.lib.plan.work import Bind, WorkPlan
from harnest.extensions.docker.lib.run.program import Ending
from harnest.extensions.docker.lib.run.task import Feed, Surroundings, Task, TaskKind, TaskResult
from harnest.extensions.docker.lib.workspace.probe import Expected, Seen
from harnest.extensions.docker.lib.workspace.result import result_of
from workspaces import Shop

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

AROUND = Surroundings(
    directory="/workspace",
    shell="/bin/sh",
    cpu_seconds=60,
    file_bytes=100,
    space_bytes=0,
    scratch=("/tmp", "/dev/shm"),
    mounts=("/workspace", "/data"),
    variables=(("A", "b c"),),
)


def test_a_folder_is_emptied_whatever_is_in_it(tmp_path: Path) -> None:
    """Closed folders, links, odd names and a tree deeper than any path all go; the folder stays."""
    top, outside = tmp_path / "top", tmp_path / "outside"
    top.mkdir()
    outside.mkdir()
    (outside / "kept").touch()
    folder = os.open(top, os.O_RDONLY)
    for _ in range(120):
        os.mkdir("d" * 100, dir_fd=folder)
        inner = os.open("d" * 100, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)
    (top / "link").symlink_to(outside)
    os.mkfifo(top / "pipe")
    (top / os.fsdecode(b"\xff\n -")).touch()
    (top / "closed").mkdir()
    (top / "closed" / "in").mkdir()
    (top / "closed").chmod(0)
    clear(str(top))
    assert list(top.iterdir()) == []
    assert [path.name for path in outside.iterdir()] == ["kept"]


@pytest.mark.skipif(os.geteuid() != 0, reason="giving a folder away needs root")
def test_what_belongs_to_somebody_else_stays(tmp_path: Path) -> None:
    """Folders that the runtime made to mount something in are left, with what is in them."""
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "file").touch()
    (tmp_path / "mine").touch()
    os.chown(tmp_path / "theirs", 4321, 4321)
    clear(str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["theirs"]
    assert (tmp_path / "theirs" / "file").exists()


def frames(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Take frames of the host apart."""
    while data:
        kind, size = wire.HEADER.unpack_from(data)
        yield kind, data[wire.HEADER.size : wire.HEADER.size + size]
        data = data[wire.HEADER.size + size :]


@pytest.mark.parametrize("size", [0, 1, 65_536, 65_537, 200_000])
def test_input_is_cut_into_frames_with_an_end(size: int) -> None:
    """Whatever is taken at a time, the frames hold the input in order and end with an empty one."""
    data, sent = os.urandom(size), bytearray()
    feed = Feed(data)
    while feed.waiting:
        part = bytes(feed.waiting[:40_001])
        sent += part
        feed.sent(len(part))
    cut = list(frames(bytes(sent)))
    assert {kind for kind, _ in cut} == {wire.STDIN}
    assert b"".join(payload for _, payload in cut) == data
    assert [len(payload) for _, payload in cut].index(0) == len(cut) - 1


def test_dropped_input_leaves_no_half_frame() -> None:
    """Input that is not wanted any more ends with the frame that was begun, and nothing follows."""
    feed = Feed(b"x" * 100_000)
    begun = bytes(feed.waiting[:100])
    feed.sent(100)
    assert [len(payload) for _, payload in frames(begun + feed.rest())] == [65_536]
    assert not feed.waiting
    assert not Feed(None).waiting
    assert Feed(b"abc").rest() == b""


def test_a_task_s_frame_is_what_pid_1_reads() -> None:
    """Numbers and texts arrive in the order that the frame's description says."""
    task = Task(kind=TaskKind.SHELL, text="ls", stdin=b"", output_bytes=7, surroundings=AROUND)
    [(kind, payload)] = list(frames(task.frame(1.5)))
    assert kind == wire.TASK
    head = wire.TASK_HEAD.unpack_from(payload)
    assert head == (1.5, 7, wire.SHELL, 1, 60, 100, 0, 2, 2)
    texts = payload[wire.TASK_HEAD.size :].split(b"\0")
    assert texts == [
        *(b"/workspace", b"/bin/sh", b"", b"ls"),
        *(b"/tmp", b"/dev/shm", b"/workspace", b"/data", b"A=b c"),
    ]
    assert "b c" not in repr(task)


def test_pid_1_never_waits_for_the_rest_of_a_frame() -> None:
    """Half a frame of the host's is kept until the rest is there, also across the way it is read."""
    ours, theirs = os.pipe()
    sink = os.open(os.devnull, os.O_WRONLY)
    link = Link(ours, sink)
    frame = wire.pack(wire.STDIN, b"abc") + wire.pack(wire.BEAT) + wire.pack(wire.TASK, b"later")
    for byte in frame[:-2]:
        os.write(theirs, bytes([byte]))
        link.listen()
    assert link.heard(100) == (wire.STDIN, b"abc")
    assert link.heard(100) == (wire.BEAT, b"")
    assert link.heard(100) is None
    assert link.ahead
    os.write(theirs, frame[-2:])
    assert link.frame(100) == (wire.TASK, b"later")
    assert not link.ahead
    os.write(theirs, wire.pack(wire.STDIN, b"x" * 200))
    link.listen()
    with pytest.raises(ValueError, match="200 bytes, over 100"):
        link.heard(100)
    for number in (ours, theirs, sink):
        os.close(number)


def allowed(rules: list[dict[str, object]], name: str, argument: int, value: int) -> bool:
    """Return whether a rule allows a call whose one argument has a value."""
    for rule in rules:
        if name in rule["names"] and rule["action"] == "SCMP_ACT_ALLOW":  # type: ignore[operator]
            conditions = rule.get("args", [])
            assert isinstance(conditions, list)
            if all(
                item["index"] == argument and value & item["value"] == item["valueTwo"]
                for item in conditions
            ):
                return True
    return False


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_modes_of_files_are_looked_at_in_workspaces_alone(machine: str) -> None:
    """Where files of the host are, no call can set a user, a group, or make a device; elsewhere all can."""
    rules = json.loads(profile(machine, work=True))["syscalls"]
    places = {"chmod": 1, "fchmod": 1, "fchmodat": 2, "open": 2, "openat": 3, "creat": 1}
    for name, argument in places.items():
        assert allowed(rules, name, argument, 0o1777)
        assert allowed(rules, name, argument, 0o100644)
        for bits in (0o4000, 0o2000, 0o6755, 0xFFFF_FFFF):
            assert not allowed(rules, name, argument, bits), (name, oct(bits))
    for name, argument in {"mknod": 1, "mknodat": 2}.items():
        for kind in (0, stat.S_IFREG, stat.S_IFIFO, stat.S_IFSOCK):
            assert allowed(rules, name, argument, kind | 0o644)
            assert not allowed(rules, name, argument, kind | 0o4644)
        for kind in (stat.S_IFCHR, stat.S_IFBLK):
            assert not allowed(rules, name, argument, kind | 0o644)
    assert not allowed(rules, "openat2", 0, 0)
    plain = json.loads(profile(machine))["syscalls"]
    assert allowed(plain, "chmod", 1, 0o4755)
    assert allowed(plain, "openat2", 0, 0)


def test_volumes_in_shown_folders_are_found_whatever_their_spelling() -> None:
    """A volume at or below a folder of the host's is a conflict, a neighbour with a longer name is not."""
    work = WorkPlan(
        uid=1,
        gid=1,
        binds=(
            Bind(source="/a", target="/workspace", writable=True),
            Bind(source="/data/in", target="/data/in"),
        ),
    )
    volumes = ("/workspace/", "/workspace/a", "/workspaces", "/data", "/data/in/x/", "/cache")
    assert work.conflicts(volumes) == ["/workspace/", "/workspace/a", "/data/in/x/"]


def result(**facts: object) -> TaskResult:
    """Return what came of a task that ended so."""
    came = TaskResult()
    came.take(wire.STDOUT, b"out")
    came.ending = Ending(**facts)  # type: ignore[arg-type]
    return came


def test_a_result_follows_from_evidence_alone() -> None:
    """Exit codes, signals and counters become what they are, and nothing that they are not."""
    plain = result_of(result(exit_code=124, seconds=0.0001), 9.0)
    assert (plain.exit_code, plain.timed_out, plain.memory_exceeded) == (124, False, False)
    assert (plain.stdout, plain.execution_time_ms) == (b"out", 1)
    late = result_of(result(reason="deadline"), 1.25)
    assert (late.exit_code, late.timed_out, late.execution_time_ms) == (None, True, 1250)
    greedy = result_of(result(signal=9, oom_kills=1), 1.0)
    assert (greedy.exit_code, greedy.memory_exceeded) == (137, True)
    loud = result_of(result(reason="output_limit", dropped={"stdout": 5, "stderr": 0}), 1.0)
    assert (loud.exit_code, loud.truncated, loud.timed_out) == (None, True, False)
    assert not Ending(spoiled=True).clean
    assert Ending().clean


BINDS = (
    Bind(source="/host/work", target="/workspace", writable=True),
    Bind(source="/host/data", target="/host/data"),
)
EXPECTED = Expected(
    binds=BINDS,
    seen=(Seen(1, 2, 3_000, stat.S_IFDIR), Seen(1, 5, 6_000, stat.S_IFREG)),
    uid=7,
    gid=8,
    network=False,
    shell="/bin/sh",
    python="/bin/py",
)
FACTS: dict[str, object] = {
    "seen": [[1, 2, 9_000, stat.S_IFDIR], [1, 5, 9_000, stat.S_IFREG]],
    "read_only": [False, True],
    "writable": True,
    "tools": [],
    "user": [7, 7, 8, 8, 8],
    "interfaces": ["lo", "sit0"],
    "no_setuid": True,
    "no_setgid": True,
    "no_devices": True,
}


def answered(facts: object, **ending: object) -> TaskResult:
    """Return the answer of a probe."""
    came = TaskResult()
    came.take(wire.STDOUT, json.dumps(facts).encode())
    came.ending = Ending(**ending)  # type: ignore[arg-type]
    return came


def test_a_container_that_keeps_everything_is_worked_with() -> None:
    """Nothing is broken in an answer as expected; folders of a virtual machine are known by their times."""
    assert EXPECTED.broken(answered(FACTS)) == []
    times = [[8, 8, 3_999, stat.S_IFDIR], [8, 9, 6_000, stat.S_IFREG]]
    assert EXPECTED.broken(answered(FACTS | {"seen": times})) == []


@pytest.mark.parametrize(
    ("changed", "broken"),
    [
        ({"seen": [[1, 3, 9, stat.S_IFDIR], [1, 5, 9, stat.S_IFREG]]}, "own work directory"),
        ({"seen": [[1, 2, 9, stat.S_IFDIR], [1, 5, 9, stat.S_IFDIR]]}, "own allowed paths"),
        ({"seen": [[1, 2, 9, stat.S_IFDIR]]}, "an answer"),
        ({"read_only": [False, False]}, "read-only"),
        ({"writable": False}, "can be written"),
        ({"tools": ["/bin/sh"]}, "shell '/bin/sh'"),
        ({"tools": ["/bin/py"]}, "python '/bin/py'"),
        ({"tools": ["/bin/other"]}, "shell and an interpreter"),
        ({"tools": None}, "an answer"),
        ({"user": [0, 7, 8, 8]}, "the user"),
        ({"user": [7, 7, 8, 8, 0]}, "the group alone"),
        ({"interfaces": ["eth0", "lo"]}, "no network"),
        ({"no_setuid": False}, "set-user-ID"),
        ({"no_setgid": False}, "set-user-ID"),
        ({"no_devices": False}, "no devices"),
        ({"no_devices": None}, "no devices"),
    ],
)
def test_each_thing_that_does_not_hold_is_named(changed: dict[str, object], broken: str) -> None:
    """A container in which one promise is broken is refused by the name of that promise."""
    names = EXPECTED.broken(answered(FACTS | changed))
    assert any(broken in name for name in names), names


@pytest.mark.parametrize(
    "came",
    [
        answered([]),
        answered({}),
        answered(FACTS, exit_code=1),
        answered(FACTS, reason="deadline"),
        answered(FACTS, signal=9),
        TaskResult(),
    ],
)
def test_a_probe_without_an_answer_is_no_proof(came: TaskResult) -> None:
    """An answer that is missing, odd, or of a program that did not end well proves nothing."""
    assert EXPECTED.broken(came) == ["an answer from inside"]


def test_node_runs_under_the_limits(daemon: None) -> None:
    """Node, which reserves far more address space than its memory, starts in a workspace.

    Not among the tests that have to run where there is a daemon: the test image holds no node.
    """
    shop = Shop()
    try:
        if shop.sh("command -v node").exit_code:
            pytest.skip("the image holds no node; the test of large address spaces stands for it")
        assert shop.out("node -e 'console.log(6 * 7)'") == "42\n"
    finally:
        shop.close()
