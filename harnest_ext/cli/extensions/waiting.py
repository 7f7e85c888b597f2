"""The option that says how long a writing command waits for another one."""

from __future__ import annotations

import click

from harnest_ext import limits

__all__ = ["wait_option"]

wait_option = click.option(
    "--wait",
    type=click.FloatRange(min=0),
    default=limits.WRITER_WAIT_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for another command that writes.",
)
"""Gives a command ``wait``, in seconds."""
