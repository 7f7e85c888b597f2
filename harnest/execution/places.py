"""Which path is inside a work directory, links followed one by one.

The same folder has two names: the host's, and the one that programs inside see. A text alone says
nothing: ``out/../x`` and a link ``out -> /etc`` are decided by what is there.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from harnest.execution import limits

__all__ = ["Places", "checked_path"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The two names of one work directory.

    Attributes:
        host: Its real path on this host.
        inside: Its path as programs see it.
    """

    host: str
    inside: str

    def resolve(self, path: object, *, inside: bool) -> str:
        """Return the absolute path of what ``path`` names, with every link but a last one followed.

        Args:
            path: Relative to the work directory, or absolute by either of its names.
            inside: Whether to return, and to read links, as programs inside see them; else as the
                host does.

        Raises:
            PermissionError: It is outside of the work directory, by itself or through a link.
            ValueError: It is no path.
        """
        names = _names(self._relative(checked_path(path)))
        view = self.inside if inside else self.host
        walk = _Walk(host=self.host, view=view, told=self.inside, shown=repr(path)[:200])
        if not names or names[-1] == "..":
            return _joined(view, walk.follow([], names))
        parent = walk.follow([], names[:-1])
        walk.follow(parent, names[-1:])
        return _joined(view, [*parent, names[-1]])

    def _relative(self, path: str) -> str:
        for root in (self.inside, self.host):
            if path == root or path.startswith(root.rstrip("/") + "/"):
                return path[len(root) :].lstrip("/")
        if path.startswith("/"):
            raise PermissionError(
                f"{path[:200]!r} is outside of the work directory {self.inside!r}; name a path "
                "relative to it"
            )
        return path


@dataclass(slots=True, kw_only=True)
class _Walk:
    """One way through the work directory, with a bound on links."""

    host: str
    view: str
    told: str
    shown: str
    links: int = 0

    def follow(self, start: list[str], names: list[str]) -> list[str]:
        """Return where the names lead from ``start``, as real names below the work directory."""
        here, rest = list(start), list(reversed(names))
        while rest:
            name = rest.pop()
            if name == "..":
                if not here:
                    raise self._outside()
                here.pop()
                continue
            target = self._target([*here, name])
            if target is None:
                here.append(name)
            elif target.startswith("/"):
                here, rest = [], [*rest, *reversed(_names(self._below(target)))]
            else:
                rest += reversed(_names(target))
        return here

    def _target(self, names: list[str]) -> str | None:
        """Return what a link points to; None for what is none, or is not there."""
        try:
            target = os.readlink(_joined(self.host, names))  # noqa: PTH115 - the text is wanted
        except OSError:
            return None
        self.links += 1
        if self.links > limits.PATH_LINKS:
            raise PermissionError(f"{self.shown} leads through more than {limits.PATH_LINKS} links")
        return target

    def _below(self, target: str) -> str:
        # On the host the directory's own path may be given with links in it, as /var on macOS.
        real = os.path.realpath(target) if self.view == self.host else target
        if real == self.view or real.startswith(self.view.rstrip("/") + "/"):
            return real[len(self.view) :].lstrip("/")
        raise self._outside()

    def _outside(self) -> PermissionError:
        return PermissionError(f"{self.shown} leads out of the work directory {self.told!r}")


def checked_path(path: object) -> str:
    """Return what can be a path.

    Raises:
        ValueError: It is no text, empty, too long, or holds a NUL or what can't be encoded.
    """
    if not isinstance(path, str):
        raise ValueError(f"a path must be a str, not {type(path).__name__}")  # noqa: TRY004 - documented for all of them
    if not path or "\0" in path:
        raise ValueError("a path must be a non-empty str without NUL")
    try:
        size = len(os.fsencode(path))
    except UnicodeEncodeError:
        raise ValueError("a path must be encodable: it holds a lone surrogate") from None
    if size > limits.PATH_BYTES:
        raise ValueError(f"a path of {size} bytes is longer than {limits.PATH_BYTES}")
    return path


def _names(path: str) -> list[str]:
    return [name for name in path.split("/") if name not in {"", "."}]


def _joined(root: str, names: list[str]) -> str:
    return "/".join((root.rstrip("/"), *names)) or "/"
