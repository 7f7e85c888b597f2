"""The outcome of an execution, as the provider reports it."""

from __future__ import annotations

import enum

__all__ = ["SandboxStatus"]


class SandboxStatus(enum.StrEnum):
    """How an execution ended.

    Text on stderr alone does not make an execution a failure: only the provider's evidence does.
    """

    SUCCEEDED = "succeeded"
    """The program ended by itself with exit code 0."""
    FAILED = "failed"
    """The program ended with another exit code or by a signal, or the provider failed."""
    TIMED_OUT = "timed_out"
    """The deadline passed before the program ended."""
    OUTPUT_LIMIT_EXCEEDED = "output_limit_exceeded"
    """The program wrote more than its output budget."""
    CANCELLED = "cancelled"
    """The provider reports that the execution was cancelled."""
