"""Everything that the manager and the runtime refuse with.

::

    HarnestExtensionError
    +-- InvalidExtension (ValueError)          a package, manifest, name or project breaks a rule
    +-- IncompatibleExtension                  valid, but not with this host, Python or set
    +-- ExtensionNotFound (LookupError)        no such extension, sandbox, file or project
    +-- SourceError (OSError)                  a registry, index or download failed
    +-- StoreError (OSError)                   the project could not be read or written
    |   +-- StoreBusy (TimeoutError)           another writer holds the project
    +-- LoadError (RuntimeError)               the runtime could not load or start an extension
    +-- UsageError (ValueError)                the command line asks for something impossible

Each carries at least one :class:`~harnest_ext.problem.Problem`; ``kind``, ``rule``, ``path``,
``line``, ``expected``, ``got`` and ``remedy`` are those of the first. Foreign exceptions are
wrapped at the port that meets them, so nothing else leaves the manager.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from harnest_ext.limits import MESSAGE_BYTES
from harnest_ext.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "ExtensionNotFound",
    "HarnestExtensionError",
    "IncompatibleExtension",
    "InvalidExtension",
    "LoadError",
    "SourceError",
    "StoreBusy",
    "StoreError",
    "UsageError",
]

_FRAME_BYTES = 64
"""Room that is left for what the command line writes around a message."""


class HarnestExtensionError(Exception):
    """Root of the tree; never raised itself.

    Args:
        problems: What is wrong: one problem or a non-empty sequence of them.
        unchanged: What was left as it was, such as ``"The project was not changed."``
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, problems: Problem | Sequence[Problem], *, unchanged: str = "") -> None:
        self.problems: tuple[Problem, ...] = (
            (problems,) if isinstance(problems, Problem) else tuple(problems)
        )
        if not self.problems:
            raise ValueError("an error needs at least one problem")
        self.unchanged = unchanged
        super().__init__(self.problems, unchanged)

    @property
    def kind(self) -> str:
        """Coarse class of the first problem."""
        return self.problems[0].kind

    @property
    def rule(self) -> str:
        """Rule that the first problem broke."""
        return self.problems[0].rule

    @property
    def path(self) -> str:
        """File, entry or argument of the first problem."""
        return self.problems[0].path

    @property
    def line(self) -> int | None:
        """Line of the first problem, from 1."""
        return self.problems[0].line

    @property
    def expected(self) -> str:
        """What the rule of the first problem asks for."""
        return self.problems[0].expected

    @property
    def got(self) -> str:
        """What the first problem found."""
        return self.problems[0].got

    @property
    def remedy(self) -> str:
        """What to do about the first problem."""
        return self.problems[0].remedy

    def __str__(self) -> str:
        parts = [problem.describe() for problem in self.problems]
        tail = f"\n{self.unchanged}" if self.unchanged else ""
        return _bounded(parts, MESSAGE_BYTES - _FRAME_BYTES - len(tail.encode())) + tail

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.problems, self.unchanged))


class InvalidExtension(HarnestExtensionError, ValueError):
    """A package, manifest, name, version or project file breaks a rule; holds all problems."""


class IncompatibleExtension(HarnestExtensionError):
    """Valid, but its requirements exclude this host, this Python or the other extensions."""


class ExtensionNotFound(HarnestExtensionError, LookupError):
    """Nothing of that name is known; the remedy names close matches."""


class SourceError(HarnestExtensionError, OSError):
    """A registry, an index or a download failed or answered against its protocol."""

    exit_code = 4


class StoreError(HarnestExtensionError, OSError):
    """The project's files could not be read or written, or are not as they were recorded."""


class StoreBusy(StoreError, TimeoutError):
    """Another process is writing to the project and did not finish in time."""

    exit_code = 3


class LoadError(HarnestExtensionError, RuntimeError):
    """An extension could not be loaded, started or stopped; carries types, never messages."""


class UsageError(HarnestExtensionError, ValueError):
    """The call or command line can't be taken as it is."""

    exit_code = 2


def _rebuild(
    cls: type[HarnestExtensionError], problems: tuple[Problem, ...], unchanged: str
) -> HarnestExtensionError:
    return cls(problems, unchanged=unchanged)


def _bounded(parts: list[str], limit: int) -> str:
    shown: list[str] = []
    used = 0
    for number, part in enumerate(parts):
        size = len(part.encode("utf-8", "replace")) + 1
        rest = f"... and {len(parts) - number} more"
        if shown and used + size > limit - len(rest) - 1:
            shown.append(rest)
            break
        shown.append(part)
        used += size
    return "\n".join(shown).encode("utf-8", "replace")[:limit].decode("utf-8", "ignore")
