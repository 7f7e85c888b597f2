"""An agent project on disk: where it is, and where its files are.

Finding one is on the path of every command, so `config.yaml` is only looked at as far as needed to
know that it is an agent's: by its two marking lines, and by PyYAML when these are written in
another style. The runtime validates the rest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from harnest_ext import limits
from harnest_ext.errors import ExtensionNotFound, HarnestExtensionError, InvalidExtension
from harnest_ext.store import layout, rules

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["AGENT_API_VERSION", "AGENT_KIND", "Project"]

AGENT_API_VERSION = "harnest.dev/v1alpha1"
AGENT_KIND = "Agent"

_API_LINE = re.compile(
    rb"""^apiVersion:[ \t]+(["']?)harnest\.dev/v1alpha1\1[ \t]*(?:#.*)?\r?$""", re.MULTILINE
)
_KIND_LINE = re.compile(rb"""^kind:[ \t]+(["']?)Agent\1[ \t]*(?:#.*)?\r?$""", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A folder that holds an agent's `config.yaml`.

    Made by :meth:`find` or :meth:`at`, which look at the folder; the paths are computed, and
    nothing is created.

    Attributes:
        root: The folder, absolute, links resolved.
    """

    root: Path

    @classmethod
    def find(cls, start: Path) -> Self:
        """Return the project that ``start`` is in: the nearest folder upward with an agent.

        Raises:
            ExtensionNotFound: kind ``project-not-found``: there is none up to the file system's
                root.
            InvalidExtension: kind ``project-invalid``: the nearest `config.yaml` of an agent's
                shape is not an agent's.
        """
        first: HarnestExtensionError | None = None
        for folder in (resolved := _resolved(start), *resolved.parents):
            try:
                return cls.at(folder)
            except ExtensionNotFound:
                continue
            except InvalidExtension as error:
                # A config.yaml of something else may lie on the way; its fault is told only
                # when no agent is found above it.
                first = first or error
        raise first or _not_found(resolved, "in this folder or above it")

    @classmethod
    def at(cls, folder: Path) -> Self:
        """Return the project whose root is ``folder``.

        Raises:
            ExtensionNotFound: kind ``project-not-found``: there is no `config.yaml`.
            InvalidExtension: kind ``project-invalid``: `config.yaml` is not an agent's.
        """
        root = _resolved(folder)
        config = root / layout.CONFIG_NAME
        try:
            with config.open("rb") as stream:
                data = stream.read(limits.CONFIG_BYTES + 1)
        except (FileNotFoundError, NotADirectoryError):
            raise _not_found(root, "in it") from None
        except OSError as error:
            raise _invalid(config, f"it can't be read: {error.strerror}") from error
        if not (_API_LINE.search(data) and _KIND_LINE.search(data)):
            _look_closely(config, data)
        return cls(root=root)

    @property
    def name(self) -> str:
        """Name of the agent: `metadata.name`, or the folder's name when that can't be read."""
        return _agent_name(self.config_path) or self.root.name

    @property
    def config_path(self) -> Path:
        """The agent's `config.yaml`."""
        return self.root / layout.CONFIG_NAME

    @property
    def pyproject_path(self) -> Path:
        """`pyproject.toml`, which holds what the user asked for."""
        return self.root / layout.PYPROJECT_NAME

    @property
    def lock_path(self) -> Path:
        """`harnest-extensions.lock`, which holds exactly what that came to."""
        return self.root / layout.LOCK_NAME

    @property
    def extensions(self) -> Path:
        """Folder of the copies, `extensions/`."""
        return self.root / layout.EXTENSIONS_NAME

    @property
    def state(self) -> Path:
        """Folder of local state, `extensions/.harnest/`."""
        return self.root / layout.STATE_PATH


def _resolved(folder: Path) -> Path:
    try:
        return folder.expanduser().resolve(strict=False)
    except (OSError, RuntimeError, ValueError) as error:
        raise _invalid(folder, f"the path can't be followed: {error}") from error


def _look_closely(config: Path, data: bytes) -> None:
    """Refuse `config.yaml` unless it marks an agent in a style that the quick look missed."""
    if len(data) > limits.CONFIG_BYTES:
        raise _invalid(config, f"it is larger than {limits.CONFIG_BYTES} bytes")
    found = _mapping(config, data)
    for key, expected in (("apiVersion", AGENT_API_VERSION), ("kind", AGENT_KIND)):
        if found.get(key) != expected:
            raise _invalid(config, f"its `{key}` is not `{expected}`", got=repr(found.get(key)))


def _mapping(config: Path, data: bytes) -> dict[object, object]:
    import yaml  # noqa: PLC0415 - only a config.yaml of an unusual style pays for it

    try:
        document = yaml.safe_load(data)
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        raise _invalid(config, "it is not YAML", line=mark.line + 1 if mark else None) from error
    if not isinstance(document, dict):
        raise _invalid(config, "it is not a mapping")
    return document


def _agent_name(config: Path) -> str:
    try:
        metadata = _mapping(config, config.read_bytes()).get("metadata")
    except (OSError, InvalidExtension):
        return ""
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else ""


def _not_found(folder: Path, where: str) -> ExtensionNotFound:
    return ExtensionNotFound(
        rules.NO_PROJECT.problem(
            f"No agent project was found: there is no {layout.CONFIG_NAME} {where}.",
            path=str(folder),
            expected=f"a folder with a {layout.CONFIG_NAME} of `kind: {AGENT_KIND}`",
        )
    )


def _invalid(
    path: Path, reason: str, *, got: str = "", line: int | None = None
) -> InvalidExtension:
    return InvalidExtension(
        rules.CONFIG.problem(
            f"This is not an agent project: {reason}.",
            path=str(path),
            line=line,
            expected=f"`apiVersion: {AGENT_API_VERSION}` and `kind: {AGENT_KIND}`",
            got=got,
        )
    )
