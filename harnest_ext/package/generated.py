"""The ``pyproject.toml`` that an installed copy gets when its wheel's package has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.package.declared import ENTRY_GROUP, entry_value

if TYPE_CHECKING:
    from harnest_ext.manifest import Manifest
    from harnest_ext.package.metadata import MetadataFacts

__all__ = ["project_file", "toml_string"]

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def project_file(manifest: Manifest, metadata: MetadataFacts, *, has_readme: bool) -> bytes:
    """Return a ``pyproject.toml`` that states what the wheel's metadata states.

    Host-owned requirements are left out: the manager meets them, not the Python environment.

    Args:
        manifest: The package's manifest.
        metadata: What METADATA says.
        has_readme: Whether the package has a ``README.md``.
    """
    slug = manifest.name
    lines = [
        "# Written by Harnest from the metadata of the wheel.",
        "[project]",
        f"name = {toml_string(slug.distribution)}",
        f"version = {toml_string(manifest.version.public)}",
    ]
    if metadata.summary:
        lines.append(f"description = {toml_string(metadata.summary)}")
    if has_readme:
        lines.append('readme = "README.md"')
    if metadata.requires_python is not None:
        lines.append(f"requires-python = {toml_string(metadata.requires_python)}")
    lines.append("dependencies = [")
    lines += [f"    {toml_string(dependency)}," for dependency in metadata.needs.dependencies]
    lines += [
        "]",
        "",
        f"[project.entry-points.{toml_string(ENTRY_GROUP)}]",
        f"{slug} = {toml_string(entry_value(slug))}",
        "",
    ]
    return "\n".join(lines).encode("utf-8")


def toml_string(text: str) -> str:
    """Return a text as a TOML basic string."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(ch: str) -> str:
    if ch in _ESCAPES:
        return _ESCAPES[ch]
    return ch if ch.isprintable() else f"\\U{ord(ch):08x}"
