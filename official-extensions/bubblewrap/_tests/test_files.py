"""What programs see of the host's files, and what they can change."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harnest.execution import TierUnavailableError, UnsupportedPromiseError
from harnest.execution.local import LocalProgramError

from .support import SOMEONE, Room, request

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.bubblewrap

HOME = "/home/sandbox"
ERRORS = """
import errno, json, os
def told(action):
    try:
        action()
    except OSError as error:
        return errno.errorcode[error.errno]
    return "done"
"""


def test_the_host_s_folders_are_not_there(room: Room) -> None:
    """At the top there are the system, the sandbox's own folders and the way to the interpreter."""
    found = set(room.tell("import json, os; print(json.dumps(os.listdir('/')))"))
    system = {"bin", "lib", "lib32", "lib64", "libx32", "sbin", "usr", "etc"}
    own = {"dev", "home", "proc", "run", "tmp", "var"}
    interpreter = {Path(prefix).parts[1] for prefix in (sys.prefix, sys.base_prefix)}
    assert found <= system | own | interpreter
    assert "sys" not in found


def test_homes_and_temporary_folders_of_the_host_are_invisible(room: Room, tmp_path: Path) -> None:
    """A file beside the work directory, the home of the caller and of root can't be found."""
    secret = tmp_path / "secret"
    secret.write_text("hidden")
    code = f"""
import json, os
print(json.dumps([os.path.exists({str(secret)!r}), os.listdir('/home'), os.listdir('/tmp'),
    os.path.exists('/root/.ssh'), os.path.exists({str(Path.home() / ".cache")!r}),
    os.listdir('/var'), os.listdir('/run')]))
"""
    seen, homes, temporary, keys, cache, var, run = room.tell(code)
    assert (seen, keys, cache) == (False, False, False)
    assert (homes, var, run) == (["sandbox"], ["tmp"], [])
    # What is below /tmp is on the way to the interpreter, if that was installed there.
    prefixes = (Path(sys.prefix), Path(sys.base_prefix))
    ways = {prefix.parts[2] for prefix in prefixes if prefix.is_relative_to("/tmp")}
    assert set(temporary) <= ways


def test_a_home_on_the_way_to_the_interpreter_shows_nothing_but_that_way(room: Room) -> None:
    """Folders above an installation hold the next folder of its path and nothing else."""
    prefixes = [Path(sys.prefix), Path(sys.base_prefix)]
    ways = {str(up) for p in prefixes for up in p.parents if up.parts[1:2] != ("usr",)} - {"/"}
    code = f"import json, os; print(json.dumps({{w: os.listdir(w) for w in {sorted(ways)!r}}}))"
    for way, names in room.tell(code).items():
        allowed = {p.relative_to(way).parts[0] for p in prefixes if p.is_relative_to(way)}
        assert set(names) <= allowed | {"sandbox"}, way


def test_of_etc_there_is_no_account_of_the_host(room: Room) -> None:
    """The users are the sandbox's own; keys and passwords don't exist."""
    code = """
import json, os, pwd
there = [os.path.exists('/etc/' + name) for name in ('shadow', 'ssh', 'machine-id')]
print(json.dumps([[p.pw_name for p in pwd.getpwall()], there, pwd.getpwuid(os.getuid()).pw_dir]))
"""
    assert room.tell(code) == [["root", "sandbox", "nobody"], [False] * 3, HOME]


def test_the_system_is_read_only(room: Room) -> None:
    """No file of the host can be made, changed or removed, and nothing at all outside of three."""
    places = ["/", "/usr", "/usr/bin", "/etc", "/etc/passwd", "/dev", "/run", "/var", "/home"]
    places += [sys.prefix, sys.base_prefix, os.path.realpath(sys.executable)]
    code = f"""{ERRORS}
found = {{}}
for place in {places!r}:
    target = os.path.join(place, 'x') if os.path.isdir(place) else place
    found[place] = [told(lambda: open(target, 'w')), told(lambda: os.rename(place, place + 'y')),
        told(lambda: os.chmod(place, 0o777))]
print(json.dumps(found))
"""
    refused = {"EROFS", "EACCES", "EPERM", "EBUSY", "EXDEV", "ETXTBSY"}
    for place, outcomes in room.tell(code).items():
        assert set(outcomes) <= refused, place


def test_settings_of_the_kernel_cannot_be_written(room: Room) -> None:
    """Not even by programs whose user on the host is root."""
    code = f"""{ERRORS}
names = ['kernel/panic', 'kernel/core_pattern', 'kernel/hostname', 'vm/overcommit_memory',
    'net/ipv4/ip_forward', 'user/max_user_namespaces']
found = [told(lambda: open('/proc/sys/' + name, 'r+')) for name in names]
found += [told(lambda: open(name, 'r+')) for name in
    ('/proc/sysrq-trigger', '/proc/self/oom_score_adj', '/proc/self/uid_map', '/proc/irq/x')]
print(json.dumps(found))
"""
    assert set(room.tell(code)) <= {"EROFS", "EACCES", "EPERM", "ENOENT"}


def test_what_the_kernel_tells_about_the_host_is_covered(room: Room) -> None:
    """Keys, symbols, timers and memory of the kernel can't be read."""
    code = f"""{ERRORS}
names = ['kcore', 'keys', 'key-users', 'kallsyms', 'timer_list', 'kmsg', 'config.gz', 'slabinfo']
print(json.dumps([told(lambda: open('/proc/' + name, 'rb').read(1)) for name in names]))
"""
    assert "done" not in room.tell(code)


def test_the_work_directory_is_writable_and_is_the_host_s(room: Room) -> None:
    """It is where programs start, their home, and what they write is the caller's."""
    code = """
import json, os
os.makedirs('a/b'); open('a/b/c', 'wb').write(bytes(range(256)))
print(json.dumps([os.getcwd(), os.environ['HOME'], os.getuid(), os.getgid(), os.getgroups()]))
"""
    *places, user, group, groups = room.tell(code)
    assert (places, user, group) == ([HOME, HOME], 1000, 1000)
    assert set(groups) <= {1000, 65534}  # those of the caller have no number inside
    assert room.engine.directory == HOME
    made = room.directory / "a/b/c"
    assert made.read_bytes() == bytes(range(256))
    assert made.stat().st_uid == os.getuid()


@pytest.mark.parametrize("name", ["caf\udce9", "a\u2003b\rc", "a b\n,:\\040"])
def test_an_allowed_path_may_have_any_name(
    open_room: Callable[..., Room], tmp_path: Path, name: str
) -> None:
    """Bytes that are no UTF-8 and spaces of any kind are no reason to refuse it."""
    (tmp_path / name).mkdir()
    (tmp_path / name / "file").write_text("content")
    room = open_room(allowed_paths=[tmp_path / name])
    path = ascii(os.fsencode(tmp_path / name / "file"))
    assert room.tell(f"import json\nprint(json.dumps(open({path}).read()))") == "content"


@pytest.mark.parametrize("turned", ["in/data", "in"])
def test_a_link_that_a_program_puts_in_the_way_to_an_allowed_path_is_not_followed(
    open_room: Callable[..., Room], tmp_path: Path, turned: str
) -> None:
    """What it leads to was never allowed; without it programs run again."""
    secret = tmp_path / "secret"
    (secret / "data").mkdir(parents=True)
    (secret / "key").write_text("hidden")
    (secret / "data" / "key").write_text("hidden")
    other = open_room()
    assert other.shell("mkdir -p in/data && echo given > in/data/key").exit_code == 0
    data = other.directory / "in" / "data"
    room = open_room(allowed_paths=[data])
    assert room.shell(f"cat '{data}/key'").stdout == b"given\n"
    assert other.shell(f"mv {turned} away && ln -s '{secret}' {turned}").exit_code == 0
    with pytest.raises(LocalProgramError, match="allowed path"):
        room.shell(f": > ran; cat '{data}/key'")
    assert not (room.directory / "ran").exists()
    assert other.shell(f"rm {turned} && mv away {turned}").exit_code == 0
    assert room.shell(f"cat '{data}/key'").stdout == b"given\n"


def test_an_allowed_path_is_readable_at_its_own_place_and_read_only(
    open_room: Callable[..., Room], tmp_path: Path
) -> None:
    """Its files can be read; they can't be changed, removed, renamed or added to."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "file").write_text("content")
    (tmp_path / "beside").write_text("hidden")
    room = open_room(allowed_paths=[data])
    code = f"""{ERRORS}
base = {str(data)!r}
f = base + '/file'
print(json.dumps([open(f).read(), os.listdir(os.path.dirname(base))] + [told(a) for a in (
    lambda: open(f, 'w'), lambda: open(base + '/new', 'w'), lambda: os.unlink(f),
    lambda: os.rename(f, 'moved'), lambda: os.chmod(f, 0o777), lambda: os.utime(f),
    lambda: os.mkdir(base + '/d'), lambda: os.symlink('x', base + '/l'),
    lambda: os.link(f, 'linked'), lambda: os.truncate(f, 0))]))
"""
    content, beside, *outcomes = room.tell(code)
    assert (content, beside) == ("content", ["data"])
    assert set(outcomes) <= {"EROFS", "EXDEV"}
    assert (data / "file").read_text() == "content"


@pytest.mark.parametrize("path", ["/proc", "/run", "/dev", "/sys", "/tmp", "/home"])
def test_a_path_that_would_open_the_sandbox_is_refused_before_anything_runs(
    open_room: Callable[..., Room], path: str
) -> None:
    """The kernel's folders, daemons' sockets and the sandbox's own places can't be allowed."""
    with pytest.raises(UnsupportedPromiseError, match="allowed_paths"):
        open_room(allowed_paths=[path])


def test_links_lead_nowhere_but_inside(room: Room, tmp_path: Path) -> None:
    """A link that points out of the work directory ends at what the sandbox shows there."""
    secret = tmp_path / "secret"
    secret.write_text("hidden")
    room.directory.joinpath("made-by-host").symlink_to(secret)
    up = "../" * 12
    code = f"""{ERRORS}
os.symlink({str(secret)!r}, 'absolute'); os.symlink({up!r} + {str(secret)[1:]!r}, 'relative')
os.symlink('/proc/1/root' + {str(secret)!r}, 'root'); os.symlink('/proc/1/cwd/../../secret', 'cwd')
print(json.dumps([told(lambda: open(name).read()) for name in
    ('absolute', 'relative', 'root', 'cwd', 'made-by-host')]))
"""
    assert set(room.tell(code)) <= {"ENOENT", "EACCES"}


def test_the_work_directory_itself_cannot_be_replaced(room: Room) -> None:
    """It is a place where something is mounted: it can't be moved, removed or made a link."""
    code = f"""{ERRORS}
print(json.dumps([told(lambda: os.rename('{HOME}', '/tmp/x')), told(lambda: os.rmdir('{HOME}'))]))
"""
    assert set(room.tell(code)) <= {"EBUSY", "EROFS", "EXDEV"}


def test_the_code_of_a_call_is_in_no_file_that_another_call_could_replace(
    room: Room, tmp_path: Path
) -> None:
    """A link put at any name of the work directory redirects nothing that the host writes."""
    victim = tmp_path / "victim"
    victim.write_text("untouched")
    names = ["main.py", "code.py", "script.py", "script.sh", "stdin", "input", "__main__.py"]
    room.python(f"import os\nfor n in {names!r}: os.symlink({str(victim)!r}, n)")
    assert room.python("print('second')").stdout == b"second\n"
    assert room.shell("cat", stdin=b"third").stdout == b"third"
    assert victim.read_text() == "untouched"


def test_a_setuid_program_gives_nothing(open_room: Callable[..., Room], tmp_path: Path) -> None:
    """Nothing is mounted with set-user-id in force, and no new privileges can be had."""
    copy = tmp_path / "id"
    shutil.copy("/usr/bin/id", copy)
    copy.chmod(0o6755)
    room = open_room(allowed_paths=[copy])
    result = room.shell(f"{copy} -u; {copy} -ru; grep -E 'NoNewPrivs' /proc/self/status")
    assert result.stdout.split() == [b"1000", b"1000", b"NoNewPrivs:", b"1"]
    lines = room.shell("cat /proc/self/mountinfo").stdout.decode().splitlines()
    assert lines
    assert [line for line in lines if "nosuid" not in line.split()[5].split(",")] == []


def test_no_setuid_file_can_be_left_behind(room: Room) -> None:
    """What a program makes can't run with its owner's rights on the host."""
    code = f"""{ERRORS}
open('f', 'w').close()
fd = os.open('f', os.O_RDONLY)
print(json.dumps([told(a) for a in (lambda: os.chmod('f', 0o4755), lambda: os.fchmod(fd, 0o2755),
    lambda: os.open('g', os.O_CREAT | os.O_WRONLY, 0o4755), lambda: os.mknod('h', 0o104755),
    lambda: os.chmod('f', 0o755))]))
"""
    assert room.tell(code) == ["EPERM", "EPERM", "EPERM", "EPERM", "done"]
    modes = [path.stat().st_mode & 0o7000 for path in room.directory.iterdir()]
    assert modes == [0]


def test_device_nodes_can_be_neither_made_nor_found(room: Room) -> None:
    """There are the harmless ones, and disks and memory can't be opened."""
    code = f"""{ERRORS}
print(json.dumps([sorted(os.listdir('/dev')), told(lambda: os.mknod('d', 0o20666, 0x101)),
    told(lambda: os.mknod('/tmp/d', 0o60666, 0xfe00))]))
"""
    names, character, block = room.tell(code)
    harmless = (
        "console core fd full mqueue null ptmx pts random shm stderr stdin stdout tty urandom zero"
    )
    assert set(names) <= set(harmless.split())
    assert (character, block) == ("EPERM", "EPERM")


def test_nothing_that_programs_can_replace_is_shown(host: None, tmp_path: Path) -> None:
    """A link in its place would show the next sandbox any place of the host."""
    work = (tmp_path / "work").resolve()
    (work / "data").mkdir(parents=True)
    (work / "python").symlink_to(os.path.realpath(sys.executable))
    (work / "bin").mkdir()
    shutil.copy(os.path.realpath(sys.executable), work / "bin" / "python")
    with pytest.raises(UnsupportedPromiseError, match="work directory"):
        Room.open(work, allowed_paths=[work / "data"])
    with pytest.raises(TierUnavailableError, match=r"work directory|does not run"):
        Room.open(work, python=str(work / "bin" / "python"))


def test_an_environment_in_the_work_directory_gives_way_to_what_it_was_made_from(
    host: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs may change their own environment; what runs the supervisor is none of it."""
    work = tmp_path.resolve()
    environment = work / "venv"
    (environment / "bin").mkdir(parents=True)
    own = environment / "bin" / "python"
    own.symlink_to(os.path.realpath(sys.executable))
    monkeypatch.setattr(sys, "prefix", str(environment))
    monkeypatch.setattr(sys, "executable", str(own))
    room = Room.open(work)
    code = "import json, sys; print(json.dumps([sys.executable, sys.prefix]))"
    executable, prefix = room.tell(code)
    assert not executable.startswith(str(work))
    assert not prefix.startswith(str(work))


def test_a_program_starts_with_its_streams_and_no_other_descriptor(room: Room) -> None:
    """Neither the supervisor's nor bwrap's are passed on."""
    code = """
import json, os
there = []
for number in range(256):
    try:
        os.fstat(number)
    except OSError:
        continue
    there.append(number)
print(json.dumps(there))
"""
    assert room.tell(code) == [0, 1, 2]
    result = room.shell("ls /proc/self/fd | tr '\\n' ' '")
    assert result.stdout.split() == [b"0", b"1", b"2", b"3"]  # the last is ls's own


def test_a_missing_tool_is_named_with_a_remedy(
    open_room: Callable[..., Room], tmp_path: Path
) -> None:
    """An interpreter that is not there fails before anything is run."""
    with pytest.raises(TierUnavailableError) as refusal:
        open_room(python="/nowhere/python")
    assert refusal.value.tier == "bubblewrap"
    assert "interpreter" in refusal.value.reason
    assert refusal.value.remedy


@pytest.mark.parametrize("mode", [0, 0o500])
def test_a_session_whose_program_closed_its_directory_can_use_it_again(
    make: Callable[..., Any], mode: int
) -> None:
    """Its files are still there."""
    provider = make(scope="session")
    code = f"import os; open('mine', 'x').close(); os.chmod('.', {mode})"
    assert provider.execute(request(code, context=SOMEONE)).exit_code == 0
    code = "import os; open('more', 'x').close(); print(sorted(os.listdir('.')))"
    assert provider.execute(request(code, context=SOMEONE)).stdout == "['mine', 'more']\n"
