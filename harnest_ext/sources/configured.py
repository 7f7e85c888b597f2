"""Where to look for extensions, put together from the project, the command line, pip and uv."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harnest_ext import limits
from harnest_ext.errors import InvalidExtension
from harnest_ext.host import Host
from harnest_ext.resources import registry_folder
from harnest_ext.sources import rules
from harnest_ext.sources.index.configured import configured_index
from harnest_ext.sources.settings import SHIPPED, IndexSetting, RegistrySetting, SourceSettings
from harnest_ext.toml_fault import toml_fault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnest_ext.identity import Slug

__all__ = ["SourceOptions", "source_settings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOptions:
    """What a command line says of where to look.

    Attributes:
        registries: Folders or URLs, asked before those of the project.
        find_links: Folders of wheels.
        index_url: Package index in place of the configured one.
        no_index: Whether no index is asked.
        offline: Whether nothing is asked over the network.
        index_only: Names that are taken from the index alone.
        registry_of: Names that are taken from one registry alone: its name or its place.
        index_of_lock: Index that the project's lock names, asked when none is configured; empty
            when it names none.
    """

    registries: tuple[str, ...] = ()
    find_links: tuple[Path, ...] = ()
    index_url: str | None = None
    no_index: bool = False
    offline: bool = False
    index_only: frozenset[Slug] = frozenset()
    registry_of: tuple[tuple[Slug, str], ...] = ()
    index_of_lock: str = ""


def source_settings(
    root: Path | None, options: SourceOptions, *, cwd: Path, host: Host | None = None
) -> SourceSettings:
    """Return where to look for the extensions of a project.

    Args:
        root: The agent project's folder; None outside of one.
        options: What the command line says; its relative paths start from ``cwd``.
        cwd: Absolute folder.
        host: The running Harnest and Python.

    Raises:
        InvalidExtension: kind ``project-invalid``: the project's ``pyproject.toml`` can't be used.
    """
    tool = _tool(root) if root is not None else {}
    registries = {place: place for place in (_place(text, cwd) for text in options.registries)}
    if root is not None:
        registries |= _registries(tool, root)
        named = {name for _, name in options.registry_of}
        registries |= {
            name: _place(name, root)
            for name in sorted(named - set(registries) - {SHIPPED})
            if "/" in name or (root / name).is_dir()
        }
    return SourceSettings(
        shipped=registry_folder(),
        registries=tuple(
            RegistrySetting(name=name, location=place) for name, place in registries.items()
        ),
        find_links=tuple(Path(os.path.normpath(cwd / path)) for path in options.find_links),
        index=_index(options, tool),
        no_index=options.no_index,
        offline=options.offline,
        index_only=options.index_only,
        registry_of=options.registry_of,
        host=host or Host(),
    )


def _index(options: SourceOptions, tool: Mapping[str, Any]) -> IndexSetting | None:
    if options.index_url:
        return IndexSetting(url=options.index_url, told_by="--index-url")
    configured = configured_index(tool)
    if configured is None and options.index_of_lock:
        return IndexSetting(url=options.index_of_lock, told_by="the project's lock")
    return configured


def _place(text: str, base: Path) -> str:
    """A registry's URL as it is, or its folder as an absolute path."""
    return text if "://" in text else os.path.normpath(base / Path(text).expanduser())


def _registries(tool: Mapping[str, Any], root: Path) -> dict[str, str]:
    harnest = tool.get("harnest", {})
    listed = harnest.get("registries", {}) if isinstance(harnest, dict) else {}
    if not isinstance(listed, dict) or not all(isinstance(v, str) for v in listed.values()):
        raise _refused("[tool.harnest.registries] is not a table of folders and URLs")
    return {name: _place(value, root) for name, value in listed.items()}


def _tool(root: Path) -> Mapping[str, Any]:
    path = root / "pyproject.toml"
    try:
        with path.open("rb") as file:
            data = file.read(limits.METADATA_BYTES + 1)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise _refused(f"it can't be read: {error.strerror}") from None
    if len(data) > limits.METADATA_BYTES:
        raise _refused(f"it has more than {limits.METADATA_BYTES} bytes")
    try:
        tool = tomllib.loads(data.decode("utf-8")).get("tool", {})
    except (ValueError, RecursionError) as error:
        fault = toml_fault(error, data)
        raise _refused(fault.reason, line=fault.line) from None
    return tool if isinstance(tool, dict) else {}


def _refused(why: str, *, line: int | None = None) -> InvalidExtension:
    message = f"The agent's pyproject.toml is not usable: {why}."
    return InvalidExtension(rules.PROJECT.problem(message, path="pyproject.toml", line=line))
