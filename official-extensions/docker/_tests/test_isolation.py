"""Probes from inside: what a hostile program tries, and what must come of it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from harnest.extensions.docker import DockerScope

from conftest import Box, meta, patiently
from harnest.sandbox import (
    SandboxBudget,
    SandboxContext,
    SandboxNetworkPolicy,
    SandboxResult,
    SandboxStatus,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.docker
X86 = pytest.mark.skipif(os.uname().machine != "x86_64", reason="the machine code is for x86-64")
PRELUDE = """\
import ctypes, errno, json, os, resource, signal, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
def call(number, *arguments):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *(ctypes.c_long(a) if isinstance(a, int) else a for a in arguments))
    return errno.errorcode.get(ctypes.get_errno(), '?') if result == -1 else 'done'
def attempt(action):
    try: action()
    except OSError as error: return errno.errorcode.get(error.errno, '?')
    return 'done'
def dies(action):
    child = os.fork()
    if child == 0:
        action(); os._exit(0)
    return os.WTERMSIG(os.waitpid(child, 0)[1])
"""


@pytest.fixture(scope="module")
def session(daemon: None) -> Iterator[Box]:
    """One retained container for probes that must leave it as it was."""
    box = Box(scope=DockerScope.SESSION)
    yield box
    box.close()


def probe(box: Box, code: str) -> Any:
    """Run a probe and return what it printed as JSON."""
    return box.facts(PRELUDE + code)


def test_no_capability_in_any_set(session: Box) -> None:
    """Every set of capabilities is empty."""
    facts = probe(
        session,
        "print(json.dumps([l.split()[1] for l in open('/proc/self/status') if l.startswith('Cap')]))",
    )
    assert set(facts) == {"0" * 16}


def test_no_new_privileges_and_a_filter(session: Box) -> None:
    """Privileges cannot be gained, and every system call is filtered."""
    facts = probe(
        session,
        "print(json.dumps(dict(l.split() for l in open('/proc/self/status') "
        "if l.startswith(('NoNewPrivs', 'Seccomp:')))))",
    )
    assert facts == {"NoNewPrivs:": "1", "Seccomp:": "2"}


def test_the_user_is_nobody_else(daemon: None, session: Box) -> None:
    """Two containers have two user numbers, neither root nor nobody, with a name for libraries."""
    code = (
        "print(json.dumps([os.getuid(), os.getgid(), os.environ['USER'], os.environ['LOGNAME']]))"
    )
    other = SandboxContext(agent_name="a", user_id="u", session_id="other")
    first = probe(session, code)
    second = session.facts(PRELUDE + code, context=other)
    assert first[0] == first[1] != second[0] == second[1]
    assert not {first[0], second[0]} & {0, 65_534}
    assert first[2:] == ["sandbox", "sandbox"]


def test_the_root_is_read_only(session: Box) -> None:
    """Nothing outside /tmp and /dev/shm can be written."""
    facts = probe(
        session,
        "print(json.dumps([attempt(lambda: open(p + '/x', 'w')) for p in "
        "('', '/etc', '/usr/lib', '/var/tmp', '/root', '/proc', '/sys', '/dev')]))",
    )
    assert set(facts) <= {"EROFS", "EACCES", "ENOENT", "EPERM"}


def test_nothing_of_the_host_is_mounted(session: Box) -> None:
    """There is no bind mount but the three files of Docker's own, and no control socket."""
    facts = probe(
        session,
        "rows = [l.split() for l in open('/proc/mounts')]\n"
        "disks = sorted(r[1] for r in rows if r[0].startswith('/dev/'))\n"
        "sockets = [p for p in ('/var/run/docker.sock', '/run/docker.sock', "
        "'/run/containerd/containerd.sock', '/run/podman/podman.sock') if os.path.exists(p)]\n"
        "print(json.dumps([disks, sockets]))",
    )
    assert set(facts[0]) <= {"/etc/hostname", "/etc/hosts", "/etc/resolv.conf"}
    assert facts[1] == []


def test_a_file_of_the_host_is_not_there(session: Box, tmp_path: Path) -> None:
    """A file that the host has just written cannot be seen."""
    canary = tmp_path / "canary"
    canary.write_text("host")
    assert probe(session, f"print(json.dumps(attempt(lambda: open({str(canary)!r}))))") == "ENOENT"


def test_devices_can_be_neither_made_nor_opened(session: Box) -> None:
    """There are no disks, no kernel memory or log, and nodes cannot be made."""
    facts = probe(
        session,
        "import stat\n"
        "blocks = [n for n in os.listdir('/dev') if stat.S_ISBLK(os.lstat('/dev/' + n).st_mode)]\n"
        "made = [attempt(lambda: os.mknod('/tmp/n', stat.S_IFCHR | 0o600, os.makedev(1, 1))), "
        "attempt(lambda: os.mknod('/tmp/n', stat.S_IFBLK | 0o600, os.makedev(8, 0)))]\n"
        "opened = [attempt(lambda: open(p, 'rb').read(1)) for p in ('/dev/mem', '/dev/kmsg', '/dev/sda')]\n"
        "print(json.dumps([blocks, made, opened]))",
    )
    assert facts[0] == []
    assert facts[1] == ["EPERM", "EPERM"]
    assert "done" not in facts[2]


def test_proc_gives_no_handle_on_the_kernel(session: Box) -> None:
    """Kernel memory, key lists, triggers and settings are empty or read-only."""
    facts = probe(
        session,
        "reads = {p: attempt(lambda: open(p, 'rb').read(16) and None) for p in ('/proc/kcore', '/proc/keys')}\n"
        "sizes = [len(open(p, 'rb').read(16)) if reads[p] == 'done' else 0 for p in reads]\n"
        "writes = [attempt(lambda: open(p, 'w').write('1')) for p in ('/proc/sysrq-trigger', "
        "'/proc/sys/kernel/core_pattern', '/proc/sys/vm/drop_caches', '/proc/1/oom_score_adj', '/proc/1/comm')]\n"
        "print(json.dumps([sizes, writes]))",
    )
    assert facts[0] == [0, 0]
    assert "done" not in facts[1]


def test_pid_one_cannot_be_touched(session: Box) -> None:
    """No signal, limit, priority, affinity or trace reaches PID 1."""
    facts = probe(
        session,
        "out = {}\n"
        "for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGINT, signal.SIGKILL): os.kill(1, number)\n"
        "out['prlimit'] = attempt(lambda: resource.prlimit(1, resource.RLIMIT_CPU, (1, 1)))\n"
        "out['setpriority'] = attempt(lambda: os.setpriority(os.PRIO_PROCESS, 1, 19))\n"
        "out['group'] = attempt(lambda: os.setpriority(os.PRIO_USER, 0, 19))\n"
        "out['affinity'] = attempt(lambda: os.sched_setaffinity(1, {0}))\n"
        "out['scheduler'] = attempt(lambda: os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0)))\n"
        "if os.uname().machine == 'x86_64':\n"
        "    out['ioprio'] = call(251, 1, 1, 3 << 13)\n"
        "    out['ptrace'] = call(101, 16, 1, 0, 0)\n"
        "    out['vm_read'] = call(310, 1, 0, 0, 0, 0, 0)\n"
        "    out['getfd'] = call(438, os.pidfd_open(1), 0, 0)\n"
        "    out['kcmp'] = call(312, 1, os.getpid(), 0, 0, 0)\n"
        "out['fds'] = attempt(lambda: os.listdir('/proc/1/fd'))\n"
        "print(json.dumps(out))",
    )
    assert set(facts.values()) <= {"EPERM", "EACCES", "ENOSYS"}
    assert probe(session, "print(json.dumps(1))") == 1


def test_only_known_socket_families(session: Box) -> None:
    """Unix, IP and netlink sockets only, also with high bits set in the family."""
    facts = probe(
        session,
        "number = {'x86_64': 41, 'aarch64': 198}[os.uname().machine]\n"
        "families = {'unix': 1, 'inet': 2, 'inet6': 10, 'netlink': 16, 'packet': 17, 'alg': 38, 'vsock': 40, 'xdp': 44}\n"
        "kinds = {'netlink': 3, 'packet': 3, 'alg': 5, 'xdp': 3}\n"
        "print(json.dumps({n: [call(number, f, kinds.get(n, 1), 0), call(number, f | 1 << 32, kinds.get(n, 1), 0)] for n, f in families.items()}))",
    )
    refused = {name for name, outcome in facts.items() if outcome[0] != "done"}
    assert refused >= {"packet", "alg", "vsock", "xdp"}
    assert {"unix", "inet", "netlink"}.isdisjoint(refused)
    assert all(facts[name][1] != "done" for name in ("packet", "alg", "vsock", "xdp"))


@X86
def test_dangerous_system_calls_are_refused(session: Box) -> None:
    """Mounts, namespaces, keys, BPF, io_uring, userfaultfd, handles and modules are refused."""
    facts = probe(
        session,
        "numbers = dict(mount=165, umount2=166, pivot_root=155, unshare=272, setns=308, add_key=248, "
        "request_key=249, keyctl=250, bpf=321, perf_event_open=298, io_uring_setup=425, io_uring_enter=426, "
        "userfaultfd=323, open_by_handle_at=304, name_to_handle_at=303, init_module=175, finit_module=313, "
        "kexec_load=246, reboot=169, swapon=167, settimeofday=164, clock_settime=227, ptrace=101, "
        "process_vm_writev=311, process_madvise=440, move_mount=429, fsopen=430, open_tree=428, "
        "quotactl=179, acct=163, syslog=103, iopl=172, shmget=29, semget=64, msgget=68, mq_open=240)\n"
        "out = {n: call(v, 0, 0, 0, 0, 0) for n, v in numbers.items()}\n"
        "out['clone3'] = call(435, 0, 0)\n"
        "out['newuser'] = call(56, 0x10000000 | 17, 0, 0, 0, 0)\n"
        "out['newns'] = call(56, 0x00020000 | 17, 0, 0, 0, 0)\n"
        "print(json.dumps(out))",
    )
    assert facts.pop("clone3") == "ENOSYS"
    assert set(facts.values()) == {"EPERM"}


@X86
def test_foreign_system_calls_end_the_program(session: Box) -> None:
    """A 32-bit or x32 call is not filtered but fatal."""
    facts = probe(
        session,
        "import mmap\n"
        "def int80():\n"
        "    page = mmap.mmap(-1, 4096, prot=7)\n"
        "    page.write(bytes.fromhex('b814000000cd80c3'))\n"
        "    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()\n"
        "print(json.dumps([dies(int80), dies(lambda: call(0x40000000 | 39))]))",
    )
    assert facts == [31, 31]


def test_there_is_no_network_at_all(session: Box) -> None:
    """Without services and egress there is loopback and nothing else; IPv6 has no address outside."""
    facts = probe(
        session,
        "names = [n for _, n in socket.if_nameindex()]\n"
        "routes = open('/proc/net/route').read().splitlines()[1:]\n"
        "six = [l.split()[-1] for l in open('/proc/net/if_inet6')] if os.path.exists('/proc/net/if_inet6') else []\n"
        "def reach(family, address):\n"
        "    s = socket.socket(family); s.settimeout(1)\n"
        "    return attempt(lambda: s.connect(address))\n"
        "tries = [reach(socket.AF_INET, (a, 80)) for a in ('1.1.1.1', '169.254.169.254', '172.17.0.1', '10.0.0.1')]\n"
        "tries += [reach(socket.AF_INET6, (a, 80)) for a in ('fd00:ec2::254', '2606:4700::1111')] if socket.has_ipv6 else []\n"
        "def ask():\n"
        "    try: socket.getaddrinfo('canary.example', 80)\n"
        "    except socket.gaierror: return 'unknown'\n"
        "print(json.dumps([names, routes, [n for n in six if n != 'lo'], sorted(set(tries)), ask()]))",
    )
    assert facts[:3] == [["lo"], [], []]
    assert "done" not in facts[3]
    assert facts[4] == "unknown"


def test_scratch_space_is_bounded(box: Callable[..., Box]) -> None:
    """/tmp and /dev/shm fill at their shares of the budget, in bytes and in files, and do no harm."""
    one = box(budget=SandboxBudget(scratch_bytes=16 << 20, memory_bytes=128 << 20))
    facts = probe(
        one,
        "def fill(path):\n"
        "    size = 0\n"
        "    with open(path, 'wb', buffering=0) as file:\n"
        "        try:\n"
        "            while True: size += file.write(bytes(1 << 16))\n"
        "        except OSError as error: return [size, errno.errorcode[error.errno]]\n"
        "def crowd():\n"
        "    os.unlink('/tmp/fill'); count = 0\n"
        "    try:\n"
        "        while True: open(f'/tmp/{count}', 'w').close(); count += 1\n"
        "    except OSError as error: return [count, errno.errorcode[error.errno]]\n"
        "print(json.dumps([fill('/tmp/fill'), fill('/dev/shm/fill'), crowd()]))",
    )
    assert facts[0] == [14 << 20, "ENOSPC"]
    assert facts[1] == [2 << 20, "ENOSPC"]
    assert facts[2][0] < 4000
    assert facts[2][1] == "ENOSPC"


def test_scratch_files_cannot_be_executed(session: Box) -> None:
    """A program in /tmp is not executed, whatever its mode."""
    code = (
        "open('/tmp/run', 'w').write('#!/bin/sh\\n'); os.chmod('/tmp/run', 0o755)\n"
        "print(json.dumps(attempt(lambda: os.execv('/tmp/run', ['run'])))); os.unlink('/tmp/run')"
    )
    assert probe(session, code) == "EACCES"


def test_descriptors_run_out_for_the_program_alone(session: Box) -> None:
    """A program gets 1024 descriptors; the next program finds everything as before."""
    code = (
        "count = 0\n"
        "try:\n"
        "    while True: os.dup(0); count += 1\n"
        "except OSError as error: sys.stderr.write(errno.errorcode[error.errno])\n"
        "print(json.dumps(count))"
    )
    assert 1000 < probe(session, code) < 1024
    assert probe(session, "print(json.dumps('well'))") == "well"


def test_a_fork_bomb_ends_at_its_deadline(box: Callable[..., Box]) -> None:
    """Inside the limit of processes a fork bomb runs until the deadline and takes nothing with it."""
    one = box()
    one.overdue(
        "import os\nprint('on', flush=True)\n"
        "while True:\n    try: os.fork()\n    except OSError: pass"
    )
    assert one.run("print('next')").stdout == "next\n"


def test_killing_everything_is_the_programs_own_end(box: Callable[..., Box]) -> None:
    """``kill(1)`` and ``kill(-1)`` neither end nor wedge the container."""
    result = box().run("import os\nos.kill(1, 9)\nos.kill(-1, 9)")
    assert (result.status, result.exit_code) == (SandboxStatus.FAILED, 1)


def test_an_outcome_cannot_be_forged(session: Box) -> None:
    """Frames of PID 1's own protocol, written by a program, are its output and nothing else."""
    frame = "X\\0\\0\\0\\4fake"
    result = session.run(
        f"import os; os.write(1, b'{frame}'); os.write(2, b'{frame}'); os._exit(5)"
    )
    assert (result.exit_code, result.stdout) == (5, "X\0\0\0\4fake")


def test_python_works_in_full(session: Box) -> None:
    """Processes, shared memory, threads, event loops and subprocesses work under the filter."""
    result = session.run(
        "import asyncio, multiprocessing as mp, subprocess, sys, tempfile, threading\n"
        "from multiprocessing.shared_memory import SharedMemory\n"
        "def main():\n"
        "    for method in ('fork', 'spawn', 'forkserver'):\n"
        "        with mp.get_context(method).Pool(2) as pool: print(pool.map(abs, [-1, 2]))\n"
        "    memory = SharedMemory(create=True, size=100); memory.buf[0] = 7; memory.close(); memory.unlink()\n"
        "    lock = mp.Lock(); lock.acquire(); lock.release()\n"
        "    async def hello():\n"
        "        process = await asyncio.create_subprocess_exec(sys.executable, '-c', 'print(3)', stdout=-1)\n"
        "        return (await process.communicate())[0]\n"
        "    print(asyncio.run(hello()), subprocess.check_output(['echo', '4']))\n"
        "    print(tempfile.gettempdir())\n"
        "if __name__ == '__main__': main()"
    )
    assert result.stdout == "[1, 2]\n[1, 2]\n[1, 2]\nb'3\\n' b'4\\n'\n/tmp\n", result.stderr


def test_caches_of_libraries_have_a_place(session: Box) -> None:
    """Home, temporary and cache folders can be written."""
    facts = probe(
        session,
        "places = [os.environ[n] for n in ('HOME', 'TMPDIR', 'MPLCONFIGDIR', 'XDG_CACHE_HOME')]\n"
        "for place in places: os.makedirs(place, exist_ok=True); open(place + '/probe', 'w').close()\n"
        "print(json.dumps(places))",
    )
    assert all(place.startswith("/tmp") for place in facts)


def test_nothing_of_the_hosts_environment_is_inherited(box: Callable[..., Box]) -> None:
    """Variables of the host process, proxies too, are not in the container."""
    os.environ["HARNEST_CANARY"] = os.environ["HTTP_PROXY"] = "canary"
    try:
        facts = probe(box(), "print(json.dumps(dict(os.environ)))")
    finally:
        del os.environ["HARNEST_CANARY"], os.environ["HTTP_PROXY"]
    assert "canary" not in json.dumps(facts)


def test_an_images_own_user_home_and_entry_point_do_not_count(box: Callable[..., Box]) -> None:
    """An image that wants root, another folder and another program is run as every other."""
    one = box(image="harnest-test/user")
    facts = probe(
        one,
        "print(json.dumps([os.getuid() != 0, os.getcwd(), os.environ['HOME'], 'odd' in str(sys.path)]))",
    )
    assert facts == [True, "/tmp", "/tmp", False]


def test_volumes_of_an_image_are_bounded_scratch(box: Callable[..., Box]) -> None:
    """A VOLUME becomes a bounded tmpfs, with or without a trailing slash, and none is left behind."""
    one = box(image="harnest-test/volume")
    facts = probe(
        one,
        "kinds = {l.split()[1]: l.split()[2] for l in open('/proc/mounts')}\n"
        "open('/data/x', 'w').close(); open('/var/cache/app/x', 'w').close()\n"
        "print(json.dumps([kinds['/data'], kinds['/var/cache/app']]))",
    )
    assert facts == ["tmpfs", "tmpfs"]


def test_a_health_check_of_an_image_is_off(box: Callable[..., Box]) -> None:
    """A failing HEALTHCHECK of the image neither runs nor matters."""
    assert box(image="harnest-test/healthcheck").run("print(1)").stdout == "1\n"


@pytest.mark.parametrize(
    ("image", "words"),
    [
        ("harnest-test/nopython", "not in the image"),
        ("harnest-test/oldpython", "Python 3.8 or newer"),
    ],
)
def test_an_image_without_a_usable_python_is_a_typed_error(
    box: Callable[..., Box], image: str, words: str
) -> None:
    """The error says that Python is missing or too old, and nothing is left."""
    from harnest.extensions.docker.lib.errors import DockerImageError  # noqa: PLC0415 - as above

    with pytest.raises(DockerImageError, match=words):
        box(image=image).run("print(1)")


def test_egress_is_given_where_it_is_granted(box: Callable[..., Box]) -> None:
    """Under ``unrestricted`` there is a way out: a default route and a resolver of the host's."""
    one = box(network_policy=SandboxNetworkPolicy.unrestricted())
    facts = probe(
        one,
        "routes = [l.split()[1] for l in open('/proc/net/route').read().splitlines()[1:]]\n"
        "print(json.dumps(['00000000' in routes, 'timeout:1' in open('/etc/resolv.conf').read()]))",
    )
    assert facts == [True, False]


@pytest.mark.corpus
def test_every_probe_of_the_corpus_has_its_outcome(box: Callable[..., Box]) -> None:
    """Each program of the corpus ends with the status that its index expects."""
    corpus = os.environ.get("HARNEST_CORPUS")
    if not corpus:
        pytest.skip("HARNEST_CORPUS names no unpacked corpus")
    probes = json.loads((Path(corpus) / "index.json").read_text())["probes"]
    fresh, retained = box(), box(scope=DockerScope.SESSION)
    wrong = []
    for case in probes:
        one = retained if case["probe"].startswith("reuse-poison") else fresh
        code = (Path(corpus) / case["file"]).read_text(encoding="utf-8", errors="surrogateescape")
        expected = case["expected_status"]
        result = _overdue(one, code) if expected == "timed_out" else one.run(code)
        good = result.status.value == expected
        if good and "JSON" in case["oracle"]:
            good = json.loads(result.stdout.splitlines()[-1])["ok"] is True
        if not good:
            wrong.append((case["probe"], result.status.value, result.stdout[-200:], meta(result)))
    assert len(probes) > 30
    assert wrong == []


def _overdue(box: Box, code: str) -> SandboxResult:
    """Run a program that says nothing and does not end into a deadline that it gets to."""
    return patiently(
        lambda seconds: box.run(code, timeout_seconds=seconds),
        lambda result: meta(result)["phase"] == "execution",
    )
