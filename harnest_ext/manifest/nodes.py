"""YAML as plain nodes: text, lists and mappings with their lines, and nothing else.

The nodes are built from PyYAML's events, so that scalars stay the text that was written, every
problem has a line, and anchors, aliases, tags and depth are seen before anything is built of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn, TypeAlias

import yaml
from yaml import events as yaml_events

from harnest_ext import limits
from harnest_ext.manifest import rules
from harnest_ext.manifest.source import decoded, objection_to_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from yaml.events import Event

    from harnest_ext.problem import Problem
    from harnest_ext.rule import Rule

__all__ = ["ListNode", "MappingNode", "Node", "TextNode", "compose"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextNode:
    """A scalar, as it was written; ``plain`` unless it was quoted or a block."""

    text: str
    plain: bool
    line: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ListNode:
    """A sequence."""

    items: tuple[Node, ...]
    line: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MappingNode:
    """A mapping with text keys, each once."""

    pairs: tuple[tuple[TextNode, Node], ...]
    line: int
    column: int


Node: TypeAlias = TextNode | ListNode | MappingNode


def compose(data: bytes, path: str) -> tuple[Node | None, list[Problem]]:
    """Return the root node of one YAML document, and what is wrong with it.

    Args:
        data: Content of the file.
        path: How the file is named in problems.

    Returns:
        The root, or None if the document could not be read to its end; and all problems found.
    """
    text, problem = decoded(data, path)
    if problem:
        return None, [problem]
    composer = _Composer(path)
    try:
        return composer.document(_events(text)), composer.problems
    except _Refused:
        return None, composer.problems


class _Refused(Exception):
    """The document can't be read any further; the reason is in the composer's problems."""


def _events(text: str) -> Iterator[Event]:
    loader = getattr(yaml, "CLoader", yaml.Loader)
    yield from yaml.parse(text, Loader=loader)


class _Composer:
    """Turns events into nodes, never deeper than ``limits.MANIFEST_DEPTH``."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.problems: list[Problem] = []

    def document(self, events: Iterator[Event]) -> Node:
        """Return the root of the only document."""
        source = self._guarded(events)
        self._next(source)  # the start of the stream
        start = self._next(source)
        if not isinstance(start, yaml_events.DocumentStartEvent):
            self._refuse(rules.SYNTAX, start, "The file is empty.", "one YAML document")
        if start.version or start.tags:
            self._refuse(rules.DIRECTIVE, start, "A YAML directive is not accepted.")
        root = self._node(self._next(source), source, 1)
        self._next(source)  # the end of the document
        after = self._next(source)
        if not isinstance(after, yaml_events.StreamEndEvent):
            self._refuse(rules.SYNTAX, after, "There is more than one document.", "one document")
        return root

    def _guarded(self, events: Iterator[Event]) -> Iterator[Event]:
        try:
            yield from events
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
            what = getattr(error, "problem", None) or "it can't be read"
            self._report(rules.SYNTAX, mark, f"This is not valid YAML: {what}.")
            raise _Refused from None

    def _next(self, events: Iterator[Event]) -> Event:
        event = next(events, None)
        if event is None:
            self._report(rules.SYNTAX, None, "The file ends early.")
            raise _Refused
        return event

    def _node(self, event: Event, events: Iterator[Event], depth: int) -> Node:
        if depth > limits.MANIFEST_DEPTH:
            expected = f"at most {limits.MANIFEST_DEPTH} levels"
            self._refuse(rules.DEPTH, event, "The nesting is too deep.", expected)
        if not isinstance(event, yaml_events.NodeEvent):
            self._refuse(rules.SYNTAX, event, "A value is missing.")
        if event.anchor is not None:
            what = "An anchor or alias is not accepted."
            self._refuse(rules.ALIAS, event, what, got=str(event.anchor))
        line, column = _position(event)
        if isinstance(event, yaml_events.ScalarEvent):
            return self._text(event, line, column)
        if isinstance(event, yaml_events.CollectionStartEvent) and event.tag is not None:
            self._refuse(rules.TAG, event, "A tag is not accepted.", got=str(event.tag))
        if isinstance(event, yaml_events.SequenceStartEvent):
            items = tuple(self._items(events, depth))
            return ListNode(items=items, line=line, column=column)
        pairs = tuple(self._pairs(events, depth))
        return MappingNode(pairs=pairs, line=line, column=column)

    def _text(self, event: yaml_events.ScalarEvent, line: int, column: int) -> TextNode:
        if event.tag is not None:
            self._refuse(rules.TAG, event, "A tag is not accepted.", got=str(event.tag))
        reason = objection_to_text(event.value)
        if reason:
            self._refuse(rules.CHARACTERS, event, f"A text holds {reason}.", got=event.value)
        plain = not event.style
        return TextNode(text=event.value, plain=plain, line=line, column=column)

    def _items(self, events: Iterator[Event], depth: int) -> Iterator[Node]:
        while not isinstance(event := self._next(events), yaml_events.SequenceEndEvent):
            yield self._node(event, events, depth + 1)

    def _pairs(self, events: Iterator[Event], depth: int) -> Iterator[tuple[TextNode, Node]]:
        seen: dict[str, int] = {}
        while not isinstance(event := self._next(events), yaml_events.MappingEndEvent):
            key = self._node(event, events, depth + 1)
            value = self._node(self._next(events), events, depth + 1)
            if not isinstance(key, TextNode):
                self._report(rules.SHAPE, event.start_mark, "A key is not text.", "a text key")
            elif key.plain and key.text == "<<":
                self._report(rules.ALIAS, event.start_mark, "A merge key is not accepted.")
            elif key.text in seen:
                what = f"The key {key.text!r} stands on lines {seen[key.text]} and {key.line}."
                self._report(rules.DUPLICATE_KEY, event.start_mark, what, "each key once")
            else:
                seen[key.text] = key.line
                yield key, value

    def _refuse(
        self, rule: Rule, event: Event, message: str, expected: str = "", *, got: str = ""
    ) -> NoReturn:
        self._report(rule, event.start_mark, message, expected, got)
        raise _Refused

    def _report(
        self, rule: Rule, mark: object, message: str, expected: str = "", got: str = ""
    ) -> None:
        line = getattr(mark, "line", None)
        column = getattr(mark, "column", None)
        self.problems.append(
            rule.problem(
                message,
                path=self.path,
                line=None if line is None else line + 1,
                column=None if column is None else column + 1,
                expected=expected,
                got=got,
            )
        )


def _position(event: Event) -> tuple[int, int]:
    mark = event.start_mark
    return (mark.line + 1, mark.column + 1) if mark else (1, 1)
