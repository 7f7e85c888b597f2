"""What a rendered folder remembers of its template, to tell later what a newer one changed.

It is a file ``.harnest-template.toml`` at the root: template, version, values, and the digest of
each file as it was rendered. Names that begin with a dot are never copied into an agent.
"""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.errors import ExtensionNotFound, InvalidExtension
from harnest_ext.scaffold import rules

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from harnest_ext.problem import Problem
    from harnest_ext.scaffold.variable import Value

__all__ = ["RECORD", "TemplateRecord", "digest"]

RECORD = ".harnest-template.toml"
"""Name of the record's file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateRecord:
    """What was rendered into a folder.

    Attributes:
        template: Name of the template.
        version: Its version then.
        values: Its values.
        digests: ``sha256:<hex>`` of each file then, by relative path.
    """

    template: str
    version: str
    values: Mapping[str, Value]
    digests: Mapping[str, str]

    def render(self) -> bytes:
        """Return the record's file: sorted, without times, the same for the same input."""
        lines = [
            "# Made by `harnest extensions init`; `harnest extensions init --update` reads it.",
            f"template = {_toml(self.template)}",
            f"version = {_toml(self.version)}",
            "",
            "[values]",
            *(f"{name} = {_toml(value)}" for name, value in sorted(self.values.items())),
            "",
            "[digests]",
            *(f"{_toml(name)} = {_toml(value)}" for name, value in sorted(self.digests.items())),
            "",
        ]
        return "\n".join(lines).encode()

    @classmethod
    def read(cls, folder: Path) -> TemplateRecord:
        """Read the record of a folder.

        Raises:
            ExtensionNotFound: It has none.
            InvalidExtension: It is not one.
        """
        path = folder / RECORD
        try:
            with path.open("rb") as file:
                data = file.read(limits.METADATA_BYTES + 1)
        except FileNotFoundError:
            raise ExtensionNotFound(_absent(path)) from None
        try:
            return _parsed(data)
        except (ValueError, TypeError, KeyError) as error:
            raise InvalidExtension(_broken(path, error)) from None


def digest(content: bytes) -> str:
    """Return the digest of a file's content as the record holds it."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def _parsed(data: bytes) -> TemplateRecord:
    if len(data) > limits.METADATA_BYTES:
        raise ValueError(f"more than {limits.METADATA_BYTES} bytes")
    table = tomllib.loads(data.decode())
    values = {
        name: value if isinstance(value, str) else tuple(map(str, value))
        for name, value in table["values"].items()
    }
    digests = {str(name): str(value) for name, value in table["digests"].items()}
    return TemplateRecord(
        template=str(table["template"]),
        version=str(table["version"]),
        values=values,
        digests=digests,
    )


def _toml(value: Value) -> str:
    """Return a text or list of texts as TOML; templates admit no control characters in values."""
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return f"[{', '.join(map(_toml, value))}]"


def _absent(path: Path) -> Problem:
    message = "The folder has no record of a template that it was made from."
    return rules.NO_RECORD.problem(message, path=str(path))


def _broken(path: Path, error: Exception) -> Problem:
    return rules.BROKEN_RECORD.problem(
        "The record of the template can't be read.",
        path=str(path),
        expected="the file as `harnest extensions init` wrote it",
        got=f"{type(error).__name__}: {error}",
    )
