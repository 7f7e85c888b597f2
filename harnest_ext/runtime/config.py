"""An agent project's ``config.yaml``: which agents there are, and what each of them may use."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from harnest_ext import limits
from harnest_ext.errors import InvalidExtension
from harnest_ext.manifest.keys import Key, MappingShape
from harnest_ext.manifest.nodes import ListNode, compose
from harnest_ext.manifest.shapes import Reader
from harnest_ext.runtime import rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harnest_ext.manifest.nodes import Node
    from harnest_ext.problem import Problem
    from harnest_ext.store import Project

__all__ = ["AgentConfig", "CredentialsConfig", "ProjectConfig", "parse_config", "read_config"]

API_VERSION: Final = "harnest.dev/v1alpha1"
KIND: Final = "Agent"
PROVIDERS: Final = ("environment", "file")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*", re.ASCII)
_PREFIX = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}", re.ASCII)

_ANY: Final = Key(summary="")
_NEEDED: Final = Key(summary="", required=True)
_TOP = MappingShape(
    keys={"apiVersion": _NEEDED, "kind": _NEEDED, "metadata": _NEEDED, "spec": _ANY}
)
_METADATA = MappingShape(keys={"name": _NEEDED, "description": _ANY})
_SPEC = MappingShape(keys={"agents": _ANY, "credentials": _ANY})
_AGENT = MappingShape(keys={"name": _NEEDED, "sandboxes": _ANY})
_CREDENTIALS = MappingShape(keys={"provider": _NEEDED, "prefix": _ANY, "path": _ANY})


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentConfig:
    """One agent.

    Attributes:
        name: Its name.
        sandboxes: Names of the sandboxes that it is granted, as written.
        line: Line of the entry in ``config.yaml``.
    """

    name: str
    sandboxes: tuple[str, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialsConfig:
    """Where credentials come from.

    Attributes:
        provider: ``environment`` or ``file``.
        prefix: Beginning of the variables' names, for ``environment``.
        path: The file, relative to the project, for ``file``.
    """

    provider: str
    prefix: str = "HARNEST_CREDENTIAL_"
    path: str = "credentials.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectConfig:
    """What ``config.yaml`` says.

    Attributes:
        name: Name of the project.
        agents: By name, in the order of the file.
        credentials: Where credentials come from; None: there are none.
    """

    name: str
    agents: Mapping[str, AgentConfig] = field(default_factory=dict)
    credentials: CredentialsConfig | None = None

    def __post_init__(self) -> None:
        """Freeze the mapping."""
        object.__setattr__(self, "agents", MappingProxyType(dict(self.agents)))


def read_config(project: Project) -> ProjectConfig:
    """Return what a project's ``config.yaml`` says.

    Raises:
        InvalidExtension: kind ``project-invalid``, with all problems, each at its line.
        OSError: It can't be read.
    """
    with project.config_path.open("rb") as file:
        return parse_config(file.read(limits.CONFIG_BYTES + 1), project.config_path.name)


def parse_config(data: bytes, path: str) -> ProjectConfig:
    """Return what the bytes of a ``config.yaml`` say.

    Args:
        data: Content of the file.
        path: How it is named in problems.

    Raises:
        InvalidExtension: kind ``project-invalid``, with all problems, each at its line.
    """
    root, problems = compose(data, path)
    reader = Reader(path)
    reader.problems.extend(problems)
    config = None if root is None else _project(reader, root)
    if reader.problems or config is None:
        raise InvalidExtension([_of_config(problem) for problem in reader.problems])
    return config


def _of_config(problem: Problem) -> Problem:
    # The shapes are read by the rules of manifests; the file, and so the kind, is another.
    rule = problem.rule if problem.rule.startswith("config.") else ""
    return replace(
        problem,
        kind="project-invalid",
        rule=rule or f"config.{problem.rule.partition('.')[2]}",
        message=problem.message.replace("The manifest", "config.yaml"),
        remedy=problem.remedy.replace("extension.yaml", "config.yaml"),
    )


def _project(reader: Reader, root: Node) -> ProjectConfig:
    top = reader.mapping(root, "", _TOP)
    for key, expected in (("apiVersion", API_VERSION), ("kind", KIND)):
        node = reader.text(top.get(key), key)
        if node is not None and node.text != expected:
            message = f"{key} is not supported."
            reader.report(rules.CONFIG_VALUE, node, message, expected=expected, got=node.text)
    metadata = reader.mapping(top.get("metadata"), "metadata", _METADATA)
    spec = reader.mapping(top.get("spec"), "spec", _SPEC)
    name = reader.text(metadata.get("name"), "metadata.name")
    return ProjectConfig(
        name=name.text if name else "",
        agents={agent.name: agent for agent in _agents(reader, spec.get("agents"))},
        credentials=_credentials(reader, spec.get("credentials")),
    )


def _agents(reader: Reader, node: Node | None) -> Iterator[AgentConfig]:
    if node is None:
        return
    if not isinstance(node, ListNode):
        reader.report(rules.CONFIG_VALUE, node, "spec.agents is not a list.", expected="a list")
        return
    seen: dict[str, int] = {}
    for item in node.items:
        agent = _agent(reader, item)
        if agent is None:
            continue
        if agent.name in seen:
            message = (
                f"spec.agents names {agent.name!r} on lines {seen[agent.name]} and {item.line}."
            )
            reader.report(rules.CONFIG_VALUE, item, message, expected="each agent once")
            continue
        seen[agent.name] = item.line
        yield agent


def _agent(reader: Reader, node: Node) -> AgentConfig | None:
    values = reader.mapping(node, "spec.agents", _AGENT)
    name = reader.text(values.get("name"), "spec.agents.name")
    sandboxes = tuple(
        item.text for item in reader.texts(values.get("sandboxes"), "spec.agents.sandboxes")
    )
    if name is None:
        return None
    if not _NAME.fullmatch(name.text) or len(name.text) > limits.AGENT_NAME_CHARACTERS:
        reader.report(
            rules.CONFIG_VALUE,
            name,
            "An agent's name is not usable.",
            expected="letters, digits, '_', '.', '-', starting with a letter, at most "
            f"{limits.AGENT_NAME_CHARACTERS} characters",
            got=name.text,
        )
        return None
    return AgentConfig(name=name.text, sandboxes=sandboxes, line=node.line)


def _credentials(reader: Reader, node: Node | None) -> CredentialsConfig | None:
    values = reader.mapping(node, "spec.credentials", _CREDENTIALS)
    texts = {
        key: text.text
        for key in _CREDENTIALS.keys
        if (text := reader.text(values.get(key), f"spec.credentials.{key}")) is not None
    }
    provider = texts.get("provider")
    if node is None or provider is None:
        return None
    if provider not in PROVIDERS or not _PREFIX.fullmatch(texts.get("prefix", "X")):
        reader.report(
            rules.CONFIG_VALUE,
            values.get("provider"),
            "spec.credentials is not usable.",
            expected=f"provider {' or '.join(PROVIDERS)}; a prefix of letters, digits and '_'",
            got=", ".join(f"{key}: {value}" for key, value in texts.items()),
        )
        return None
    return CredentialsConfig(**texts)
