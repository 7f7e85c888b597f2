"""Every bound of the tools, by name and with its unit."""

from typing import Final

KIB: Final = 1024
MIB: Final = 1024 * KIB

READ_BYTES: Final = 1 * MIB
"""Largest file that ``read_file`` takes, in bytes."""
WRITE_BYTES: Final = 10 * MIB
"""Largest content that is written, and largest file that is edited or searched, in bytes."""
ENTRIES: Final = 1_000
"""Most entries that one listing tells a model."""
DEPTH: Final = 25
"""Most levels of folders that ``glob`` and ``grep`` descend below the folder they start in."""
WALK_ENTRIES: Final = 50_000
"""Most entries considered by one ``glob`` or ``grep``: those whose last names may match."""
LOOKED_ENTRIES: Final = 1_000_000
"""Most entries of the host looked at for these; inside a backend its time-out is the bound."""
LISTING_BYTES: Final = 8 * MIB
"""Most bytes of one listing that comes out of a backend."""
GREP_BYTES: Final = 1 * MIB
"""Most bytes of text that ``grep`` answers, in UTF-8."""
SEARCH_BYTES: Final = 64 * MIB
"""Most bytes of files that one ``grep`` reads."""
SEARCH_SECONDS: Final = 60.0
"""Longest that one ``grep`` matches lines, in seconds of this process."""

READ_LINES: Final = 2_000
"""Lines that ``read_file`` shows unless it is told otherwise."""
LINE_CHARACTERS: Final = 2_000
"""Most characters shown of one line."""
CONTEXT_LINES: Final = 20
"""Most lines of context that ``grep`` shows on each side."""

PATH_BYTES: Final = 4096
"""Most bytes of a path, as in the kernel's ``PATH_MAX``."""
NAME_BYTES: Final = 255
"""Most bytes of one name in a path, as in the kernel's ``NAME_MAX``."""
LINKS: Final = 40
"""Most symbolic links followed in one path, as the kernel does."""

PATTERN_CHARACTERS: Final = 1_000
"""Longest pattern of ``glob`` and ``grep``, in characters."""
PATTERN_STATES: Final = 2_000
"""Most states of the automaton that a pattern of ``grep`` becomes."""
PATTERN_NESTING: Final = 50
"""Most groups inside one another in a pattern of ``grep``."""
REPETITIONS: Final = 1_000
"""Largest number in a counted repetition of ``grep``."""
AUTOMATON_CACHE: Final = 4_000
"""Sets of states kept while a pattern is matched; beyond it they are made anew."""
BRACES: Final = 64
"""Most patterns that the braces of one ``glob`` pattern may become."""

PIECE_BYTES: Final = 512 * KIB
"""Most bytes that one command takes as its input or gives as its output, before encoding."""
PIECE_BYTES_LEAST: Final = 1 * KIB
"""Smallest piece tried with a backend that keeps little output."""
COMMAND_BYTES: Final = 24 * KIB
"""Most bytes of arguments in one command: the strictest of gateways takes 32 KiB."""
BATCH_FILES: Final = 64
"""Most files read by one command."""
BATCH_BYTES: Final = 256 * KIB
"""Most bytes of files read by one command, unless it is a single file."""
ATTEMPTS: Final = 3
"""How often something is read that changed while it was read."""
CLEANUP_SECONDS: Final = 10
"""Deadline of the command that removes an unfinished file, in seconds."""
