"""Rules of the Python environment. Data only."""

from __future__ import annotations

from harnest_ext.rule import Rule

__all__ = [
    "CONFLICT",
    "EXTERNALLY_MANAGED",
    "FAILED",
    "HOST_CHANGED",
    "HOST_OWNED",
    "INTERPRETER",
    "LOCK",
    "LOCK_MISSING",
    "LOCK_STALE",
    "NO_HASH",
    "OFFLINE",
    "PROJECT",
    "SLOW",
    "UNWRITABLE",
    "UV_MISSING",
]

CONFLICT = Rule(
    id="env.conflict",
    kind="resolution-conflict",
    why="One environment holds one version of each Python package.",
    example="One extension requires idna<3, another one idna>=3.",
    fix="Uninstall one of them, ask for other releases of them, or ask their maintainers for "
    "releases that agree.",
)
EXTERNALLY_MANAGED = Rule(
    id="env.externally-managed",
    kind="environment-refused",
    why="Packages that are installed beside the system's package manager break what it installed.",
    example="The python3 of a Linux distribution.",
    fix="Make an environment of your own: python3 -m venv .venv, then .venv/bin/pip install "
    "harnest, and run .venv/bin/harnest; or name an environment by --python.",
)
INTERPRETER = Rule(
    id="env.interpreter",
    kind="environment-refused",
    why="Packages are installed for one Python, which must be known.",
    example="--python ./no-such-python",
    fix="Name the Python of an environment, such as --python .venv/bin/python.",
)
HOST_CHANGED = Rule(
    id="env.host-changed",
    kind="resolution-conflict",
    why="An installation must not break the Harnest that it is made with.",
    example="An extension that requires a pydantic-core which the installed pydantic excludes.",
    fix="Ask for other releases of the extensions, or upgrade Harnest first with the tool that "
    "installed it.",
)
HOST_OWNED = Rule(
    id="env.host-owned",
    kind="metadata-policy",
    why="Harnest and its extensions are not installed as Python packages: they have a manager.",
    example="An ordinary package that requires harnest-extension-docker.",
    fix="Use another release of the package that requires it.",
)
LOCK_MISSING = Rule(
    id="env.lock-missing",
    kind="lock-stale",
    why="With --frozen exactly what was locked is installed.",
    example="A clone without pylock.harnest.toml.",
    fix="Run harnest env sync without --frozen once, and commit pylock.harnest.toml.",
)
LOCK_STALE = Rule(
    id="env.lock-stale",
    kind="lock-stale",
    why="A lock that was made for other requirements misses something or installs too much.",
    example="An extension was installed after the lock was written.",
    fix="Run harnest env sync without --frozen, and commit pylock.harnest.toml.",
)
LOCK = Rule(
    id="env.lock",
    kind="lock-invalid",
    why="A lock that can't be read in one way names nothing that could be installed.",
    example="A pylock.harnest.toml with a merge conflict in it.",
    fix="Restore the file from version control, or remove it and run harnest env sync.",
)
NO_HASH = Rule(
    id="env.hash-missing",
    kind="hash-missing",
    why="Without a hash nobody notices that a file was exchanged.",
    example="An index that states no sha256 for a file.",
    fix="Use an index that states sha256 hashes.",
)
OFFLINE = Rule(
    id="env.offline",
    kind="offline",
    why="With --offline only what uv has cached can be installed.",
    example="A package that was never downloaded here.",
    fix="Run harnest env sync once without --offline.",
)
FAILED = Rule(
    id="env.failed",
    kind="network",
    why="uv could not get or install what was chosen.",
    example="An index that does not answer.",
    fix="Check the connection and the index; --verbose shows all that uv says.",
)
SLOW = Rule(
    id="env.deadline",
    kind="network",
    why="A command that never ends tells nobody what is wrong.",
    example="An index that trickles.",
    fix="Try again, or use another index.",
)
UV_MISSING = Rule(
    id="env.uv",
    kind="environment-refused",
    why="uv solves and installs Python packages.",
    example="An installation of Harnest that was taken apart.",
    fix="Install it beside Harnest: pip install uv",
)
PROJECT = Rule(
    id="env.project",
    kind="project-invalid",
    why="The agent's own requirements are solved together with those of its extensions.",
    example="dependencies = ['not a requirement!']",
    fix="Mend [project] in the agent's pyproject.toml.",
)
UNWRITABLE = Rule(
    id="env.unwritable",
    kind="io-error",
    why="What is installed must be written down.",
    example="A project on a disk that is full.",
    fix="Make the project's folder writable.",
)
