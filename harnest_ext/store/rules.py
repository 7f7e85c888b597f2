"""Rules of the project's files and of writing to them. Data only."""

from __future__ import annotations

from harnest_ext.rule import Rule

__all__ = [
    "BACKUP",
    "BUSY",
    "CONFIG",
    "DESTINATION",
    "JOURNAL",
    "LOCKING",
    "LOCK_DUPLICATE",
    "LOCK_FIELD",
    "LOCK_KEYS",
    "LOCK_TOML",
    "LOCK_VERSION",
    "NO_PROJECT",
    "SOURCE_CHANGED",
    "UNFINISHED",
    "UNREADABLE",
    "WISHES",
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

UNREADABLE = Rule(
    id="store.unreadable",
    kind="io-error",
    why="A file of the project that can't be read whole can't be kept or changed safely.",
    example="harnest-extensions.lock is a link, a folder, or of mode 000.",
    fix="Make it a regular file that you may read.",
)
NO_PROJECT = Rule(
    id="project.missing",
    kind="project-not-found",
    why="Extensions belong to an agent project; nothing is written anywhere else.",
    example="harnest extensions list in a folder without config.yaml.",
    fix="Name the agent's folder by --project, or make one: harnest init DIR",
)
CONFIG = Rule(
    id="project.config",
    kind="project-invalid",
    why="A config.yaml of another tool must not be taken for an agent's.",
    example="A config.yaml without `kind: Agent`.",
    fix="Name the agent's folder by --project, or make one: harnest init DIR",
)
WISHES = Rule(
    id="pyproject.wishes",
    kind="project-invalid",
    why="What was asked for is written there, in a file that is the user's own.",
    example="docker = 1 below [tool.harnest.extensions].",
    fix="Mend the file; it is never overwritten.",
)
_LOCK_FIX = (
    "Restore the file from version control, or move it away and run `harnest extensions lock`."
)
LOCK_TOML = Rule(
    id="lock.toml",
    kind="lock-invalid",
    why="A lock that can't be read says nothing about what is installed.",
    example="The marks of a merge conflict.",
    fix=_LOCK_FIX,
)
LOCK_VERSION = Rule(
    id="lock.version",
    kind="lock-invalid",
    why="A later version of Harnest may write what this one does not understand.",
    example="lock-version = 2",
    fix="Use the version of Harnest that wrote it. " + _LOCK_FIX,
)
LOCK_KEYS = Rule(
    id="lock.keys",
    kind="lock-invalid",
    why="A key that is not known may be one that matters.",
    example="A misspelt key.",
    fix=_LOCK_FIX,
)
LOCK_FIELD = Rule(
    id="lock.field",
    kind="lock-invalid",
    why="Every value is used to find, verify or load an extension.",
    example='digest = "md5:..."',
    fix=_LOCK_FIX,
)
LOCK_DUPLICATE = Rule(
    id="lock.duplicate",
    kind="lock-invalid",
    why="Of two entries of one name nobody knows which one holds.",
    example='Two tables with name = "docker".',
    fix=_LOCK_FIX,
)
