"""The bytes of an ``extension.yaml`` read into a manifest, or every reason why they can't be."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harnest_ext.errors import InvalidExtension
from harnest_ext.identity import Slug
from harnest_ext.manifest import keys, rules
from harnest_ext.manifest.capabilities import CAPABILITIES, capability_of_content
from harnest_ext.manifest.contributions import read_contributions
from harnest_ext.manifest.model import API_VERSION, ENTRYPOINT, KIND, Manifest
from harnest_ext.manifest.nodes import compose
from harnest_ext.manifest.requirement import ExtensionRequirement
from harnest_ext.manifest.shapes import Reader
from harnest_ext.manifest.version import EXPECTED, ExtensionVersion, objection

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harnest_ext.manifest.nodes import Node, TextNode

__all__ = ["read_manifest"]

_ENTRYPOINT_SYNTAX = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)


def read_manifest(data: bytes, path: str) -> Manifest:
    """Return the manifest that ``data`` holds.

    Args:
        data: Content of the file.
        path: How the file is named in problems, such as ``extension.yaml``.

    Raises:
        InvalidExtension: with all problems, each at its line.
    """
    root, problems = compose(data, path)
    reader = Reader(path)
    reader.problems.extend(problems)
    manifest = None if root is None else _manifest(reader, root)
    if reader.problems or manifest is None:
        raise InvalidExtension(reader.problems)
    return manifest


def _manifest(reader: Reader, root: Node) -> Manifest | None:
    top = reader.mapping(root, "", keys.MANIFEST)
    _constant(reader, top, "apiVersion", API_VERSION)
    _constant(reader, top, "kind", KIND)
    metadata = reader.mapping(top.get("metadata"), "metadata", keys.METADATA)
    runtime = reader.mapping(top.get("runtime"), "runtime", keys.RUNTIME)
    needs = reader.mapping(top.get("requires"), "requires", keys.REQUIRES)
    name = _name(reader, metadata)
    version = _version(reader, metadata)
    _entrypoint(reader, runtime)
    requires = tuple(_requires(reader, needs.get("extensions"), name))
    contributes = read_contributions(reader, top.get("contributes"))
    capabilities = tuple(_capabilities(reader, top.get("capabilities")))
    _content_capabilities(reader, top.get("contributes"), contributes, capabilities)
    if name is None or version is None:
        return None
    return Manifest(
        name=name,
        version=version,
        summary=_optional(reader, metadata, "summary"),
        documentation=_optional(reader, metadata, "documentation"),
        requires=requires,
        contributes=contributes,
        capabilities=capabilities,
    )


def _constant(reader: Reader, top: Mapping[str, Node], key: str, expected: str) -> None:
    node = reader.text(top.get(key), key)
    if node is None or node.text == expected:
        return
    rule = rules.API_VERSION if key == "apiVersion" else rules.KIND
    reader.report(rule, node, f"{key} is not supported.", expected=expected, got=node.text)


def _name(reader: Reader, metadata: Mapping[str, Node]) -> Slug | None:
    node = reader.text(metadata.get("name"), "metadata.name")
    if node is None:
        return None
    try:
        return Slug(node.text)
    except InvalidExtension as error:
        message = error.problems[0].message
        reader.report(rules.NAME, node, message, expected=error.expected, got=node.text)
        return None


def _version(reader: Reader, metadata: Mapping[str, Node]) -> ExtensionVersion | None:
    node = reader.text(metadata.get("version"), "metadata.version")
    if node is None:
        return None
    reason = objection(node.text)
    if reason:
        message = f"metadata.version is not usable: {reason}."
        reader.report(rules.VERSION, node, message, expected=EXPECTED, got=node.text)
        return None
    return ExtensionVersion(node.text)


def _optional(reader: Reader, metadata: Mapping[str, Node], key: str) -> str:
    node = reader.text(metadata.get(key), f"metadata.{key}")
    return node.text if node else ""


def _entrypoint(reader: Reader, runtime: Mapping[str, Node]) -> None:
    node = reader.text(runtime.get("entrypoint"), "runtime.entrypoint")
    if node is None or node.text == ENTRYPOINT:
        return
    named = _ENTRYPOINT_SYNTAX.fullmatch(node.text)
    reader.report(
        rules.ENTRYPOINT_OTHER if named else rules.ENTRYPOINT,
        node,
        "runtime.entrypoint names something else." if named else "runtime.entrypoint is no name.",
        expected=ENTRYPOINT,
        got=node.text,
    )


def _requires(
    reader: Reader, node: Node | None, own: Slug | None
) -> Iterator[ExtensionRequirement]:
    seen: dict[str, int] = {}
    for item in reader.texts(node, "requires.extensions"):
        requirement = _requirement(reader, item)
        if requirement is None:
            continue
        if requirement.slug == own:
            message = "The extension requires itself."
            reader.report(rules.SELF_REQUIREMENT, item, message, got=item.text)
        elif requirement.slug in seen:
            lines = f"lines {seen[requirement.slug]} and {item.line}"
            message = f"requires.extensions names {requirement.slug!r} on {lines}."
            reader.report(rules.DUPLICATE, item, message)
        else:
            seen[requirement.slug] = item.line
            yield requirement


def _requirement(reader: Reader, item: TextNode) -> ExtensionRequirement | None:
    try:
        return ExtensionRequirement.parse(item.text)
    except InvalidExtension as error:
        problem = error.problems[0]
        rule = rules.REQUIREMENT_SIZE if problem.kind == "too-large" else rules.REQUIREMENT
        reader.report(
            rule,
            item,
            problem.message,
            expected=problem.expected,
            got=item.text,
            remedy=problem.remedy,
        )
        return None


def _capabilities(reader: Reader, node: Node | None) -> Iterator[str]:
    for item in reader.texts(node, "capabilities"):
        if item.text in CAPABILITIES:
            yield item.text
            continue
        from difflib import get_close_matches  # noqa: PLC0415 - only for a refusal

        close = get_close_matches(item.text[:80].lower(), CAPABILITIES, n=1)
        reader.report(
            rules.CAPABILITY,
            item,
            f"The capability {item.text!r} is unknown.",
            expected="one of " + ", ".join(sorted(CAPABILITIES)),
            got=item.text,
            remedy=f"Did you mean {close[0]!r}?" if close else "",
        )


def _content_capabilities(
    reader: Reader,
    node: Node | None,
    contributes: Mapping[str, tuple[str, ...]],
    capabilities: tuple[str, ...],
) -> None:
    for kind in contributes:
        needed = capability_of_content(kind)
        if needed and needed not in capabilities:
            message = f"contributes.{kind} needs the capability {needed!r}."
            reader.report(rules.CONTENT_CAPABILITY, node, message, expected=needed)
