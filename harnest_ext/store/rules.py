"""Rules of the project's files and of writing to them. Data only."""

from __future__ import annotations

from harnest_ext.rule import Rule

__all__ = [
    "BACKUP",
    "BUSY",
    "DESTINATION",
    "JOURNAL",
    "LOCKING",
    "SOURCE_CHANGED",
    "UNFINISHED",
    "WRITE",
]

BUSY = Rule(
    id="store.busy",
    kind="busy",
    why="Two writers at once would leave a mix of what each of them wrote.",
    example="Two `harnest extensions install` in one project, the first of them slow.",
    fix="Wait for the other command, or give this one more time by --wait SECONDS.",
)
LOCKING = Rule(
    id="store.locking",
    kind="io-error",
    why="Without a lock of the operating system two writers can't be told apart.",
    example="A project on a network file system that has no locks.",
    fix="Move the project to a file system with locks, or mount this one with them.",
)
DESTINATION = Rule(
    id="store.destination",
    kind="conflict",
    why="Writing through a link or over a file would change what is none of the project's.",
    example="extensions/docker is a symbolic link to somewhere else.",
    fix="Move what is there away; copies are regular folders inside extensions/.",
)
WRITE = Rule(
    id="store.write",
    kind="io-error",
    why="What can't be written completely is not written at all.",
    example="A full disk, a read-only folder, a missing permission.",
    fix="Mend what the message names and run the command again.",
)
JOURNAL = Rule(
    id="store.journal",
    kind="tampered",
    why="A journal says what an interrupted command has still to do; one that nobody here has "
    "written must not move files.",
    example="extensions/.harnest/journal.json edited by hand.",
    fix="Run `harnest extensions doctor --fix`, which puts the journal aside and compares the "
    "copies with the lock.",
)
UNFINISHED = Rule(
    id="store.unfinished",
    kind="interrupted",
    why="An interrupted command is finished by the next one; when it can't be, nothing else may "
    "be written.",
    example="The disk was full during an install and is still full.",
    fix="Mend what the message names and run any writing command, such as "
    "`harnest extensions doctor --fix`.",
)
SOURCE_CHANGED = Rule(
    id="store.source-changed",
    kind="hash-mismatch",
    why="What is copied must be what was checked.",
    example="A file of the source folder was saved while it was being installed.",
    fix="Run the command again when nothing writes to the source.",
)
BACKUP = Rule(
    id="store.backup",
    kind="tampered",
    why="A rollback brings back exactly what was replaced, or nothing.",
    example="A file below extensions/.harnest/previous edited by hand.",
    fix="Install the version that you want by name, folder or wheel.",
)
