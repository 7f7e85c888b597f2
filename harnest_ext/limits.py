"""Every bound of the manager and the runtime, by name and with its unit.

An error that reports a bound prints its value from here. The figures of packages are those of the
extension package format; `docs/reference/limits.md` is generated from this module.
"""

from typing import Final

KIB: Final = 1024
MIB: Final = 1024 * KIB

MANIFEST_BYTES: Final = 64 * KIB
"""Most bytes of an ``extension.yaml``."""
MANIFEST_DEPTH: Final = 32
"""Deepest nesting in an ``extension.yaml``."""
SLUG_CHARACTERS: Final = 64
"""Most characters of an extension's name."""
VERSION_CHARACTERS: Final = 64
"""Most characters of an extension's version."""
METADATA_BYTES: Final = 1 * MIB
"""Most bytes of a ``pyproject.toml``, METADATA, WHEEL or ``entry_points.txt``."""
RECORD_BYTES: Final = 8 * MIB
"""Most bytes of a wheel's RECORD, which has one row for each file."""
METADATA_DEPTH: Final = 32
"""Deepest nesting in a ``pyproject.toml``."""
REQUIREMENTS: Final = 256
"""Most requirements of one package."""
REQUIREMENT_CHARACTERS: Final = 8 * KIB
"""Most characters of one requirement or range."""
REQUIREMENT_CLAUSES: Final = 64
"""Most clauses of one version range."""
CLAUSE_CHARACTERS: Final = 256
"""Most characters of one clause of a version range."""
REQUIREMENT_PARENTHESES: Final = 32
"""Most parentheses open at once in the marker of a requirement."""
PYTHON_BYTES: Final = 1 * MIB
"""Most bytes of one Python source file, which is parsed to be checked."""
PYTHON_TOKENS: Final = 250_000
"""Most words and signs of one Python source file: parsing costs about 1 KiB of memory for each."""
PYTHON_TOKENS_TOTAL: Final = 500_000
"""Most words and signs of all Python source files of one package, some 50,000 lines: parsing costs
at most 3 us of CPU for each, so that the worst package is judged in less than 2 s."""
MANIFEST_ITEMS: Final = 256
"""Most items of one list in an ``extension.yaml``."""
READ_BYTES: Final = 256 * KIB
"""Bytes that are read of a package's file at a time."""
WALK_ENTRIES: Final = 100_000
"""Most entries of a source folder that are looked at, copied or not."""
PROBLEMS: Final = 200
"""Most problems that are collected about one package before the search stops."""

PACKAGE_FILES: Final = 10_000
"""Most files of one package."""
PACKAGE_BYTES: Final = 64 * MIB
"""Most bytes of all files of one package, unpacked."""
FILE_BYTES: Final = 16 * MIB
"""Most bytes of one file of a package."""
PATH_BYTES: Final = 512
"""Most bytes of a path inside a package, in UTF-8."""
COMPONENT_BYTES: Final = 255
"""Most bytes of one component of such a path."""
PATH_DEPTH: Final = 32
"""Most components of such a path."""
WHEEL_BYTES: Final = 16 * MIB
"""Most bytes of a wheel file."""
WHEEL_RATIO: Final = 100
"""Largest ratio of inflated to stored bytes of one member above 1 MiB."""
RECENT_WHEELS_BYTES: Final = 32 * MIB
"""Most bytes of wheels, judged a moment ago, that are held in memory."""

TEMPLATE_FILES: Final = 200
"""Most files of one template."""
TEMPLATE_VALUE_CHARACTERS: Final = 200
"""Most characters of one value given to a template."""

MESSAGE_BYTES: Final = 4 * KIB
"""Most bytes of one whole refusal, as it is printed."""

LOCK_BYTES: Final = 16 * MIB
"""Most bytes of a ``harnest-extensions.lock``."""
CONFIG_BYTES: Final = 1 * MIB
"""Most bytes of a ``config.yaml``."""
STATE_BYTES: Final = 64 * MIB
"""Most bytes of a file of the store's own state, such as the file stamps."""
WRITER_WAIT_SECONDS: Final = 60.0
"""How long a writing command waits for another one, unless told otherwise."""
WRITER_NOTICE_SECONDS: Final = 1.0
"""After how long such a wait is told to the user."""
WRITER_POLL_SECONDS: Final = 0.05
"""How often the wait looks again."""
CLOSE_MATCHES: Final = 3
"""Most names suggested for a name that is not known."""
UNSYNCED_FILES: Final = 64
"""Most files that are written and kept open before they are synced together."""
PREVIOUS_VERSIONS: Final = 1
"""How many previous versions of an extension are kept for a rollback."""

ARGUMENT_PATH_BYTES: Final = 4096
"""Most bytes of a path given on the command line: what the system takes at most."""

RESOLUTION_ROUNDS: Final = 3_000
"""Most steps of one resolution: releases chosen and taken back."""
RESOLUTION_TRIALS: Final = 12
"""Most changes that are tried to find one that would resolve a conflict."""
RESOLUTION_TRIAL_ROUNDS: Final = 500
"""Most steps of one such trial."""
EXPLANATION_LINES: Final = 10
"""Most lines of the explanation of a conflict."""
EXPLANATION_LINKS: Final = 6
"""Most links of a chain in it; a longer one is cut in the middle."""

EXTENSION_STOP_SECONDS: Final = 10
"""Seconds that one extension's ``stop`` may take before it is cancelled and given up."""
CANCELLED_STOP_SECONDS: Final = 1
"""Seconds that a cancelled ``stop`` may take to end before the runtime goes on without it."""
SANDBOX_NAME_CHARACTERS: Final = 47
"""Most characters of a sandbox's name."""
AGENT_NAME_CHARACTERS: Final = 64
"""Most characters of an agent's name."""
STORAGE_KEY_BYTES: Final = 512
"""Most bytes of a key in an extension's or agent's storage, in UTF-8."""
STORAGE_VALUE_BYTES: Final = 1 * MIB
"""Most bytes of a value in such a storage."""
CONTINUATION_BYTES: Final = 1 * MIB
"""Most bytes of a continuation's result, as JSON."""
CONTINUATION_DAYS: Final = 30
"""Days that a finished continuation is kept, for an invocation that is replayed."""
CREDENTIALS_BYTES: Final = 64 * KIB
"""Most bytes of a credentials file."""

CONNECT_SECONDS: Final = 10.0
"""Longest wait for a connection to a registry or index."""
IDLE_SECONDS: Final = 20.0
"""Longest wait for the next bytes of an answer."""
PAGE_SECONDS: Final = 60.0
"""Longest time for a whole page of a registry or index, redirects included."""
DOWNLOAD_SECONDS: Final = 300.0
"""Longest time for a whole wheel, redirects included."""
REDIRECTS: Final = 5
"""Most redirects from one address to its answer."""
INDEX_PAGE_BYTES: Final = 32 * MIB
"""Most bytes of a page of a registry or index."""
INDEX_LIST_BYTES: Final = 4 * MIB
"""Most bytes of an index's list of all projects, which only ``search`` asks for."""
INDEX_PAGE_DEPTH: Final = 32
"""Deepest nesting in such a page."""
SEARCH_SECONDS: Final = 600.0
"""How long ``search`` takes a kept page without asking whether it has changed."""
SEARCH_MATCHES: Final = 1000
"""Most matches that ``search`` shows."""

CACHED_WHEELS_BYTES: Final = 512 * MIB
"""Most bytes of downloaded wheels that are kept for later."""
CACHED_PAGES_BYTES: Final = 128 * MIB
"""Most bytes of pages of registries and indexes that are kept for later."""
CACHE_DAYS: Final = 180
"""Days after which a wheel or page that nobody used is no longer kept."""
CACHE_SPARED_SECONDS: Final = 3600
"""Seconds for which what was just used is kept whatever else is there: it may be in use."""

REGISTRY_ENTRY_BYTES: Final = 1 * MIB
"""Most bytes of one extension's file in a registry."""
CLOSE_NAMES: Final = 3
"""Most names that are proposed for one that is not known."""
PROGRAM_BYTES: Final = 16 * MIB
"""Most bytes of a program or an input file on the command line of ``sandbox run``."""
QUICKSTART_PULL_SECONDS: Final = 120
"""Longest that the quickstart waits for an image, in seconds."""
DAEMON_SECONDS: Final = 5.0
"""Longest that the quickstart waits for an answer of a Docker daemon, in seconds."""
DAEMON_BYTES: Final = 4 * MIB
"""Most bytes of such an answer."""

INTERPRETER_SECONDS: Final = 30.0
"""Seconds that a Python may take to say what it is."""
ENVIRONMENT_SECONDS: Final = 1800.0
"""Seconds that one solve or installation of Python packages may take."""
ENVIRONMENT_TRIALS: Final = 40
"""Most solves that are tried to find the requirements that exclude each other."""

MEMORY_OUTPUT_BYTES: Final = 1 * MIB
"""Output budget of the memory provider unless another is asked for."""
MEMORY_POLL_SECONDS: Final = 0.02
"""Longest wait of the memory provider before deadline and cancellation are looked at again."""
MEMORY_END_SECONDS: Final = 1.0
"""Longest wait of the memory provider for a program that is to end, in seconds."""
PROBE_SECONDS: Final = 120
"""Longest that the extension suite lets an extension run, in seconds."""
