"""Every bound of the OpenShell extension, by name and with its unit.

The first part are bounds of the gateway and its service; a request beyond one would be refused
there, so it is refused here, before anything is sent. The second part is our own choice.
"""

from typing import Final

KIB: Final = 1024
MIB: Final = 1024 * KIB

SANDBOX_NAME_CHARACTERS: Final = 19
"""Most characters of a sandbox's name, which is a DNS label without a double hyphen."""
NAME_CHARACTERS: Final = 253
"""Most characters of the name of anything else."""
LABEL_CHARACTERS: Final = 63
"""Most characters of a label's value."""
PROVIDERS: Final = 32
"""Most providers of one sandbox."""
POLICY_BYTES: Final = 256 * KIB
"""Most bytes of a policy as it is sent."""
POLICY_PATH_CHARACTERS: Final = 256
"""Most characters of a path in a policy."""
ARGUMENTS: Final = 1024
"""Most arguments of one command."""
ARGUMENT_BYTES: Final = 32 * KIB
"""Most bytes of one argument."""
MESSAGE_BYTES: Final = 1 * MIB
"""Most bytes of one message to a gateway; some take 4 MiB, every one takes this."""
HOST_CHARACTERS: Final = 253
"""Most characters of a host's name in a policy."""

PIECE_BYTES: Final = 512 * KIB
"""Most bytes of content in one request: the rest of a message is room for the command."""
INLINE_COMMAND_BYTES: Final = 24 * KIB
"""Longest command that is an argument; a longer one is sent as a file."""
ENVIRONMENT_BYTES: Final = 64 * KIB
"""Most bytes of all variables of a backend together."""
SECRETS: Final = 64
"""Most secrets of one backend."""
SECRET_BYTES: Final = 32 * KIB
"""Most bytes of one secret's value."""
SECRETS_BYTES: Final = 512 * KIB
"""Most bytes of all secrets' values together, which have to fit into one message."""
NETWORK_RULES: Final = 256
"""Most network rules of one policy."""

TIMEOUT_SECONDS: Final = 30
"""Deadline of a command unless the backend names one, in seconds."""
OUTPUT_BYTES: Final = 1 * MIB
"""Most bytes kept of both output streams together unless said otherwise."""
OUTPUT_BYTES_MAXIMUM: Final = 1024 * MIB
"""Largest output budget that can be declared, in bytes."""
RPC_SECONDS: Final = 30.0
"""Deadline of one short request, in seconds."""
READY_SECONDS: Final = 300
"""Longest wait for a new sandbox to be ready unless said otherwise, in seconds."""
GONE_SECONDS: Final = 60.0
"""Longest wait for a deleted sandbox to be gone, in seconds."""
POLL_FIRST_SECONDS: Final = 0.05
"""First pause between two looks at a sandbox's phase, in seconds; it doubles each time."""
POLL_MOST_SECONDS: Final = 1.0
"""Longest pause between two looks at a sandbox's phase, in seconds."""
RETRIES: Final = 3
"""How often a request that is safe to repeat is repeated when the gateway is unavailable."""
RETRY_SECONDS: Final = 0.2
"""First pause before a repetition, in seconds; it doubles each time."""
SLICE_SECONDS: Final = 0.05
"""Longest wait before cancellation and deadline are looked at again, in seconds."""
EVENTS: Final = 16
"""Messages of a running command that are held at once; the gateway waits for room."""
GATEWAY_SLACK_SECONDS: Final = 15
"""How much later than ours the gateway's own time-out of a command is, in seconds."""
KILL_SECONDS: Final = 20
"""Longest that ending a command inside may take, in seconds."""
DRAIN_SECONDS: Final = 1.0
"""Longest wait for the rest of an ended command's output, in seconds."""
STATUS_SECONDS: Final = 30
"""Deadline of the look at how a command ended that answered like a time-out, in seconds."""
HELPER_SECONDS: Final = 120
"""Deadline of one of our own commands inside, such as a listing, in seconds."""
CANCEL_SECONDS: Final = 10.0
"""Longest that a cancelled task waits for its command's end, in seconds."""
CLEANUP_SECONDS: Final = 120
"""Deadline of everything that closing does, in seconds."""

DENIALS: Final = 64
"""Most denials reported of one command."""
DENIAL_CHARACTERS: Final = 300
"""Most characters of one denial."""
SCANNED_BYTES: Final = 256 * KIB
"""How much of each output stream is looked through for denials, from its end, in bytes."""
LOG_LINES: Final = 500
"""Most lines of a sandbox's log asked for at once."""
PENDING_RULES: Final = 1000
"""Most pending rules listed at once."""
REASON_CHARACTERS: Final = 1000
"""Most characters of the reason for which a rule is refused."""

TREE_ENTRIES: Final = 50_000
"""Most entries of a project or of a work directory that are looked at."""
TREE_DEPTH: Final = 64
"""Most folders above an entry."""
PATH_BYTES: Final = 4096
"""Most bytes of a path below a project or work directory."""
NAME_BYTES: Final = 255
"""Most bytes of one name in a path, as in the kernel's ``NAME_MAX``."""
PROJECT_BYTES: Final = 1024 * MIB
"""Most bytes of all files of a project, and of all brought back by one sync."""
LISTING_BYTES: Final = 64 * MIB
"""Most bytes of one listing of a work directory."""
READ_BYTES: Final = 128 * KIB
"""Bytes of a local file read at once."""
EXCLUDED: Final = 256
"""Most names that a project leaves out."""

SANDBOXES: Final = 8
"""Sandboxes that one provider keeps unless the declaration says otherwise."""
SANDBOXES_MAXIMUM: Final = 256
"""Most sandboxes that one provider may keep."""
READY_MAXIMUM: Final = 16
"""Most sandboxes that a provider makes before its first execution."""
PAGE_ITEMS: Final = 100
"""Sandboxes asked for at once when they are listed."""
PAGES: Final = 100
"""Most such pages that are read."""
SIDE_BY_SIDE: Final = 8
"""Sandboxes that are made or deleted at the same time."""
CLOSE_SECONDS: Final = 10.0
"""Longest that closing a provider waits for its running executions, in seconds."""
PROBE_SECONDS: Final = 5.0
"""Deadline of the question whether a gateway answers, in seconds."""
OVERDUE_SECONDS: Final = 30.0
"""Longest that a call may take beyond its deadline before it is given up, in seconds."""
