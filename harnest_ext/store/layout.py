"""Names and places of the project's files, in one place."""

from __future__ import annotations

from typing import Final

__all__ = [
    "CONFIG_NAME",
    "EXTENSIONS_NAME",
    "IGNORE_DRAFT_PATH",
    "IGNORE_PATH",
    "JOURNAL_DRAFT_PATH",
    "JOURNAL_PATH",
    "LOCK_NAME",
    "PREVIOUS_PATH",
    "PYPROJECT_NAME",
    "STAGING_PATH",
    "STAMPS_PATH",
    "STATE_PATH",
]

CONFIG_NAME: Final = "config.yaml"
LOCK_NAME: Final = "harnest-extensions.lock"
PYPROJECT_NAME: Final = "pyproject.toml"
EXTENSIONS_NAME: Final = "extensions"

STATE_PATH: Final = f"{EXTENSIONS_NAME}/.harnest"
"""Local state beside the copies: same file system, so that a rename swaps; ignored by git."""
IGNORE_PATH: Final = f"{STATE_PATH}/.gitignore"
IGNORE_DRAFT_PATH: Final = f"{IGNORE_PATH}.new"
JOURNAL_PATH: Final = f"{STATE_PATH}/journal.json"
JOURNAL_DRAFT_PATH: Final = f"{JOURNAL_PATH}.new"
STAGING_PATH: Final = f"{STATE_PATH}/staging"
PREVIOUS_PATH: Final = f"{STATE_PATH}/previous"
STAMPS_PATH: Final = f"{STATE_PATH}/stamps.json"
