"""Ask before an upgrade gains capabilities: on a terminal, or by an option."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from harnest_ext.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnest_ext.cli.output import Output

__all__ = ["consent_of"]


def consent_of(output: Output, *, accepted: bool) -> Callable[[str, tuple[str, ...]], bool]:
    """Return who decides whether an extension may have further capabilities.

    Args:
        output: The command's; with JSON nothing is asked.
        accepted: Whether the command line has accepted them already.
    """

    def decide(name: str, added: tuple[str, ...]) -> bool:
        if accepted:
            return True
        if output.as_json or not (sys.stdin.isatty() and output.stderr.isatty()):
            return False
        shown = ", ".join(printable(capability) for capability in added)
        with output.paused():
            return click.confirm(f"{name} wants further capabilities: {shown}. Accept?", err=True)

    return decide
