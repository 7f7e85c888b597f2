"""What the doctor looks for. Data only."""

from __future__ import annotations

from harnest_ext.problem import Severity
from harnest_ext.rule import Rule

__all__ = [
    "DEPENDENCY",
    "FOREIGN",
    "INTERRUPTED",
    "JOURNAL",
    "LEFTOVERS",
    "MISSING",
    "MODES",
    "MODIFIED",
    "NOT_IN_LOCK",
    "OUT_OF_SYNC",
    "SHADOWED",
    "STALE",
    "UNREADABLE",
    "Rule",
]

_FIX = "Run `harnest extensions doctor --fix`."

INTERRUPTED = Rule(
    id="doctor.interrupted",
    kind="interrupted",
    why="A command was killed after it had decided what to do.",
    example="A power failure during an install.",
    fix="Run any command that writes, or `harnest extensions doctor --fix`.",
)
JOURNAL = Rule(
    id="doctor.journal",
    kind="tampered",
    why="A journal that can't be followed stands in the way of every command that writes.",
    example="extensions/.harnest/journal.json edited by hand.",
    fix=f"{_FIX} It keeps the journal under another name.",
)
LEFTOVERS = Rule(
    id="doctor.leftovers",
    kind="leftovers",
    why="What a killed command had only prepared takes space and means nothing.",
    example="A folder below extensions/.harnest/staging.",
    fix="Run any command that writes, or `harnest extensions doctor --fix`.",
    severity=Severity.WARNING,
)
STALE = Rule(
    id="doctor.stale-lock",
    kind="lock-stale",
    why="The lock is not what pyproject.toml asks for.",
    example="An extension was added to pyproject.toml by hand.",
    fix="Run `harnest extensions lock`, or `harnest extensions doctor --fix`.",
)
MISSING = Rule(
    id="doctor.missing",
    kind="missing",
    why="An extension of the lock can't be loaded when its copy is not there.",
    example="extensions/docker was deleted, or never came with the clone.",
    fix="Run `harnest extensions sync`, or `harnest extensions doctor --fix`.",
)
MODIFIED = Rule(
    id="doctor.modified",
    kind="modified",
    why="A copy that is not what the lock names is not loaded.",
    example="extensions/docker/extension.py was edited.",
    fix="Keep your work elsewhere and run `harnest extensions sync --force`, or "
    "`harnest extensions doctor --fix`; the edited copy is kept for a rollback.",
)
OUT_OF_SYNC = Rule(
    id="doctor.out-of-sync",
    kind="out-of-sync",
    why="The lock names other content than what was installed.",
    example="A lock of another branch was checked out.",
    fix="Run `harnest extensions sync`, or `harnest extensions doctor --fix`.",
)
NOT_IN_LOCK = Rule(
    id="doctor.not-in-lock",
    kind="foreign-files",
    why="What is not in the lock is not loaded.",
    example="A folder that was copied into extensions/ by hand.",
    fix="Install it from its source, or remove it: harnest extensions uninstall NAME",
    severity=Severity.WARNING,
)
FOREIGN = Rule(
    id="doctor.foreign",
    kind="foreign-files",
    why="What is no extension has no place in extensions/ and stands in the way of one.",
    example="A link extensions/docker.",
    fix="Move it elsewhere.",
    severity=Severity.WARNING,
)
MODES = Rule(
    id="doctor.modes",
    kind="permissions",
    why="Copies are readable by everybody and writable by their owner, or others could change "
    "code that runs in the agent, or nobody could load it.",
    example="A file with mode 0666.",
    fix=f"{_FIX} It sets 0644 and 0755.",
)
SHADOWED = Rule(
    id="doctor.shadowed",
    kind="shadowed",
    why="Of two copies of an extension only the project's is used.",
    example="harnest-extension-docker is installed in the environment too.",
    fix="Uninstall the distribution with the tool that installed it, if nothing else needs it.",
    severity=Severity.WARNING,
)
UNREADABLE = Rule(
    id="doctor.distribution",
    kind="distribution",
    why="A distribution that can't be read, or comes twice, is passed over.",
    example="A malformed entry_points.txt.",
    fix="Reinstall or uninstall the distribution with the tool that installed it.",
    severity=Severity.WARNING,
)
DEPENDENCY = Rule(
    id="doctor.dependency",
    kind="environment",
    why="An extension can't be loaded without the Python packages it requires.",
    example="The docker extension without the docker package.",
    fix="Run `harnest env sync`.",
)
