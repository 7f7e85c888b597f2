"""Rules of what may be done with an agent's extensions. Data only."""

from __future__ import annotations

from harnest_ext.rule import Rule

__all__ = [
    "CONSENT",
    "DUPLICATE",
    "ENTRY_DIFFERS",
    "LINK",
    "LOCAL_CHANGES",
    "NOT_INSTALLED",
    "NO_BACKUP",
    "OTHER_CONTENT",
    "PATH_TEXT",
    "PINNED",
    "REQUIRED",
    "SOURCE_DIFFERS",
    "SOURCE_MISSING",
    "STALE_LOCK",
    "UNSATISFIED",
]

DUPLICATE = Rule(
    id="install.duplicate",
    kind="usage",
    why="Two sources of one extension can't both be installed.",
    example="harnest extensions install ./docker docker",
    fix="Name each extension once.",
)
OTHER_CONTENT = Rule(
    id="install.other-content",
    kind="conflict",
    why="What is installed is replaced only when somebody says so.",
    example="Version 1.1.0 of an extension of which 1.0.0 is installed.",
    fix="Add --upgrade to replace it; the old version is kept for `harnest extensions rollback`.",
)
LOCAL_CHANGES = Rule(
    id="install.local-changes",
    kind="modified",
    why="Work that somebody has done in a copy must not vanish silently.",
    example="extensions/docker/extension.py was edited.",
    fix="Add --force to replace the copy; it is kept for `harnest extensions rollback`.",
)
CONSENT = Rule(
    id="install.capabilities",
    kind="consent-required",
    why="An upgrade must not quietly gain powers that were never agreed to.",
    example="Version 1.1.0 declares context.credentials, version 1.0.0 did not.",
    fix="Review what it declares and add --accept-capabilities.",
)
LINK = Rule(
    id="install.link",
    kind="usage",
    why="Only a folder can be run in place.",
    example="harnest extensions install --link docker",
    fix="Give the folder of a checkout, or leave out --link.",
)
PATH_TEXT = Rule(
    id="install.path",
    kind="unsafe-path",
    why="The lock and pyproject.toml are UTF-8, and have to name where an extension came from.",
    example="A folder whose name holds the byte 0xFF.",
    fix="Rename or move the folder.",
)
NOT_INSTALLED = Rule(
    id="project.not-installed",
    kind="not-found",
    why="Only what is installed can be shown, changed or removed.",
    example="harnest extensions show dokcer",
    fix="See `harnest extensions list`.",
)
PINNED = Rule(
    id="upgrade.pinned",
    kind="conflict",
    why="A pin says that an extension stays at its version.",
    example="harnest extensions upgrade docker after harnest extensions pin docker.",
    fix="Let it go first: harnest extensions unpin NAME",
)
REQUIRED = Rule(
    id="uninstall.required",
    kind="conflict",
    why="An extension without what it requires can't be activated.",
    example="Removing rag while another extension requires it.",
    fix="Remove both, or add --force to leave the other one without it.",
)
NO_BACKUP = Rule(
    id="rollback.none",
    kind="not-found",
    why="Only the version that was replaced last is kept.",
    example="A rollback of an extension that was never upgraded.",
    fix="Install the version that you want, such as `harnest extensions install NAME==VERSION`.",
)
UNSATISFIED = Rule(
    id="project.unsatisfied",
    kind="resolution-conflict",
    why="An extension is activated only with what it requires.",
    example="rag requires docker>=1, and docker 0.5.0 is installed.",
    fix="Install or upgrade what is named.",
)
STALE_LOCK = Rule(
    id="lock.stale",
    kind="lock-stale",
    why="With --frozen the lock is installed as it is, and this one is not what the project asks.",
    example="An extension was added to pyproject.toml by hand.",
    fix="Run `harnest extensions lock`, review and commit the lock.",
)
SOURCE_MISSING = Rule(
    id="sync.source-missing",
    kind="not-found",
    why="What the lock names must be found where the lock says.",
    example="The folder ../mine, which is not in this clone.",
    fix="Bring the source back, or install the extension from elsewhere.",
)
SOURCE_DIFFERS = Rule(
    id="sync.source-differs",
    kind="hash-mismatch",
    why="A sync gives exactly the bytes of the lock, or nothing.",
    example="The folder ../mine was changed since it was locked.",
    fix="Restore the source, or run `harnest extensions upgrade NAME` to take what is there now.",
)
ENTRY_DIFFERS = Rule(
    id="install.entry-differs",
    kind="registry-mismatch",
    why="What a registry says of a release is what was chosen by; the wheel must say the same.",
    example="An entry without `requires` for a wheel that requires another extension.",
    fix="Tell whoever keeps the registry; nothing of it was installed.",
)
