"""An agent project's config.yaml."""

from __future__ import annotations

import pytest

from harnest_ext import limits
from harnest_ext.errors import InvalidExtension
from harnest_ext.runtime.config import CredentialsConfig, parse_config

HEAD = "apiVersion: harnest.dev/v1alpha1\nkind: Agent\nmetadata: {name: demo}\n"


def refusal(text: str) -> InvalidExtension:
    """Return the refusal of a config.yaml."""
    with pytest.raises(InvalidExtension) as caught:
        parse_config(text.encode(), "config.yaml")
    assert {problem.kind for problem in caught.value.problems} == {"project-invalid"}
    return caught.value


def test_agents_and_their_grants_are_read_in_order() -> None:
    """Names, grants and lines are what the file says; scalars stay text."""
    config = parse_config(
        (
            HEAD + "spec:\n  agents:\n    - name: zoe\n      sandboxes: [python, no]\n"
            "    - {name: ada}\n"
        ).encode(),
        "config.yaml",
    )
    assert config.name == "demo"
    assert [(a.name, a.sandboxes, a.line) for a in config.agents.values()] == [
        ("zoe", ("python", "no"), 6),
        ("ada", (), 8),
    ]
    assert config.credentials is None


@pytest.mark.parametrize("spec", ["", "spec: {}\n", "spec:\n  agents: []\n"])
def test_a_project_may_have_no_agents_yet(spec: str) -> None:
    """Nothing is granted to anybody then."""
    assert parse_config((HEAD + spec).encode(), "config.yaml").agents == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{provider: environment}", CredentialsConfig(provider="environment")),
        (
            "{provider: environment, prefix: X_}",
            CredentialsConfig(provider="environment", prefix="X_"),
        ),
        ("{provider: file, path: c.toml}", CredentialsConfig(provider="file", path="c.toml")),
    ],
)
def test_a_credential_provider_is_chosen(text: str, expected: CredentialsConfig) -> None:
    """Provider and its options are read."""
    config = parse_config(f"{HEAD}spec:\n  credentials: {text}\n".encode(), "config.yaml")
    assert config.credentials == expected


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        (HEAD + "spec:\n  agent: []\n", 5, "agent"),
        (HEAD + "spec:\n  agents: nobody\n", 5, "list"),
        (HEAD + "spec:\n  agents:\n    - {name: a, sandbox: [x]}\n", 6, "sandbox"),
        (HEAD + "spec:\n  agents:\n    - {sandboxes: [x]}\n", 6, "name"),
        (HEAD + "spec:\n  agents:\n    - {name: a}\n    - {name: a}\n", 7, "'a'"),
        (HEAD + "spec:\n  agents:\n    - {name: '../x'}\n", 6, "name"),
        (HEAD + "spec:\n  agents:\n    - {name: a, sandboxes: x}\n", 6, "sandboxes"),
        (HEAD + "spec:\n  credentials: {provider: vault}\n", 5, "credentials"),
        (HEAD + "spec: {}\nspec: {}\n", 5, "spec"),
        (HEAD.replace("Agent", "Agnet"), 2, "kind"),
        (HEAD.replace("v1alpha1", "v9"), 1, "apiVersion"),
        ("a: [\n", 2, ""),
        ("- 1\n", 1, "mapping"),
    ],
)
def test_what_is_misspelt_is_refused_at_its_line(text: str, line: int, part: str) -> None:
    """A grant that says something else than it seems to never passes."""
    error = refusal(text)
    assert (error.path, error.line) == ("config.yaml", line)
    assert part in f"{error.problems[0].message} {error.expected}"


def test_every_problem_is_told_at_once() -> None:
    """Two faults make two problems."""
    error = refusal(HEAD + "spec:\n  agents:\n    - {nam: a}\n    - {name: b, what: 1}\n")
    assert {problem.line for problem in error.problems} == {6, 7}


def test_an_agents_name_is_bounded() -> None:
    """64 characters are the most."""
    most = "a" * limits.AGENT_NAME_CHARACTERS
    text = HEAD + "spec:\n  agents:\n    - {name: %s}\n"
    assert most in parse_config((text % most).encode(), "config.yaml").agents
    refusal(text % (most + "a"))
