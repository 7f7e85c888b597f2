"""Which system calls programs may make: an allow-list, and conditions on arguments.

A call that is newer than these rules fails with ENOSYS, as on an older kernel, so that C libraries
fall back; one that was known and is not listed fails with EPERM. Absent on purpose, among others:
ptrace and its kin, keyctl and its kin, bpf, perf, userfaultfd, io_uring (it would get around the
conditions), everything that mounts, changes namespaces, loads code into the kernel or sets clocks,
System V IPC and message queues, handles of files.

Conditions look at the 32 bits that the kernel looks at: what a program puts above them is ignored
by both.
"""

from __future__ import annotations

import errno
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ALLOWED", "Clause", "Condition", "Errno", "rules"]


@dataclass(frozen=True, slots=True)
class Errno:
    """What a refused call fails with."""

    number: int


ALLOWED: Final = Errno(0)
"""Stands for "the call is made"."""
DENIED: Final = Errno(errno.EPERM)
ABSENT: Final = Errno(errno.ENOSYS)
NO_FAMILY: Final = Errno(errno.EAFNOSUPPORT)


@dataclass(frozen=True, slots=True)
class Condition:
    """Whether the low 32 bits of an argument, masked, are a value - or are not.

    Attributes:
        argument: Index of the argument, 0 to 5.
        mask: Bits that are looked at.
        value: What they are compared with.
        equal: Whether they have to be the same, or have to differ.
    """

    argument: int
    mask: int
    value: int
    equal: bool = True


@dataclass(frozen=True, slots=True)
class Clause:
    """One line of a rule: if all conditions hold, this comes of the call.

    Attributes:
        verdict: What comes of it.
        conditions: None of them for "in any other case".
    """

    verdict: Errno
    conditions: tuple[Condition, ...] = ()


_ALL: Final = 0xFFFF_FFFF
_NAMESPACES: Final = 0x7E02_0080
"""Every ``CLONE_NEW*`` bit that ``clone`` takes."""
_SET_ID: Final = 0o6000
_CREATE: Final = 0o100
_TEMPORARY: Final = 0o20000000
_INPUT_OF_TERMINALS: Final = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
_FAMILIES: Final = {"unix": 1, "inet": 2, "inet6": 10, "netlink": 16}
_PERSONALITIES: Final = (0x0, 0x0008, _ALL)  # Linux, with a 32-bit machine name, "which is it?"

_PLAIN: Final = """
    accept accept4 access adjtimex alarm arch_prctl bind brk cachestat capget capset chdir chown
    clock_getres clock_gettime clock_nanosleep close close_range connect copy_file_range dup dup2
    dup3 epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2
    execve execveat exit exit_group faccessat faccessat2 fadvise64 fallocate fchdir fchown fchownat
    fcntl fdatasync fgetxattr flistxattr flock fork fremovexattr fsetxattr fstat fstatfs fsync
    ftruncate futex futex_requeue futex_wait futex_waitv futex_wake futimesat get_robust_list getcpu
    getcwd getdents getdents64 getegid geteuid getgid getgroups getitimer getpeername getpgid
    getpgrp getpid getppid getpriority getrandom getresgid getresuid getrlimit getrusage getsid
    getsockname getsockopt gettid gettimeofday getuid getxattr inotify_add_watch inotify_init
    inotify_init1 inotify_rm_watch io_cancel io_destroy io_getevents io_pgetevents io_setup
    io_submit ioprio_get kill landlock_add_rule landlock_create_ruleset landlock_restrict_self
    lchown lgetxattr link linkat listen listxattr llistxattr lremovexattr lseek lsetxattr lstat
    madvise map_shadow_stack membarrier memfd_create mincore mkdir mkdirat mlock mlock2 mlockall
    mmap mprotect mremap mseal msync munlock munlockall munmap nanosleep newfstatat pause pidfd_open
    pidfd_send_signal pipe pipe2 pkey_alloc pkey_free pkey_mprotect poll ppoll prctl pread64 preadv
    preadv2 pselect6 pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv recvfrom
    recvmmsg recvmsg remap_file_pages removexattr rename renameat renameat2 restart_syscall rmdir
    rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend
    rt_sigtimedwait rt_tgsigqueueinfo sched_get_priority_max sched_get_priority_min
    sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval
    sched_yield seccomp select sendfile sendmmsg sendmsg sendto set_robust_list set_tid_address
    setfsgid setfsuid setgid setgroups setitimer setpgid setregid setresgid setresuid setreuid
    setrlimit setsid setsockopt setuid setxattr shutdown sigaltstack signalfd signalfd4 splice stat
    statfs statx symlink symlinkat sync sync_file_range syncfs sysinfo tee tgkill time timer_create
    timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create timerfd_gettime
    timerfd_settime times tkill truncate umask uname unlink unlinkat utime utimensat utimes vfork
    vmsplice wait4 waitid write writev
"""


def rules(*, unix_sockets: bool) -> Mapping[str, tuple[Clause, ...]]:
    """Return what comes of each listed call: the first clause that holds.

    Args:
        unix_sockets: Whether programs may open Unix sockets. With the host's network they must not:
            its abstract ones - buses, displays, shims of containers - belong to the network's
            namespace, and reach much further than a network does.
    """
    always = (Clause(ALLOWED),)
    found = dict.fromkeys(_PLAIN.split(), always)
    return found | _files() | _sockets(unix_sockets=unix_sockets) | _processes() | _others()


def _files() -> dict[str, tuple[Clause, ...]]:
    """Return the rules against files that would run with somebody's rights on the host."""
    found = {name: _unless_set_id(at) for name, at in _MODES.items()}
    for name, flags, mode in (("open", 1, 2), ("openat", 2, 3)):
        found[name] = (
            # The mode counts only with one of these; without them it may be anything.
            Clause(DENIED, (Condition(flags, _CREATE, 0, equal=False), _set_id(mode))),
            Clause(DENIED, (Condition(flags, _TEMPORARY, 0, equal=False), _set_id(mode))),
            Clause(ALLOWED),
        )
    # Its mode lies in memory, where a filter can't look. Programs fall back to openat.
    return found | {"openat2": (Clause(ABSENT),)}


_MODES: Final = {
    "chmod": 1,
    "creat": 1,
    "fchmod": 1,
    "fchmodat": 2,
    "fchmodat2": 2,
    "mknod": 1,
    "mknodat": 2,
}
"""Calls that set the mode of a file, and which argument of theirs it is."""


def _set_id(argument: int) -> Condition:
    return Condition(argument, _SET_ID, 0, equal=False)


def _unless_set_id(argument: int) -> tuple[Clause, ...]:
    return Clause(DENIED, (_set_id(argument),)), Clause(ALLOWED)


def _sockets(*, unix_sockets: bool) -> dict[str, tuple[Clause, ...]]:
    """Return the rules of families: VSOCK, for one, knows no namespaces in many kernels."""
    wanted = [number for name, number in _FAMILIES.items() if unix_sockets or name != "unix"]
    families = tuple(Clause(ALLOWED, (Condition(0, _ALL, number),)) for number in wanted)
    pair = Clause(ALLOWED, (Condition(0, _ALL, _FAMILIES["unix"]),))
    return {"socket": (*families, Clause(NO_FAMILY)), "socketpair": (pair, Clause(NO_FAMILY))}


def _processes() -> dict[str, tuple[Clause, ...]]:
    # Of the caller itself only: checks by user would let a program unlimit or starve process 1.
    own = (Clause(ALLOWED, (Condition(0, _ALL, 0),)), Clause(DENIED))
    found: dict[str, tuple[Clause, ...]] = dict.fromkeys(
        (
            "prlimit64",
            "sched_setaffinity",
            "sched_setattr",
            "sched_setparam",
            "sched_setscheduler",
        ),
        own,
    )
    for name, kind in (("setpriority", 0), ("ioprio_set", 1)):
        itself = (Condition(0, _ALL, kind), Condition(1, _ALL, 0))
        found[name] = (Clause(ALLOWED, itself), Clause(DENIED))
    found["clone"] = (Clause(ALLOWED, (Condition(0, _NAMESPACES, 0),)), Clause(DENIED))
    # Its flags lie in memory; the C library falls back to clone.
    found["clone3"] = (Clause(ABSENT),)
    return found


def _others() -> dict[str, tuple[Clause, ...]]:
    typed = tuple(Clause(DENIED, (Condition(1, _ALL, code),)) for code in _INPUT_OF_TERMINALS)
    personas = tuple(Clause(ALLOWED, (Condition(0, _ALL, value),)) for value in _PERSONALITIES)
    return {
        "ioctl": (*typed, Clause(ALLOWED)),
        "personality": (*personas, Clause(DENIED)),
    }
