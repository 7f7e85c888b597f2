"""The manifest reader: what it gives, where it points, and that it never breaks."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from harnest_ext.errors import InvalidExtension
from harnest_ext.manifest import CAPABILITIES, CONTENT_KINDS, Manifest, read_manifest
from harnest_ext.manifest.nodes import MappingNode, compose

FULL = """\
apiVersion: harnest.dev/v1alpha1
kind: Extension
metadata:
  name: no
  version: 1.10.0
  summary: "on"
  documentation: 0o17
runtime:
  entrypoint: extension:extension
requires:
  extensions:
    - rag>=0.1,<1
    - hatchet
contributes:
  tools: [tools, content/more]
  skills: [skills]
capabilities:
  - content.tools
  - content.skills
  - sandbox.provider
"""


def problems_of(text: str) -> list[tuple[str, int | None, int | None]]:
    """Return rule, line and column of everything wrong with a manifest."""
    with pytest.raises(InvalidExtension) as caught:
        read_manifest(text.encode(), "extension.yaml")
    assert all(problem.path == "extension.yaml" for problem in caught.value.problems)
    return [(p.rule, p.line, p.column) for p in caught.value.problems]


def test_scalars_stay_the_text_that_was_written() -> None:
    """YAML's own ideas of booleans, numbers and dates never change a value."""
    manifest = read_manifest(FULL.encode(), "extension.yaml")
    assert (manifest.name, manifest.version.text) == ("no", "1.10.0")
    assert (manifest.summary, manifest.documentation) == ("on", "0o17")
    assert [str(r) for r in manifest.requires] == ["rag>=0.1,<1", "hatchet"]
    assert dict(manifest.contributes) == {"tools": ("tools", "content/more"), "skills": ("skills",)}
    assert manifest.capabilities == ("content.tools", "content.skills", "sandbox.provider")


def test_a_manifest_can_not_be_changed() -> None:
    """It is a value: what was checked stays so."""
    manifest = read_manifest(FULL.encode(), "extension.yaml")
    with pytest.raises(TypeError):
        manifest.contributes["mcp"] = ("x",)  # type: ignore[index]
    assert isinstance(manifest, Manifest)


def test_all_problems_are_reported_at_once_each_at_its_place() -> None:
    """An author sees everything in one go, by line and column."""
    text = """\
apiVersion: v2
kind: Plugin
metadata:
  name: Bad-Name
  version: 1
  licence: MIT
runtime:
  entrypoint: os:system
requires:
  extensions: [rag, rag, "x ^1"]
contributes:
  tools: [../up]
capabilities: [sandbox.provider, root.all, sandbox.provider]
extra: 1
"""
    assert problems_of(text) == [
        ("manifest.unknown-key", 14, 1),
        ("manifest.api-version", 1, 13),
        ("manifest.kind", 2, 7),
        ("manifest.unknown-key", 6, 3),
        ("manifest.name", 4, 9),
        ("manifest.version", 5, 12),
        ("manifest.entrypoint-other", 8, 15),
        ("manifest.duplicate", 10, 21),
        ("manifest.requirement", 10, 26),
        ("manifest.contribution", 12, 11),
        ("manifest.capability", 13, 34),
        ("manifest.duplicate", 13, 44),
        ("manifest.content-capability", 12, 3),
    ]


def test_a_key_that_is_there_twice_names_both_lines() -> None:
    """The reader need not search for the other one."""
    with pytest.raises(InvalidExtension) as caught:
        read_manifest(FULL.replace("kind:", "kind: x\nkind:").encode(), "extension.yaml")
    assert "lines 2 and 3" in caught.value.problems[0].message


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("capabilites: []", "capabilities"),
        ("metdata: {}", "metadata"),
        ("require: {}", "requires"),
    ],
)
def test_a_misspelt_key_is_answered_with_the_right_one(wrong: str, right: str) -> None:
    """A near miss is told what was probably meant."""
    with pytest.raises(InvalidExtension) as caught:
        read_manifest((FULL + wrong).encode(), "extension.yaml")
    assert caught.value.remedy == f"Did you mean {right!r}?"


def test_a_misspelt_capability_is_answered_with_the_right_one() -> None:
    """Case and a letter are no reason to search a list."""
    text = FULL.replace("- sandbox.provider", "- Sandbox.Providers")
    with pytest.raises(InvalidExtension) as caught:
        read_manifest(text.encode(), "extension.yaml")
    assert caught.value.remedy == "Did you mean 'sandbox.provider'?"


def test_the_vocabulary_is_closed_and_complete() -> None:
    """Thirty capabilities and five kinds of content, no more."""
    assert len(CAPABILITIES) == 30
    assert {c for c in CAPABILITIES if c.startswith("content.")} == {
        f"content.{kind}" for kind in CONTENT_KINDS if kind != "lifecycle"
    }


def test_both_parsers_of_yaml_give_the_same_nodes() -> None:
    """The C parser is only faster: without it the same text gives the same nodes and lines."""
    fast, _ = compose(FULL.encode(), "x")
    slow_events = list(yaml.parse(FULL, Loader=yaml.Loader))
    fast_events = list(yaml.parse(FULL, Loader=yaml.CLoader))
    assert isinstance(fast, MappingNode)
    assert [type(e) for e in slow_events] == [type(e) for e in fast_events]
    assert [(e.start_mark.line, e.start_mark.column) for e in slow_events if e.start_mark] == [
        (e.start_mark.line, e.start_mark.column) for e in fast_events if e.start_mark
    ]


SNIPPETS = st.sampled_from(
    [
        *("apiVersion: ", "harnest.dev/v1alpha1", "kind: Extension\n", "metadata:\n", "  name: "),
        *("demo", "\n", "  version: 1.0.0\n", "runtime:\n", "  entrypoint: extension:extension\n"),
        *("- ", "[", "]", "{", "}", ": ", "? ", "&a ", "*a", "!!str ", "|", ">", "'", '"', "#"),
        *(
            "%YAML 1.1\n",
            "---\n",
            "...\n",
            "\t",
            "\x00",
            "\ufeff",
            "\u202e",
            "<<: ",
            "~",
            "\\u202e",
        ),
        *("requires: {extensions: [", "contributes: {tools: [", "capabilities: [", "x>=1", ","),
    ]
)


@settings(max_examples=300)
@given(st.lists(SNIPPETS | st.text(max_size=6), max_size=25).map("".join))
def test_any_text_is_a_manifest_or_refused_by_name(text: str) -> None:
    """Whatever the bytes are, the reader answers with a manifest or with its own error."""
    try:
        manifest = read_manifest(text.encode("utf-8", "surrogatepass"), "extension.yaml")
    except InvalidExtension as error:
        told = [bool(problem.remedy and problem.rule) for problem in error.problems]
    else:
        told = [bool(manifest.name)]
    assert all(told)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_manifest_or_refused_by_name(data: bytes) -> None:
    """Bytes that are no text at all are no exception."""
    with pytest.raises(InvalidExtension):
        read_manifest(data, "extension.yaml")
