"""A model without a service behind it: the example runs anywhere and does the same twice.

It does what a language model does in such a loop: it looks at the last answer of a tool and decides
on the next call. Give `agent.py` a real model instead.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Call", "Model", "Reply", "ScriptedModel"]

_WRONG = "for number in range(5):\n    print(number * numbr)\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool and what it is called with."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def summary(self) -> str:
        """The arguments in one line."""
        return ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a model says, and the tool that it wants; None when it is done."""

    text: str
    call: Call | None = None


class Model(Protocol):
    """What the agent's loop needs of a model."""

    async def respond(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]
    ) -> Reply:
        """Return the next step for a conversation, given the tools on offer."""
        ...


class ScriptedModel:
    """Writes a program with a mistake in it, sees it fail, looks for the mistake and mends it."""

    async def respond(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]
    ) -> Reply:
        """Return the next step, which depends on what the last tool answered."""
        assert {"bash", "write_file"} <= {tool["name"] for tool in tools}  # noqa: S101 - the script needs them
        last, called = messages[-1], [message["call"] for message in messages if "call" in message]
        if not called:
            return _calls("I write it.", "write_file", path="squares.py", content=_WRONG)
        return self._after(called, str(last["content"]))

    def _after(self, called: Sequence[Call], answer: str) -> Reply:
        done = called[-1].name
        if done in {"write_file", "edit_file"}:
            return _calls("I run it.", "bash", command="python3 squares.py | tee squares.txt; ls")
        if done == "bash" and "NameError" in answer:
            return _calls("A name is wrong; where?", "grep", pattern="numbr", path=".")
        if done == "grep":
            return _calls(
                "There.", "edit_file", path="squares.py", old_string="numbr", new_string="number"
            )
        if done == "bash":
            return _calls("It works. What did it write?", "read_file", path="squares.txt")
        if done == "read_file":
            return Reply(text=f"The squares are in squares.txt:\n{answer}")
        return Reply(text=f"I don't know what to make of the answer of {done}: {answer}")


def _calls(text: str, name: str, **arguments: Any) -> Reply:
    return Reply(text=text, call=Call(name=name, arguments=arguments))
