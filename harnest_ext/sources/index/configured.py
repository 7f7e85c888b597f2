"""Which package index is configured: by the project, by pip, or by uv.

No index is built in. One index is taken, never several: a second one would offer the same names to
whoever registers them there first. So the extra indexes of pip and uv are left out.
"""

from __future__ import annotations

import configparser
import os
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harnest_ext.sources.settings import IndexSetting

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["configured_index"]

_VARIABLES = ("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL")


def configured_index(
    tool: Mapping[str, Any], environment: Mapping[str, str] | None = None
) -> IndexSetting | None:
    """Return the index that is configured, or None.

    Args:
        tool: Table ``[tool]`` of the project's ``pyproject.toml``; it decides before anything else.
        environment: Environment variables; those of this process if None.
    """
    environment = os.environ if environment is None else environment
    for url, told_by in _told(tool, environment):
        if url and isinstance(url, str):
            # uv lets a name stand before the URL.
            name, equals, rest = url.partition("=")
            plain = rest if equals and "/" not in name else url
            return IndexSetting(url=plain.strip(), told_by=told_by)
    return None


def _told(tool: Mapping[str, Any], environment: Mapping[str, str]) -> Iterator[tuple[Any, str]]:
    yield _table(tool, "harnest").get("index-url"), "[tool.harnest] index-url"
    yield _of_uv(_table(tool, "uv")), "[tool.uv] of the project"
    for name in _VARIABLES:
        yield environment.get(name), name
    for path in _pip_files(environment):
        yield _of_pip(path), str(path)
    for path in _uv_files(environment):
        yield _of_uv(_toml(path)), str(path)


def _table(parent: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = parent.get(key)
    return found if isinstance(found, dict) else {}


def _of_uv(settings: Mapping[str, Any]) -> object:
    """The default index of uv's settings, in their newer and older spelling."""
    listed = settings.get("index")
    for index in listed if isinstance(listed, list) else ():
        if isinstance(index, dict) and index.get("default") is True:
            return index.get("url")
    plain = settings.get("index-url") or _table(settings, "pip").get("index-url")
    return plain or None


def _of_pip(path: Path) -> str | None:
    parser = configparser.RawConfigParser()
    try:
        parser.read(path, encoding="utf-8")
    except (configparser.Error, OSError, UnicodeDecodeError):
        return None  # a file of another tool that can't be read is that tool's to complain about
    for section in ("install", "global"):
        for key in ("index-url", "index_url"):
            found = parser.get(section, key, fallback="").strip()
            if found:
                return found
    return None


def _toml(path: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}  # as above


def _pip_files(environment: Mapping[str, str]) -> Iterator[Path]:
    """The files that pip reads, the one that wins first."""
    named = environment.get("PIP_CONFIG_FILE")
    if named == os.devnull:
        return
    if named:
        yield Path(named)
    yield Path(sys.prefix) / "pip.conf"
    yield _home_config(environment) / "pip" / "pip.conf"
    yield Path.home() / ".pip" / "pip.conf"
    yield Path("/etc/pip.conf")
    yield Path("/etc/xdg/pip/pip.conf")


def _uv_files(environment: Mapping[str, str]) -> Iterator[Path]:
    if environment.get("UV_NO_CONFIG"):
        return
    named = environment.get("UV_CONFIG_FILE")
    if named:
        yield Path(named)
        return
    yield _home_config(environment) / "uv" / "uv.toml"
    yield Path("/etc/uv/uv.toml")


def _home_config(environment: Mapping[str, str]) -> Path:
    named = environment.get("XDG_CONFIG_HOME")
    return Path(named) if named else Path.home() / ".config"
