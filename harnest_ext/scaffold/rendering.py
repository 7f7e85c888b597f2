"""A template and its values become names and bytes; nothing is written.

Rendering is jinja2's immutable sandbox with undefined names as errors: a template can read the
declared values and nothing else.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from jinja2.sandbox import ImmutableSandboxedEnvironment

    from harnest_ext.scaffold.template import Template
    from harnest_ext.scaffold.variable import Value

__all__ = ["render"]


def render(template: Template, values: Mapping[str, Value]) -> dict[str, bytes]:
    """Return the content of every file by its relative path, sorted.

    Args:
        template: The template.
        values: What :meth:`Template.values` returned for it.

    Raises:
        ValueError: A rendered name leaves the folder or is used twice (a defect of the template).
        jinja2.TemplateError: A file of the template is not valid (likewise).
    """
    environment = _environment()
    rendered: dict[str, bytes] = {}
    for pattern, source in template.sources.items():
        name = _checked(environment.from_string(pattern).render(values))
        if name in rendered:
            raise ValueError(f"two files of template {template.name} are called {name!r}")
        rendered[name] = _content(environment, source, values)
    return dict(sorted(rendered.items()))


def _content(
    environment: ImmutableSandboxedEnvironment, source: Path, values: Mapping[str, Value]
) -> bytes:
    if not source.exists():  # one of several, named by a variable: "{{ license }}.txt"
        source = source.with_name(environment.from_string(source.name).render(values))
    content = source.read_bytes()
    if source.suffix != ".j2":
        return content
    return environment.from_string(content.decode()).render(values).encode()


def _environment() -> ImmutableSandboxedEnvironment:
    # Imported here: only the two `init` commands need it, and it costs 40 ms.
    from jinja2 import StrictUndefined  # noqa: PLC0415
    from jinja2.sandbox import ImmutableSandboxedEnvironment  # noqa: PLC0415

    return ImmutableSandboxedEnvironment(
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # the output is source code, not HTML
    )


def _checked(name: str) -> str:
    path = PurePosixPath(name)
    if not path.parts or path.is_absolute() or ".." in path.parts or "\0" in name:
        raise ValueError(f"a template's file may not be called {name!r}")
    return path.as_posix()
