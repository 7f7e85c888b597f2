"""Hold environment entries: a read-only mapping that hashes, copies and keeps its values to itself."""

from collections.abc import Iterator, Mapping

from ..limits import ENVIRONMENT
from .checks import text, variable


class Environment(Mapping[str, str]):
    """An immutable mapping of environment entries; its ``repr`` shows no value.

    Raises:
        TypeError: what is given is not a mapping.
        ValueError: over 64 entries, a name outside ``[A-Za-z_][A-Za-z0-9_]{0,127}``, or a value that
            is not a text of at most 8 KiB without NUL and lone surrogates.
    """

    __slots__ = ("_entries",)
    _entries: Mapping[str, str]

    def __init__(self, entries: Mapping[str, str]) -> None:
        if not isinstance(entries, Mapping):
            raise TypeError("environment must be a mapping")
        if len(entries) > ENVIRONMENT:
            raise ValueError(f"environment must have at most {ENVIRONMENT} entries")
        checked = {
            variable(name, "environment"): text(value, "an environment value", empty=True)
            for name, value in entries.items()
        }
        object.__setattr__(self, "_entries", checked)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("an Environment cannot be changed")

    def __getitem__(self, name: str) -> str:
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __hash__(self) -> int:
        return hash(frozenset(self._entries.items()))

    def __repr__(self) -> str:
        return f"Environment({', '.join(sorted(self._entries))})"

    def __reduce__(self) -> tuple[type["Environment"], tuple[dict[str, str]]]:
        return (Environment, (dict(self._entries),))
