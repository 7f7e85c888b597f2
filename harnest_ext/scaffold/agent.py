"""A new agent project: a folder whose agent may run code in one sandbox."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnest_ext.errors import UsageError
from harnest_ext.scaffold import rules
from harnest_ext.scaffold.placing import place
from harnest_ext.scaffold.rendering import render
from harnest_ext.scaffold.template import Template

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["DEFAULT_IMAGE", "AgentScaffold", "create_agent"]

DEFAULT_IMAGE = "python:3.12-slim"
"""Image of the Docker sandbox unless another is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentScaffold:
    """What was created.

    Attributes:
        name: Name of the agent project.
        folder: Where it is, absolute.
        sandbox: Extension that provides its sandbox.
        image: Image that a Docker sandbox runs; empty for others.
        files: Relative paths of the files, sorted.
    """

    name: str
    folder: Path
    sandbox: str
    image: str
    files: tuple[str, ...]


def create_agent(
    folder: Path, *, name: str | None = None, sandbox: str = "process", image: str | None = None
) -> AgentScaffold:
    """Create the agent project ``folder`` from the template ``agent``, all of it or nothing.

    Args:
        folder: Folder that doesn't exist yet or is empty.
        name: Name of the project; None derives it from the folder's name.
        sandbox: Extension that provides the sandbox: ``process`` or ``docker``.
        image: Image for ``docker``; None for :data:`DEFAULT_IMAGE`.

    Raises:
        UsageError: A value is not usable, or an image is given for a sandbox without one.
        StoreError: The folder is occupied or could not be written; nothing was changed.
    """
    if image is not None and sandbox != "docker":
        raise _image_without_docker(sandbox)
    target = folder.absolute()
    template = Template.load("agent")
    values = template.values(
        {"name": name or _derived(target), "sandbox": sandbox, "image": image or DEFAULT_IMAGE}
    )
    files = render(template, values)
    place(files, target, last="config.yaml")
    return AgentScaffold(
        name=str(values["name"]),
        folder=target,
        sandbox=sandbox,
        image=str(values["image"]) if sandbox == "docker" else "",
        files=tuple(files),
    )


def _derived(target: Path) -> str:
    name = re.sub(r"[^a-z0-9]+", "-", target.resolve().name.lower()).strip("-")
    if name and name[0].isalpha():
        return name
    raise UsageError(
        rules.NAME.problem(
            "No project name can be derived from the folder's name.",
            path=str(target),
            expected="a folder name that starts with a letter a-z",
            got=target.name,
        )
    )


def _image_without_docker(sandbox: str) -> UsageError:
    return UsageError(
        rules.IMAGE.problem(
            "An image was given for a sandbox that uses none.",
            path="--image",
            expected="--image together with --sandbox docker",
            got=f"--sandbox {sandbox}",
        )
    )
