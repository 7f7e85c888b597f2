"""The running Harnest and the running Python, as facts that requirements are held against."""

from __future__ import annotations

import platform
from dataclasses import dataclass

from harnest import __version__

__all__ = ["Host"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What an extension's host range and ``requires-python`` are evaluated against.

    Attributes:
        harnest_version: Version of Harnest, PEP 440.
        python_version: Version of Python, three numbers and a possible suffix.
    """

    harnest_version: str = __version__
    python_version: str = platform.python_version()
