"""More probes from inside: the host's addresses, other identities, signals, descriptors, quotas."""

from __future__ import annotations

import contextlib
import ipaddress
import itertools
import socket
import threading
import time
from typing import TYPE_CHECKING

import pytest
from harnest.extensions.docker import DockerScope, docker

from conftest import FOREVER, Box, command, meta, until
from harnest.sandbox import SandboxContext, SandboxNetworkPolicy, SandboxStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.docker
OTHER = SandboxContext(agent_name="agent", user_id="other", session_id="s", invocation_id="i")
REACH = """\
import errno, json, socket
def reach(address, port, seconds=.3):
    with socket.socket(socket.AF_INET6 if ':' in address else socket.AF_INET) as link:
        link.settimeout(seconds)
        try: link.connect((address, port))
        except OSError as error: return errno.errorcode.get(error.errno, type(error).__name__)
    return 'reached'
"""
METADATA = ("169.254.169.254", "169.254.170.2", "100.100.100.200", "fd00:ec2::254")


@pytest.fixture(scope="module")
def session(daemon: None) -> Iterator[Box]:
    """One provider with retained containers, for probes that leave them as they were."""
    one = Box(scope=DockerScope.SESSION)
    yield one
    one.close()


@pytest.fixture(scope="module")
def topology(daemon: None) -> Iterator[Box]:
    """One provider with a retained topology: a service beside the program, and no egress."""
    other = docker.service(
        name="other",
        image="harnest-test/python",
        command=["python3", "-m", "http.server", "8000"],
        readiness=docker.readiness(tcp=8000),
    )
    one = Box(scope=DockerScope.SESSION, services=[other])
    yield one
    one.close()


@pytest.fixture(params=["alone", "in a topology"])
def closed(request: pytest.FixtureRequest, session: Box, topology: Box) -> Box:
    """A box without egress: without any network, and with one of its own."""
    return session if request.param == "alone" else topology


@pytest.fixture(scope="module")
def addresses(daemon: None) -> list[str]:
    """Every address of the host, those of its bridges included, but for loopback."""
    code = "print(open('/proc/net/fib_trie').read(), *open('/proc/net/if_inet6'), sep='==', end='')"
    shown = command("run", "--rm", "--network=host", "harnest-test/python", "python3", "-c", code)
    four, *six = shown.split("==")
    found = set()
    for line, following in itertools.pairwise(four.splitlines()):
        if "/32 host LOCAL" in following:
            found.add(line.split()[-1])
    for line in six:
        digits = line.split()[0]
        found.add(":".join(digits[at : at + 4] for at in range(0, 32, 4)))
    return sorted(a for a in found if not a.startswith("127.") and not a.endswith(":0001"))


@pytest.fixture
def listener() -> Iterator[tuple[int, list[object]]]:
    """A listener on every address of the host; its port, and who came from elsewhere than the host itself."""
    came: list[object] = []
    with socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True) as server:
        threading.Thread(target=_accept, args=(server, came), daemon=True).start()
        yield server.getsockname()[1], came
        server.shutdown(socket.SHUT_RDWR)


def _accept(server: socket.socket, came: list[object]) -> None:
    with contextlib.suppress(OSError):
        while True:
            link, address = server.accept()
            link.close()
            whence = ipaddress.IPv6Address(address[0].partition("%")[0])
            # Programs of the host may look for somebody who had the port before.
            if not (whence.ipv4_mapped or whence).is_loopback:
                came.append(address)


def test_a_listener_of_the_host_is_out_of_reach_by_every_address(
    closed: Box, addresses: list[str], listener: tuple[int, list[object]]
) -> None:
    """No address of the host leads to it from inside, and nobody came."""
    port, came = listener
    assert addresses
    facts = closed.facts(
        REACH + f"print(json.dumps({{a: reach(a, {port}) for a in {addresses!r}}}))"
    )
    assert "reached" not in facts.values()
    loopback = closed.facts(REACH + f"print(json.dumps(reach('127.0.0.1', {port})))")
    assert loopback == "ECONNREFUSED"
    assert came == []


def test_the_same_listener_is_reached_where_egress_is_granted(
    box: Callable[..., Box], listener: tuple[int, list[object]]
) -> None:
    """The control: with egress the gateway leads to the host, so the probes above can fail."""
    port, came = listener
    one = box(network_policy=SandboxNetworkPolicy.unrestricted())
    facts = one.facts(
        REACH
        + "row = next(l.split() for l in open('/proc/net/route').read().splitlines()[1:] if l.split()[1] == '00000000')\n"
        "gateway = socket.inet_ntoa(bytes.fromhex(row[2])[::-1])\n"
        f"print(json.dumps(reach(gateway, {port}, 60)))"
    )
    assert facts == "reached"
    assert until(lambda: len(came) == 1)


def test_metadata_addresses_are_out_of_reach(closed: Box) -> None:
    """What clouds answer on is not there, over IPv4 or IPv6."""
    facts = closed.facts(
        REACH + f"print(json.dumps([reach(a, p) for a in {METADATA!r} for p in (80, 443)]))"
    )
    assert "reached" not in facts


def test_no_question_about_names_leaves(closed: Box) -> None:
    """Resolvers are the container's own, foreign ones are out of reach, unknown names fail at once."""
    facts = closed.facts(
        REACH + "import time\n"
        "servers = [l.split()[1] for l in open('/etc/resolv.conf') if l.startswith('nameserver')]\n"
        "started = time.monotonic()\n"
        "try: answer = socket.getaddrinfo('secret.canary.example', 80)\n"
        "except socket.gaierror: answer = None\n"
        "took = time.monotonic() - started\n"
        "def ask(server):\n"
        "    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:\n"
        "        link.settimeout(.5)\n"
        "        question = bytes.fromhex('1234010000010000000000000763616e617279076578616d706c650000010001')\n"
        "        try: link.sendto(question, (server, 53)); return link.recv(512).hex()\n"
        "        except OSError: return 'no answer'\n"
        "print(json.dumps([servers, answer, took, reach('8.8.8.8', 53), ask('8.8.8.8'), ask('1.1.1.1')]))"
    )
    assert all(server.startswith("127.") for server in facts[0])
    assert facts[1] is None
    assert facts[2] < 5  # a resolver that is left waiting gives up after ten
    assert facts[3] != "reached"
    assert facts[4:] == ["no answer", "no answer"]


def test_there_is_no_ipv6_beyond_loopback(closed: Box) -> None:
    """No interface but loopback has an IPv6 address, and no route leads out."""
    facts = closed.facts(
        REACH + "import os\n"
        "rows = [l.split() for l in open('/proc/net/if_inet6')] if os.path.exists('/proc/net/if_inet6') else []\n"
        "print(json.dumps([[r[5] for r in rows if r[5] != 'lo'], reach('2606:4700::1111', 443), reach('ff02::1%eth0', 80)]))"
    )
    assert facts[0] == []
    assert "reached" not in facts[1:]


def test_what_is_sent_to_everybody_gets_no_answer(topology: Box) -> None:
    """Broadcast and multicast may reach the host, one way: nothing comes back from there."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("", 0))
        port = server.getsockname()[1]
        threading.Thread(target=_echo, args=(server,), daemon=True).start()
        facts = topology.facts(
            "import json, socket\n"
            "own = socket.gethostbyname('sandbox')\n"
            "link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); link.settimeout(.5)\n"
            "link.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)\n"
            "def ask(address):\n"
            f"    try: link.sendto(b'anybody', (address, {port})); return link.recvfrom(10)[0].decode()\n"
            "    except OSError as error: return type(error).__name__\n"
            "print(json.dumps([ask('255.255.255.255'), ask('224.0.0.1')]))"
        )
        server.close()
    assert "anybody" not in facts


def _echo(server: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while True:
            server.sendto(*server.recvfrom(10))


def test_the_docker_socket_is_not_there(closed: Box) -> None:
    """No path leads to the daemon, nor does an address that daemons listen on."""
    facts = closed.facts(
        REACH + "import os, stat\n"
        "sockets = [os.path.join(f, n) for top in ('/run', '/var/run', '/tmp', '/var/lib') for f, _, names in os.walk(top)"
        " for n in names if stat.S_ISSOCK(os.lstat(os.path.join(f, n)).st_mode)]\n"
        "print(json.dumps([sockets, os.path.lexists('/var/run/docker.sock'), 'docker' in open('/proc/mounts').read().replace('docker/overlay2', ''),"
        " [reach('127.0.0.1', p) for p in (2375, 2376)]]))"
    )
    assert facts[0] == []
    assert facts[1] is False
    assert facts[3] == ["ECONNREFUSED", "ECONNREFUSED"]


def test_other_identities_cannot_be_seen(session: Box) -> None:
    """Neither files, processes, shared memory nor sockets of another user's container are there."""
    mark = "c0ffee"
    there = (
        f"open('/tmp/{mark}', 'w'); open('/dev/shm/{mark}', 'w')\n"
        f"import socket; s = socket.socket(socket.AF_UNIX); s.bind('\\0{mark}'); s.listen()\n"
    )
    with session.held(there + FOREVER, context=OTHER):
        facts = session.facts(
            "import json, os, socket\n"
            f"paths = [p for p in ('/tmp/{mark}', '/dev/shm/{mark}') if os.path.exists(p)]\n"
            "seen = [n for n in os.listdir('/proc') if n.isdigit()]\n"
            "link = socket.socket(socket.AF_UNIX)\n"
            f"try: link.connect('\\0{mark}'); met = True\n"
            "except OSError: met = False\n"
            f"print(json.dumps([paths, len(seen), met, {mark!r} in open('/proc/net/unix').read()]))"
        )
    assert facts == [[], 2, False, False]


def test_one_containers_quotas_are_not_anothers(session: Box) -> None:
    """A container that takes every inotify instance of its user leaves those of others alone."""
    take = (
        "import ctypes, json\n"
        "libc = ctypes.CDLL(None)\n"
        "taken = 0\n"
        "while taken < 2000 and libc.inotify_init1(0) >= 0: taken += 1\n"
    )
    with session.held(take + FOREVER, context=OTHER):
        assert session.facts(take + "print(json.dumps(taken))") > 10


def test_the_system_request_key_cannot_be_pressed(session: Box) -> None:
    """/proc/sysrq-trigger and the setting behind it can't be written."""
    facts = session.facts(
        "import errno, json\n"
        "def write(path):\n"
        "    try:\n"
        "        with open(path, 'w') as file: file.write('h')\n"
        "    except OSError as error: return errno.errorcode[error.errno]\n"
        "    return 'written'\n"
        "print(json.dumps([write('/proc/sysrq-trigger'), write('/proc/sys/kernel/sysrq')]))"
    )
    # A kernel that was built without the key has no file for it.
    assert set(facts) <= {"EROFS", "EACCES", "EPERM", "ENOENT"}


def test_a_memory_bomb_ends_itself_alone(session: Box) -> None:
    """The kernel ends the program, not PID 1; the next call of the session meets the same container."""
    session.run("open('/tmp/before', 'w')")
    result = session.run("data = []\nwhile True: data.append(bytearray(b'x') * (32 << 20))")
    assert (result.status, result.exit_code) == (SandboxStatus.FAILED, 137)
    assert meta(result)["reason"] == "out_of_memory"
    after = session.run(
        "import os; print('before' in os.listdir('/tmp')); os.unlink('/tmp/before')"
    )
    assert (after.stdout, meta(after)["fresh"]) == ("True\n", False)


def test_a_flood_on_both_streams_is_cut_at_once(box: Callable[..., Box]) -> None:
    """The budget is the sum of both, and a flood ends before its deadline."""
    result = box(max_output_bytes=100_000).run(
        "import os\nwhile True: os.write(1, b'o' * 4096); os.write(2, b'e' * 4096)"
    )
    assert result.status is SandboxStatus.OUTPUT_LIMIT_EXCEEDED
    assert len(result.stdout) + len(result.stderr) == 100_000


def test_stopping_the_parent_changes_nothing(session: Box) -> None:
    """SIGSTOP to PID 1 is dropped by the kernel: the program's end is told as ever."""
    result = session.run(
        "import os, signal\nassert os.getppid() == 1\n"
        "for _ in range(100): os.kill(os.getppid(), signal.SIGSTOP)\nprint('still here')"
    )
    assert (result.stdout, result.exit_code) == ("still here\n", 0)


def test_a_program_that_stops_itself_ends_at_its_deadline(box: Callable[..., Box]) -> None:
    """A stopped process is no running one, and is killed all the same."""
    result = box().overdue(
        "import os, signal\nprint('on', flush=True)\nos.kill(os.getpid(), signal.SIGSTOP)"
    )
    assert result.stdout == "on\n"


@pytest.mark.parametrize(
    "close", ["os.close(1); os.close(2)", "os.closerange(0, 1024)"], ids=["1-and-2", "every"]
)
def test_a_program_that_closes_its_streams_still_has_its_outcome(session: Box, close: str) -> None:
    """Closed output is the end of output, not of the program: its status comes when it ends."""
    started = time.monotonic()
    result = session.run(
        f"import os, time\nos.write(1, b'before')\n{close}\ntime.sleep(.3)\nos._exit(3)"
    )
    assert (result.stdout, result.stderr, result.exit_code) == ("before", "", 3)
    assert time.monotonic() - started > 0.3


def test_descriptors_of_another_run_cannot_be_written(session: Box) -> None:
    """What an earlier run left open, and PID 1's own stream, are out of reach by every path."""
    session.run("import os, time\nif os.fork() == 0: os.setsid(); time.sleep(600)")
    facts = session.facts(
        "import json, os\n"
        "written = []\n"
        "for process in filter(str.isdigit, os.listdir('/proc')):\n"
        "    if process == str(os.getpid()): continue\n"
        "    for number in range(20):\n"
        "        try:\n"
        "            with open(f'/proc/{process}/fd/{number}', 'wb', buffering=0) as file: file.write(b'forged')\n"
        "            written.append([process, number])\n"
        "        except OSError: pass\n"
        "for number in range(3, 1024):\n"
        "    try: os.write(number, b'forged'); written.append(number)\n"
        "    except OSError: pass\n"
        "print(json.dumps(written))"
    )
    assert facts == []


def test_links_in_the_way_of_output_files_lead_nowhere(box: Callable[..., Box]) -> None:
    """Links to files, folders, each other and themselves, by name, in depth or as a hard link."""
    one = box(files=docker.files())
    result = one.run(
        "import os\n"
        "os.makedirs('outputs/deep'); open('inner', 'w').write('inner')\n"
        "for target, name in (('/proc/1/environ', 'env'), ('/proc/self/root', 'root'), ('..', 'up'),"
        " ('loop', 'loop'), ('/dev/zero', 'zero'), ('../inner', 'inner')):\n"
        "    os.symlink(target, f'outputs/{name}'); os.symlink(target, f'outputs/deep/{name}')\n"
        "try: os.link('/etc/passwd', 'outputs/hard')\n"
        "except OSError: pass\n"
        "open('outputs/sparse', 'w').truncate(1 << 40)\n"
        "open('outputs/deep/real', 'w').write('real')"
    )
    assert result.exit_code == 0, result.stderr
    assert [(file.name, file.data) for file in result.output_files] == [("deep/real", b"real")]
    assert meta(result)["refused_output_files"] == 13


def test_a_file_that_is_swapped_for_a_link_meanwhile_is_not_followed(
    box: Callable[..., Box],
) -> None:
    """A process that goes on swapping is dead before the first file is looked at."""
    one = box(files=docker.files())
    result = one.run(
        "import os, time\n"
        "os.mkdir('outputs'); open('outputs/a', 'w').write('plain')\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    while True:\n"
        "        os.symlink('/etc/passwd', 'outputs/b'); os.rename('outputs/b', 'outputs/a')\n"
        "        open('outputs/b', 'w').write('plain'); os.rename('outputs/b', 'outputs/a')\n"
        "while not os.path.islink('outputs/a'): time.sleep(.001)"
    )
    assert result.exit_code == 0, result.stderr
    assert {file.data for file in result.output_files} <= {b"plain", b""}
