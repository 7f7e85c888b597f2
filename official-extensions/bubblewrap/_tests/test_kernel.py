"""Which system calls get through, tried from inside, and what processes can do to others."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from harnest_extension_bubblewrap.lib.seccomp.numbers import numbers

from .support import alive
from .test_seccomp import REACHING

if TYPE_CHECKING:
    from .support import Room

MACHINE = os.uname().machine
CALL = f"""
import ctypes, errno, json, os
libc = ctypes.CDLL(None, use_errno=True)
numbers = {numbers(MACHINE) if MACHINE in ("x86_64", "aarch64") else {}!r}
def call(name, *arguments):
    ctypes.set_errno(0)
    values = [ctypes.c_ulong(a) if isinstance(a, int) else a for a in arguments]
    found = libc.syscall(ctypes.c_long(numbers.get(name, name)), *values)
    return errno.errorcode[ctypes.get_errno()] if found == -1 else 'done'
"""


def test_every_call_that_reaches_beyond_is_refused_inside(room: Room) -> None:
    """Each of them was made, and each failed with EPERM: keyrings, tracing, mounts, kernels."""
    names = [name for name in REACHING.split() if name in numbers(MACHINE)]
    code = f"{CALL}\nprint(json.dumps({{n: call(n, 0, 0, 0, 0, 0, 0) for n in {names!r}}}))"
    assert room.tell(code) == dict.fromkeys(names, "EPERM")


def test_the_filter_and_not_a_missing_right_is_what_refuses(room: Room) -> None:
    """These succeed, or fail otherwise, for any user of a host: here they end with EPERM."""
    ordinary = ["ptrace", "shmget", "add_key", "keyctl", "userfaultfd", "io_uring_setup"]
    outside = subprocess.run(
        [sys.executable, "-c", f"{CALL}\nprint(call('ptrace', 0, 0, 0, 0))"],
        capture_output=True,
        check=True,
        text=True,
    )
    assert outside.stdout == "done\n"  # PTRACE_TRACEME
    code = f"{CALL}\nprint(json.dumps([call(n, 0, 0, 0, 0, 0) for n in {ordinary!r}]))"
    assert room.tell(code) == ["EPERM"] * len(ordinary)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("'clone', 0x10000011, 0, 0, 0, 0", "EPERM"),
        ("'clone', 0x20011, 0, 0, 0, 0", "EPERM"),
        ("'clone3', 0, 0", "ENOSYS"),
        ("'openat2', 0, 0, 0, 0", "ENOSYS"),
        ("'unshare', 0x10000000", "EPERM"),
        ("'setns', 0, 0", "EPERM"),
        ("'mount', 0, 0, 0, 0, 0", "EPERM"),
        ("'ioctl', 0, 0x5412, 0", "EPERM"),
        ("'ioctl', 0, 0x100005412, 0", "EPERM"),
        ("'ioctl', 0, 0x541c, 0", "EPERM"),
        ("'personality', 0x40000", "EPERM"),
        ("'personality', 0xffffffff", "done"),
        ("'socket', 0x100000028, 1, 0", "EAFNOSUPPORT"),
        ("'prlimit64', 1, 7, 0, 0", "EPERM"),
        ("'setpriority', 0, 1, 19", "EPERM"),
        ("'sched_setaffinity', 1, 8, 0", "EPERM"),
        ("'memfd_create', b'x', 0", "done"),
        ("9999, 0", "ENOSYS"),
    ],
)
def test_a_rule_holds_inside(room: Room, call: str, expected: str) -> None:
    """What the filter's rules say is what the kernel does."""
    assert room.tell(f"{CALL}\nprint(json.dumps(call({call})))") == expected


def test_a_terminal_s_input_cannot_be_forged(room: Room) -> None:
    """TIOCSTI is refused on a terminal of the program's own as well."""
    code = """
import errno, fcntl, json, os, pty, termios
controller, terminal = pty.openpty()
try:
    fcntl.ioctl(terminal, termios.TIOCSTI, b'x'); print(json.dumps('typed'))
except OSError as error:
    print(json.dumps(errno.errorcode[error.errno]))
"""
    assert room.tell(code) == "EPERM"


@pytest.mark.skipif(MACHINE != "x86_64", reason="only x86_64 has calls of another word size")
def test_a_32_bit_call_ends_the_program(room: Room) -> None:
    """Its numbers mean other calls, so the filter doesn't let any through."""
    code = """
import ctypes, mmap
# mov eax, 20 (getpid); int 0x80; ret
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(bytes([0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3]))
function = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
print('asked', flush=True); print(function())
"""
    result = room.python(code)
    assert (result.stdout, result.exit_code) == (b"asked\n", 128 + 31)


def test_no_process_inside_has_a_capability(room: Room) -> None:
    """Not the program, not process 1, and not by the bounding set either."""
    code = """
import json
found = {}
for pid in ('self', '1'):
    for line in open(f'/proc/{pid}/status'):
        if line.startswith(('Cap', 'NoNew', 'Seccomp:')):
            name, value = line.split()
            found[pid + name] = value
print(json.dumps(found))
"""
    found = room.tell(code)
    for pid in ("self", "1"):
        for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            assert found[f"{pid}{name}:"] == "0" * 16
        assert (found[f"{pid}NoNewPrivs:"], found[f"{pid}Seccomp:"]) == ("1", "2")


def test_proc_shows_the_sandbox_s_processes_only(room: Room) -> None:
    """The host's are neither listed nor can they be signalled or looked at."""
    code = f"""
import json, os
names = [n for n in os.listdir('/proc') if n.isdigit()]
try:
    os.kill({os.getpid()}, 0); there = True
except ProcessLookupError:
    there = False
print(json.dumps([names, there, os.path.exists('/proc/{os.getpid()}'), os.getpid()]))
"""
    assert os.getpid() > 10
    names, there, listed, own = room.tell(code)
    assert set(names) == {"1", str(own)}
    assert (there, listed) == (False, False)


def test_a_kill_of_everything_harms_the_program_alone(room: Room) -> None:
    """Processes of the same user on the host live on, and the outcome is still told."""
    with subprocess.Popen(["/bin/sleep", "600"]) as bystander:
        code = "import os, time\nif os.fork() == 0: time.sleep(600)\n"
        code += "os.kill(-1, 9)\nprint('still here')"
        try:
            result = room.python(code)
            assert alive(bystander.pid)
        finally:
            bystander.kill()
    assert (result.stdout, result.exit_code) == (b"still here\n", 0)


def test_process_1_cannot_be_ended_suspended_or_traced_from_inside(room: Room) -> None:
    """It goes on to tell the outcome whatever the program sends it."""
    code = """
import os, signal
for number in range(1, 32):
    try:
        os.kill(1, number)
    except OSError:
        pass
opened = []
for number in range(256):
    for way in (os.O_RDONLY, os.O_WRONLY):
        try:
            opened.append(os.open(f'/proc/1/fd/{number}', way))
        except OSError:
            pass
for name in ('mem', 'environ', 'maps', 'cwd/.', 'root/.'):
    try:
        opened.append(os.open(f'/proc/1/{name}', os.O_RDONLY))
    except OSError:
        pass
print(opened)
"""
    result = room.python(code)
    assert (result.stdout, result.exit_code) == (b"[]\n", 0)


def test_the_name_of_the_machine_is_not_the_host_s(room: Room) -> None:
    """And it can't be changed."""
    code = "import json, os, socket; print(json.dumps([os.uname().nodename, socket.gethostname()]))"
    assert room.tell(code) == ["sandbox", "sandbox"]
