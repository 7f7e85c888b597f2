"""A new extension from one of the templates below ``extension/``."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnest_ext.errors import UsageError
from harnest_ext.identity import Slug
from harnest_ext.manifest import CAPABILITIES
from harnest_ext.scaffold import rules
from harnest_ext.scaffold.placing import place
from harnest_ext.scaffold.record import RECORD, TemplateRecord, digest
from harnest_ext.scaffold.rendering import render
from harnest_ext.scaffold.template import Template, template_names

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from harnest_ext.scaffold.variable import Value

__all__ = ["LICENSES", "ExtensionScaffold", "create_extension", "extension_templates"]

LICENSES = ("Apache-2.0", "BSD-3-Clause", "MIT", "Proprietary")
"""The licences to choose from."""
_BELOW = "extension/"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtensionScaffold:
    """What was created.

    Attributes:
        name: The extension's name.
        folder: Where it is, absolute.
        template: Template that it was made from, without ``extension/``.
        capabilities: What its manifest declares.
        files: Relative paths of the files, sorted.
    """

    name: Slug
    folder: Path
    template: str
    capabilities: tuple[str, ...]
    files: tuple[str, ...]


def extension_templates() -> tuple[str, ...]:
    """Return the names of the templates for extensions, sorted."""
    names = template_names()
    return tuple(name.removeprefix(_BELOW) for name in names if name.startswith(_BELOW))


def create_extension(  # noqa: PLR0913 - one parameter per question that an author answers
    name: str,
    folder: Path,
    *,
    template: str = "minimal",
    capabilities: Sequence[str] = (),
    summary: str | None = None,
    license_name: str | None = None,
    author: str | None = None,
) -> ExtensionScaffold:
    """Create the extension ``name`` in ``folder``, all of it or nothing.

    Args:
        name: Its name; also that of the import ``harnest.extensions.<name>``.
        folder: Folder that doesn't exist yet or is empty.
        template: One of :func:`extension_templates`.
        capabilities: What it declares beside what the template needs.
        summary: What it is for, in one sentence; None for the template's.
        license_name: One of :data:`LICENSES`; None for the template's.
        author: Holder of the copyright; None for the template's.

    Raises:
        InvalidExtension: kind ``name-invalid``: the name is not usable.
        UsageError: A value is not usable, or a capability is none.
        ExtensionNotFound: There is no such template.
        StoreError: The folder is occupied or could not be written; nothing was changed.
    """
    slug = Slug.typed(name)
    chosen = Template.load(_BELOW + template)
    given: dict[str, Value | None] = {
        "name": str(slug),
        "capabilities": _together(chosen, capabilities),
        "summary": summary,
        "license": license_name,
        "author": author,
        "year": str(dt.datetime.now(tz=dt.UTC).year),
    }
    values = chosen.values(given)
    files = render(chosen, values)
    record = TemplateRecord(
        template=chosen.name,
        version=chosen.version,
        values=values,
        digests={path: digest(content) for path, content in files.items()},
    )
    target = folder.absolute()
    place({**files, RECORD: record.render()}, target, last="extension.yaml")
    return ExtensionScaffold(
        name=slug,
        folder=target,
        template=template,
        capabilities=tuple(values["capabilities"]),
        files=tuple(sorted((*files, RECORD))),
    )


def _together(template: Template, asked: Sequence[str]) -> tuple[str, ...]:
    """Return the template's own capabilities and those asked for, each once, sorted."""
    for capability in asked:
        if capability not in CAPABILITIES:
            raise _unknown(capability)
    return tuple(sorted({*(template.variables["capabilities"].default or ()), *asked}))


def _unknown(capability: str) -> UsageError:
    return UsageError(
        rules.CAPABILITY.problem(
            "There is no such capability.",
            path=capability or "--capability",
            expected=", ".join(sorted(CAPABILITIES)),
            got=capability,
        )
    )
