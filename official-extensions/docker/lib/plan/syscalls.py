"""Data: the system calls that containers may make without a condition.

Names that a kernel or an architecture doesn't know are skipped by the runtime, so one list serves all.
Absent on purpose: io_uring, ptrace, process_vm_*, process_madvise, pidfd_getfd, kcmp, keyctl and its
kin, userfaultfd, bpf, perf, everything that mounts or changes namespaces, open_by_handle_at, clocks
that can be set, modules, swap, reboot, and the calls of ``seccomp.CONDITIONAL``.
"""

from typing import Final

PLAIN: Final[tuple[str, ...]] = tuple(
    """
    _llseek _newselect accept accept4 access adjtimex alarm arch_prctl bind brk cachestat capget capset
    chdir chmod chown chown32 clock_getres clock_getres_time64 clock_gettime clock_gettime64
    clock_nanosleep clock_nanosleep_time64 close close_range connect copy_file_range creat dup dup2 dup3
    epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait epoll_pwait2 epoll_wait
    epoll_wait_old eventfd eventfd2 execve execveat exit exit_group faccessat faccessat2 fadvise64
    fadvise64_64 fallocate fchdir fchmod fchmodat fchmodat2 fchown fchown32 fchownat fcntl fcntl64
    fdatasync fgetxattr flistxattr flock fork fremovexattr fsetxattr fstat fstat64 fstatat64 fstatfs
    fstatfs64 fsync ftruncate ftruncate64 futex futex_requeue futex_time64 futex_wait futex_waitv
    futex_wake futimesat get_robust_list get_thread_area getcpu getcwd getdents getdents64 getegid
    getegid32 geteuid geteuid32 getgid getgid32 getgroups getgroups32 getitimer getpeername getpgid
    getpgrp getpid getppid getpriority getrandom getresgid getresgid32 getresuid getresuid32 getrlimit
    getrusage getsid getsockname getsockopt gettid gettimeofday getuid getuid32 getxattr inotify_add_watch
    inotify_init inotify_init1 inotify_rm_watch io_cancel io_destroy io_getevents io_pgetevents
    io_pgetevents_time64 io_setup io_submit ioctl ioprio_get kill landlock_add_rule
    landlock_create_ruleset landlock_restrict_self lchown lchown32 lgetxattr link linkat listen
    listxattr llistxattr lremovexattr lseek lsetxattr lstat lstat64 madvise map_shadow_stack membarrier
    memfd_create mincore mkdir mkdirat mknod mknodat mlock mlock2 mlockall mmap mmap2 mprotect mremap
    mseal msync munlock munlockall munmap nanosleep newfstatat open openat openat2 pause pidfd_open
    pidfd_send_signal pipe pipe2 pkey_alloc pkey_free pkey_mprotect poll ppoll ppoll_time64 prctl pread64
    preadv preadv2 pselect6 pselect6_time64 pwrite64 pwritev pwritev2 read readahead readlink readlinkat
    readv recv recvfrom recvmmsg recvmmsg_time64 recvmsg remap_file_pages removexattr rename renameat
    renameat2 restart_syscall riscv_flush_icache riscv_hwprobe rmdir rseq rt_sigaction rt_sigpending
    rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_sigtimedwait_time64
    rt_tgsigqueueinfo sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr
    sched_getparam sched_getscheduler sched_rr_get_interval sched_rr_get_interval_time64 sched_yield
    seccomp select send sendfile sendfile64 sendmmsg sendmsg sendto set_robust_list set_thread_area
    set_tid_address setfsgid setfsgid32 setfsuid setfsuid32 setgid setgid32 setgroups setgroups32
    setitimer setpgid setregid setregid32 setresgid setresgid32 setresuid setresuid32 setreuid setreuid32
    setrlimit setsid setsockopt setuid setuid32 setxattr shutdown sigaltstack signalfd signalfd4
    sigprocmask sigreturn splice stat stat64 statfs statfs64 statx symlink symlinkat sync
    sync_file_range sync_file_range2 syncfs sysinfo tee tgkill time timer_create timer_delete
    timer_getoverrun timer_gettime timer_gettime64 timer_settime timer_settime64 timerfd_create
    timerfd_gettime timerfd_gettime64 timerfd_settime timerfd_settime64 times tkill truncate truncate64
    ugetrlimit umask uname unlink unlinkat utime utimensat utimensat_time64 utimes vfork vmsplice wait4
    waitid waitpid write writev
    """.split()
)

SERVICE_IPC: Final[tuple[str, ...]] = tuple(
    """
    ipc mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedreceive_time64 mq_timedsend
    mq_timedsend_time64 mq_unlink msgctl msgget msgrcv msgsnd semctl semget semop semtimedop
    semtimedop_time64 shmat shmctl shmdt shmget
    """.split()
)
"""System V IPC and message queues: services such as PostgreSQL need them; their quotas are per user."""
