"""The file ``pylock.harnest.toml`` (PEP 751): read, judged, marked with what it was made for."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, Any

from harnest_ext.environment import rules
from harnest_ext.environment.demands import is_host_owned
from harnest_ext.errors import InvalidExtension

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["LOCK_NAME", "Pylock", "marked"]

LOCK_NAME = "pylock.harnest.toml"


class Pylock:
    """A lock that was read and holds nothing that must not be installed.

    Args:
        data: Content of the file.

    Raises:
        InvalidExtension: kinds ``lock-invalid``, ``hash-missing``, ``metadata-policy``.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        try:
            told = tomllib.loads(data.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise _refused(f"it is not TOML in UTF-8: {error}") from None
        packages = told.get("packages")
        if not isinstance(packages, list) or not all(isinstance(p, dict) for p in packages):
            raise _refused("it has no list of packages")
        self._told = told
        self.packages: tuple[Mapping[str, Any], ...] = tuple(packages)
        for package in self.packages:
            _check(package)

    @property
    def requirements(self) -> frozenset[str] | None:
        """The requirements that it was made for; None when it doesn't say."""
        table = self._told.get("tool", {})
        ours = table.get("harnest", {}) if isinstance(table, dict) else {}
        listed = ours.get("requirements") if isinstance(ours, dict) else None
        if not isinstance(listed, list) or not all(isinstance(text, str) for text in listed):
            return None
        return frozenset(listed)


def marked(data: bytes, requirements: Iterable[str]) -> bytes:
    """Return a lock with the requirements that it was made for, in a table of our own."""
    lines = "".join(f"    {json.dumps(text)},\n" for text in sorted(set(requirements)))
    table = (
        f"\n[tool.harnest]\nrequirements = [\n{lines}]\n"
        if lines
        else ("\n[tool.harnest]\nrequirements = []\n")
    )
    return data.rstrip() + b"\n" + table.encode()


def _check(package: Mapping[str, Any]) -> None:
    name = package.get("name")
    if not isinstance(name, str):
        raise _refused("a package has no name")
    if is_host_owned(name):
        message = f"The Python requirements lead to {name}, which Harnest owns."
        raise InvalidExtension(rules.HOST_OWNED.problem(message, path=LOCK_NAME, got=name))
    for file in _files(package):
        hashes = file.get("hashes")
        if not isinstance(hashes, dict) or "sha256" not in hashes:
            shown = str(file.get("url") or file.get("path") or name).rpartition("/")[2]
            message = f"There is no sha256 for {shown}."
            raise InvalidExtension(rules.NO_HASH.problem(message, path=LOCK_NAME))


def _files(package: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Every file that the package could be installed from; one that is none of ours is refused."""
    wheels = package.get("wheels", [])
    single = [package[key] for key in ("sdist", "archive") if key in package]
    files: list[Any] = [*wheels, *single] if isinstance(wheels, list) else []
    if not files or not all(isinstance(file, dict) for file in files):
        raise _refused(f"{package.get('name')} is not installed from wheels or archives")
    yield from files


def _refused(why: str) -> InvalidExtension:
    return InvalidExtension(rules.LOCK.problem(f"The lock can't be used: {why}.", path=LOCK_NAME))
