from __future__ import annotations

import errno
import struct
from pathlib import Path

import pytest
from harnest_extension_bubblewrap.lib.seccomp.numbers import LAST, numbers
from harnest_extension_bubblewrap.lib.seccomp.program import MACHINES, compiled
from harnest_extension_bubblewrap.lib.seccomp.rules import rules

ALLOW, KILL = "allow", "kill"
X86, ARM = "x86_64", "aarch64"
HIGH = 0xDEAD_BEEF << 32
REACHING = """
    ptrace process_vm_readv process_vm_writev pidfd_getfd kcmp keyctl add_key request_key bpf
    userfaultfd perf_event_open io_uring_setup io_uring_enter io_uring_register mount umount2
    pivot_root chroot move_mount open_tree fsopen fsconfig fsmount fspick mount_setattr unshare
    setns open_by_handle_at name_to_handle_at fanotify_init init_module finit_module delete_module
    kexec_load kexec_file_load reboot swapon swapoff acct quotactl syslog settimeofday
    clock_settime clock_adjtime sethostname setdomainname vhangup move_pages migrate_pages
    memfd_secret shmget msgget semget mq_open process_madvise
"""


def run(program: bytes, machine: str, number: int, *arguments: int) -> str | int:
    """What the kernel would make of a call: ``allow``, ``kill``, or the number of an error.

    A reader of the classic packet filter of its own, by the kernel's documentation.
    """
    padded = (*arguments, *(0,) * (6 - len(arguments)))
    data = struct.pack("<IIQ6Q", number & 0xFFFFFFFF, MACHINES.get(machine, 0x40000003), 0, *padded)
    code = list(struct.iter_unpack("<HBBI", program))
    accumulator = at = steps = 0
    while True:
        operation, if_true, if_false, value = code[at]
        at, steps = at + 1, steps + 1
        if operation == 0x20:  # load a word
            (accumulator,) = struct.unpack_from("<I", data, value)
        elif operation == 0x54:  # and
            accumulator &= value
        elif operation == 0x15:  # equal
            at += if_true if accumulator == value else if_false
        elif operation == 0x35:  # at least
            at += if_true if accumulator >= value else if_false
        elif operation == 0x05:  # jump
            at += value
        else:
            assert operation == 0x06
            break
    assert steps < 60
    return {0x7FFF0000: ALLOW, 0x80000000: KILL}.get(value, value & 0xFFFF)


def verdict(name: str, *arguments: int, machine: str = X86, unix_sockets: bool = True) -> str | int:
    """What comes of a call by its name."""
    program = compiled(machine, unix_sockets=unix_sockets)
    return run(program, machine, numbers(machine)[name], *arguments)


@pytest.mark.parametrize("machine", [X86, ARM])
def test_every_number_has_the_verdict_of_its_rule(machine: str) -> None:
    """The tree of comparisons decides each number as the list of rules does, to the last."""
    program = compiled(machine, unix_sockets=True)
    by_number = {number: name for name, number in numbers(machine).items()}
    listed = rules(unix_sockets=True)
    plain = {name for name, clauses in listed.items() if len(clauses) == 1}
    for number in range(LAST + 50):
        name = by_number.get(number, "")
        if name in listed and name not in plain:
            continue  # conditions: below
        found = run(program, machine, number)
        if number > LAST:
            assert found == errno.ENOSYS
        elif name not in listed:
            assert found == errno.EPERM, name
        else:
            assert found == (listed[name][0].verdict.number or ALLOW), name


@pytest.mark.parametrize("machine", [X86, ARM])
@pytest.mark.parametrize("name", REACHING.split())
def test_what_reaches_beyond_the_program_is_refused(machine: str, name: str) -> None:
    """Whatever the arguments, these fail with EPERM."""
    if name not in numbers(machine):
        pytest.skip(f"{machine} has no such call")
    assert verdict(name, machine=machine) == errno.EPERM
    assert verdict(name, *[0xFFFF_FFFF_FFFF_FFFF] * 6, machine=machine) == errno.EPERM


@pytest.mark.parametrize("machine", [X86, ARM])
@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("clone", (0x11,), ALLOW),
        ("clone", (0x3D0F00,), ALLOW),  # a thread
        ("clone", (0x10000011,), errno.EPERM),  # a user namespace
        ("clone", (0x20000,), errno.EPERM),  # a mount namespace
        ("clone", (0x80,), errno.EPERM),  # a time namespace
        ("clone", (HIGH | 0x40000000,), errno.EPERM),
        ("clone3", (0, 0), errno.ENOSYS),
        ("socket", (1, 1, 0), ALLOW),
        ("socket", (2, 1, 0), ALLOW),
        ("socket", (10, 2, 0), ALLOW),
        ("socket", (16, 3, 0), ALLOW),
        ("socket", (40, 1, 0), errno.EAFNOSUPPORT),  # VSOCK
        ("socket", (HIGH | 40, 1, 0), errno.EAFNOSUPPORT),
        ("socket", (38, 5, 0), errno.EAFNOSUPPORT),  # ALG
        ("socket", (17, 3, 0), errno.EAFNOSUPPORT),  # PACKET
        ("socketpair", (1, 1, 0), ALLOW),
        ("socketpair", (40, 1, 0), errno.EAFNOSUPPORT),
        ("ioctl", (0, 0x5401), ALLOW),
        ("ioctl", (0, 0x5412), errno.EPERM),  # TIOCSTI
        ("ioctl", (0, HIGH | 0x5412), errno.EPERM),  # the kernel drops what is above 32 bits
        ("ioctl", (0, 0x541C), errno.EPERM),  # TIOCLINUX
        ("personality", (0xFFFFFFFF,), ALLOW),
        ("personality", (0,), ALLOW),
        ("personality", (0x40000,), errno.EPERM),
        ("personality", (0x400000,), errno.EPERM),  # READ_IMPLIES_EXEC
        ("fchmod", (3, 0o755), ALLOW),
        ("fchmod", (3, 0o4755), errno.EPERM),
        ("fchmodat", (3, 0, 0o2755), errno.EPERM),
        ("fchmodat", (3, 0, 0o1777), ALLOW),
        ("fchmodat2", (3, 0, 0o6000), errno.EPERM),
        ("mknodat", (3, 0, 0o104755), errno.EPERM),
        ("mknodat", (3, 0, 0o10644), ALLOW),
        ("openat", (3, 0, 0o100, 0o644), ALLOW),
        ("openat", (3, 0, 0o100, 0o4755), errno.EPERM),
        ("openat", (3, 0, 0o20200000, 0o4755), errno.EPERM),  # O_TMPFILE
        ("openat", (3, 0, 0, 0o4755), ALLOW),  # without O_CREAT the mode means nothing
        ("openat2", (3, 0, 0, 24), errno.ENOSYS),
        ("prlimit64", (0, 7), ALLOW),
        ("prlimit64", (1, 7), errno.EPERM),
        ("sched_setaffinity", (1,), errno.EPERM),
        ("sched_setscheduler", (0,), ALLOW),
        ("setpriority", (0, 0), ALLOW),
        ("setpriority", (0, 1), errno.EPERM),
        ("setpriority", (2, 0), errno.EPERM),
        ("ioprio_set", (1, 0), ALLOW),
        ("ioprio_set", (3, 0), errno.EPERM),
    ],
)
def test_arguments_decide(
    machine: str, name: str, arguments: tuple[int, ...], expected: str | int
) -> None:
    """Each condition holds at its edge, for the 32 bits that the kernel looks at."""
    assert verdict(name, *arguments, machine=machine) == expected


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("chmod", (0, 0o755), ALLOW),
        ("chmod", (0, 0o4755), errno.EPERM),
        ("creat", (0, 0o4755), errno.EPERM),
        ("open", (0, 0o101, 0o2755), errno.EPERM),
        ("open", (0, 0, 0o2755), ALLOW),
        ("mknod", (0, 0o102755), errno.EPERM),
        ("iopl", (3,), errno.EPERM),
        ("modify_ldt", (1,), errno.EPERM),
    ],
)
def test_the_older_calls_of_x86_64_have_the_same_rules(
    name: str, arguments: tuple[int, ...], expected: str | int
) -> None:
    """What newer calls refuse is not to be had by older ones."""
    assert verdict(name, *arguments) == expected


@pytest.mark.parametrize("machine", [X86, ARM])
def test_unix_sockets_are_refused_with_the_host_s_network_and_pairs_are_not(machine: str) -> None:
    """Abstract sockets of the host would be in reach; a pair reaches nobody else."""
    assert verdict("socket", 1, 1, machine=machine, unix_sockets=False) == errno.EAFNOSUPPORT
    assert verdict("socket", 2, 1, machine=machine, unix_sockets=False) == ALLOW
    assert verdict("socketpair", 1, 1, machine=machine, unix_sockets=False) == ALLOW


def test_calls_of_another_architecture_end_the_program() -> None:
    """32-bit calls have other numbers, so none of them may be judged by these."""
    assert run(compiled(X86, unix_sockets=True), "i386", 20) == KILL
    assert run(compiled(ARM, unix_sockets=True), X86, 39) == KILL


@pytest.mark.parametrize("number", [0x4000_0000, 0x4000_0000 + 39, 0x4000_0200, -1])
def test_the_numbers_of_x32_are_refused(number: int) -> None:
    """The third set of numbers of x86_64 is no way around."""
    assert run(compiled(X86, unix_sockets=True), X86, number) == errno.EPERM


def test_a_machine_without_numbers_has_no_filter() -> None:
    """Nothing is guessed for an architecture."""
    with pytest.raises(KeyError):
        compiled("riscv64", unix_sockets=True)


def test_the_numbers_are_those_of_this_system_s_headers() -> None:
    """The table agrees with the kernel's own headers, where they are installed."""
    header = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
    if not header.exists():
        pytest.skip("the kernel's headers for x86_64 are not installed")
    lines = [line.split() for line in header.read_text().splitlines() if "__NR_" in line]
    official = {line[1][5:]: int(line[2]) for line in lines if len(line) == 3}
    known = numbers(X86)
    assert {n: v for n, v in known.items() if n in official} == {
        n: v for n, v in official.items() if n in known
    }
    assert len(set(known) & set(official)) > 300
