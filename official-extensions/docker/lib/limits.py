"""Every bound of the Docker extension, by name and with its unit.

An error that reports a bound prints its value from here.
"""

from typing import Final

KIB: Final = 1024
MIB: Final = 1024 * KIB
GIB: Final = 1024 * MIB

# --- declarations -------------------------------------------------------------------------------
TIMEOUT_SECONDS: Final = 300
"""Deadline of one call when the declaration names none, in seconds."""
TIMEOUT_SECONDS_MAX: Final = 24 * 3600
"""Longest deadline that can be declared, in seconds."""
OUTPUT_BYTES: Final = 1 * MIB
"""Output kept of one call, both streams together, when the declaration names no bound, in bytes."""
OUTPUT_BYTES_MAX: Final = 1 * GIB
"""Largest such bound that can be declared, in bytes."""
RETAINED_SCOPES: Final = 8
"""Identities whose containers are retained when the declaration names no number."""
RETAINED_SCOPES_MAX: Final = 1024
"""Most identities that can be declared to be retained."""
CONCURRENCY_MAX: Final = 1024
"""Most calls that can be declared to run at once."""
CALLS_PER_CPU: Final = 2
"""Calls that run at once for each CPU of the host when the declaration names no number."""
WARM_MAX: Final = 64
"""Most containers that can be declared to be kept ready."""
SERVICES: Final = 8
"""Most services of one topology."""
ALIASES: Final = 16
"""Most aliases of one service."""
PORTS: Final = 32
"""Most ports that one service declares."""
PORT_MAX: Final = 65_535
"""Largest port number."""
ENVIRONMENT: Final = 64
"""Most environment entries of one service."""
ARGUMENTS: Final = 64
"""Most arguments of one command."""
WRITABLE: Final = 16
"""Most writable paths of one service."""
TEXT_BYTES: Final = 8 * KIB
"""Most bytes of one authored text, in UTF-8."""
ATTEMPTS_MAX: Final = 100
"""Most attempts of one readiness check."""
INTERVAL_SECONDS_MIN: Final = 0.001
"""Shortest readiness interval, timeout or start period that Docker knows, in seconds."""
INTERVAL_SECONDS_MAX: Final = 3600.0
"""Longest of these, in seconds."""
RETRY_ATTEMPTS_MAX: Final = 100
"""Most attempts of the option ``error_retry_attempts``."""
DELIMITERS: Final = 16
"""Most pairs of the option ``code_block_delimiters``."""
UID_MAX: Final = 2**31 - 1
"""Largest user or group number of a service."""

# --- containers ---------------------------------------------------------------------------------
MEMORY_BESIDE_SCRATCH_BYTES: Final = 32 * MIB
"""Memory that must be left beside a full scratch space: tmpfs pages are charged to the container."""
PROCESSES_MIN: Final = 2
"""Least processes of a sandbox: PID 1 and the program."""
SHM_SHARE: Final = 8
"""``/dev/shm`` is this part (one n-th) of the scratch space."""
INODE_BYTES: Final = 4 * KIB
"""A scratch file system has one inode for each of so many bytes."""
OPEN_FILES: Final = 1024
"""Open files of one process in a container."""
MAIN_OOM_SCORE: Final = 1000
"""``oom_score_adj`` of submitted programs: the kernel takes them before PID 1."""

# --- one call -----------------------------------------------------------------------------------
CODE_BYTES: Final = 16 * MIB
"""Most bytes of one submitted program, in UTF-8."""
HELLO_SECONDS: Final = 10.0
"""PID 1 ends when it gets no first word from the host in this time, in seconds."""
LEASE_SECONDS: Final = 60.0
"""PID 1 ends when an idle container hears nothing from the host for this long, in seconds."""
LEASE_SECONDS_MIN: Final = 1
"""Shortest lease that an operator can set, in seconds."""
LEASE_SECONDS_MAX: Final = 3600
"""Longest lease that an operator can set, in seconds."""
BEATS_PER_LEASE: Final = 4
"""The host speaks to each idle container this often in the time of a lease."""
KILL_GRACE_SECONDS: Final = 0.25
"""The host kills through the daemon when PID 1 has not ended a run this long after the deadline."""
CLEANUP_SECONDS: Final = 5
"""Window of its own in which everything of a topology is removed, in seconds."""
ENDING_SECONDS: Final = 0.25
"""A container whose input has ended may take so long to end by itself before it is killed, in seconds."""
LOST_SECONDS: Final = 1.0
"""A resource whose creation got no answer is looked for this long before it counts as never made."""
DOUBT_SECONDS: Final = 600.0
"""What was not found then is looked for with each later removal for this long, in seconds: a daemon that
was frozen may make it yet."""
CHECK_SECONDS: Final = 0.05
"""Longest time between two looks at cancellation, in seconds."""
CHUNK_BYTES: Final = 64 * KIB
"""One read from a program's pipe, and the largest output frame, in bytes."""
QUEUE_BYTES: Final = 1 * MIB
"""Output that PID 1 holds for a slow host before it stops reading from the program, in bytes."""
FRAME_BYTES: Final = 1 * MIB
"""Largest frame that the host accepts from PID 1, in bytes."""
DIAGNOSTIC_BYTES: Final = 4 * KIB
"""Standard error of PID 1 itself that the host looks at when a start fails, in bytes."""
QUIET_SECONDS: Final = 0.5
"""The background waits this long for running calls to end before it works beside them, in seconds."""
LATE_SECONDS: Final = 0.5
"""After its deadline a call waits this long for the removal of what it had, in seconds; the removal
goes on for its whole window."""
DIAGNOSIS_SECONDS: Final = 20.0
"""Longest that a diagnosis waits for the daemon or for its container, in seconds."""
PROBE_COMMAND_SECONDS: Final = 2.0
"""Longest that a diagnosis waits for a command of this host, in seconds."""
TIDY_SECONDS: Final = 3.0
"""Window in which the first call of a provider removes what dead processes left, in seconds."""
PRUNE_SECONDS: Final = 60.0
"""Window in which leftovers of dead processes are removed, in seconds."""
CLOSE_SECONDS: Final = 4.0
"""``close()`` waits this long for running calls, and again after it cancelled them, in seconds."""

# --- workspaces ---------------------------------------------------------------------------------
WORK_DIRECTORY: Final = "/workspace"
"""Where programs of a workspace find its work directory."""
WORK_UID: Final = 19_999
"""User of programs, and owner of the work directory, where the Workspace of a root process made it:
just below the numbers that sandboxes get."""
WORK_IMAGE: Final = "python:3.12-slim"
"""Image of a workspace unless its configuration or ``HARNEST_DOCKER_IMAGE`` names one."""
WORK_LANES: Final = 8
"""Calls of one workspace that run at once, each in a container of its own; others queue."""
WORK_CPUS: Final = 4.0
"""CPUs of one container of a workspace, at most those that the daemon has."""
WORK_PROCESSES: Final = 256
"""Processes and threads of one container of a workspace."""
WORK_SCRATCH_BYTES: Final = 64 * MIB
"""Scratch space of one container of a workspace, less where memory is short, in bytes."""
WORK_SCRATCH_BYTES_MIN: Final = 16 * MIB
"""Least such scratch space, in bytes: with it goes the least memory that can be configured."""
WORK_START_SECONDS: Final = 60
"""Longest that opening a workspace may take, its first container included, in seconds."""
WORK_PROBE_SECONDS: Final = 20
"""Longest that a new container of a workspace may take to say what holds inside, in seconds."""

# --- files --------------------------------------------------------------------------------------
FILES_COUNT: Final = 64
"""Files exchanged in each direction of one call when the declaration names no number."""
FILES_BYTES: Final = 16 * MIB
"""Bytes exchanged in each direction of one call when the declaration names no number."""
FILES_COUNT_MAX: Final = 4096
"""Most files that can be declared."""
FILES_BYTES_MAX: Final = 256 * MIB
"""Most bytes that can be declared."""
FILE_NAME_BYTES: Final = 512
"""Most bytes of one exchanged file's name, in UTF-8."""

# --- the daemon ---------------------------------------------------------------------------------
API_SECONDS: Final = 30.0
"""One request to the daemon when no deadline is nearer, in seconds."""
PROBE_SECONDS: Final = 0.05
"""Between two of our own readiness probes, in seconds (at most the declared interval)."""
SUBNET_ATTEMPTS: Final = 64
"""Subnets that are tried before a network is given up as impossible."""
NAME_ATTEMPTS: Final = 32
"""User numbers that are tried before a container is given up as impossible."""
BUILD_CONTEXT_BYTES: Final = 64 * MIB
"""Most bytes of a build context."""
BUILD_MEMORY_BYTES: Final = 1 * GIB
"""Memory, without swap, of each step of a build, in bytes."""
BUILD_CONTEXT_FILES: Final = 10_000
"""Most files of a build context."""
