"""Nodes of a manifest taken in the shape that a key asks for, each deviation reported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.manifest import rules
from harnest_ext.manifest.nodes import ListNode, MappingNode, TextNode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnest_ext.manifest.keys import MappingShape
    from harnest_ext.manifest.nodes import Node
    from harnest_ext.problem import Problem
    from harnest_ext.rule import Rule

__all__ = ["Reader"]

_EMPTY = frozenset({"", "~"})


class Reader:
    """Takes nodes apart and collects what is wrong with them.

    Attributes:
        path: How the file is named in problems.
        problems: Everything found so far.
    """

    __slots__ = ("path", "problems")

    def __init__(self, path: str) -> None:
        self.path = path
        self.problems: list[Problem] = []

    def report(  # noqa: PLR0913 - where, which rule, and the fields of a problem
        self,
        rule: Rule,
        node: Node | None,
        message: str,
        *,
        expected: str = "",
        got: str = "",
        remedy: str = "",
    ) -> None:
        """Add a problem about ``node``."""
        self.problems.append(
            rule.problem(
                message,
                path=self.path,
                line=node.line if node else None,
                column=node.column if node else None,
                expected=expected,
                got=got,
                remedy=remedy,
            )
        )

    def mapping(self, node: Node | None, name: str, shape: MappingShape) -> dict[str, Node]:
        """Return the values of a mapping by key, and report unknown and missing keys.

        Args:
            node: The mapping; None if it is absent, which its holder reports.
            name: Its dotted place in the manifest, for messages; empty for the whole.
            shape: The keys that it may and must have.
        """
        if node is None:
            return {}
        if not isinstance(node, MappingNode):
            self._misshapen(node, name or "The manifest", "a mapping")
            return {}
        prefix = f"{name}." if name else ""
        values: dict[str, Node] = {}
        for key, value in node.pairs:
            if key.text in shape.keys:
                values[key.text] = value
            else:
                self._unknown(key, prefix, shape)
        for missing in (k for k, key in shape.keys.items() if key.required and k not in values):
            self.report(rules.MISSING_KEY, node, f"The key {prefix + missing!r} is missing.")
        return values

    def text(self, node: Node | None, name: str) -> TextNode | None:
        """Return a node that is non-empty text; anything else is reported. None stays None."""
        if node is None:
            return None
        if not isinstance(node, TextNode):
            self._misshapen(node, name, "text")
            return None
        if node.text == "" or (node.plain and node.text in _EMPTY):
            self._misshapen(node, name, "text")
            return None
        return node

    def texts(self, node: Node | None, name: str) -> Iterator[TextNode]:
        """Yield the texts of a list; items of another shape and repeated ones are reported."""
        if node is None:
            return
        if not isinstance(node, ListNode):
            self._misshapen(node, name, "a list")
            return
        if len(node.items) > limits.MANIFEST_ITEMS:
            expected = f"at most {limits.MANIFEST_ITEMS} items"
            got = f"{len(node.items)} items"
            message = f"{name} is too long."
            self.report(rules.LIST_LENGTH, node, message, expected=expected, got=got)
            return
        seen: dict[str, int] = {}
        for item in node.items:
            text = self.text(item, f"An item of {name}")
            if text is None:
                continue
            if text.text in seen:
                message = f"{name} says {text.text!r} on lines {seen[text.text]} and {text.line}."
                self.report(rules.DUPLICATE, text, message)
                continue
            seen[text.text] = text.line
            yield text

    def _misshapen(self, node: Node, name: str, expected: str) -> None:
        self.report(
            rules.SHAPE, node, f"{name} is not {expected}.", expected=expected, got=_shape(node)
        )

    def _unknown(self, key: TextNode, prefix: str, shape: MappingShape) -> None:
        from difflib import get_close_matches  # noqa: PLC0415 - only for a refusal

        close = get_close_matches(key.text[:80], shape.keys, n=1)
        self.report(
            rules.UNKNOWN_KEY,
            key,
            f"The key {prefix + key.text!r} is unknown.",
            expected="one of " + ", ".join(shape.keys),
            got=key.text,
            remedy=f"Did you mean {prefix + close[0]!r}?" if close else "",
        )


def _shape(node: Node) -> str:
    if isinstance(node, MappingNode):
        return "a mapping"
    if isinstance(node, ListNode):
        return "a list"
    if node.text == "" or (node.plain and node.text in _EMPTY):
        return "nothing"
    return f"the text {node.text!r}"
