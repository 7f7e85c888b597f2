"""Read a build context: bounded, without links out of it, ``.dockerignore`` honoured, one digest."""

import hashlib
import io
import os
import posixpath
import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import DockerImageError, Phase
from ..limits import BUILD_CONTEXT_BYTES, BUILD_CONTEXT_FILES, MIB

_FIXED_TIME = 0
_IGNORE_FILE = ".dockerignore"
_ALWAYS = ("Dockerfile", _IGNORE_FILE)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildContext:
    """A context as one reproducible tar archive, and the digest of it."""

    archive: bytes = field(repr=False)
    digest: str


def read_context(folder: str) -> BuildContext:
    """Return the context in *folder*.

    Raises:
        DockerImageError: there is no folder or Dockerfile, it is over its bounds, or a file in it is
            neither a regular file nor a folder nor a link.
    """
    root = Path(folder)
    if not (root / "Dockerfile").is_file():
        raise DockerImageError(Phase.BUILD, "docker_path must be a folder that holds a Dockerfile")
    try:
        archive = _archive(root, Ignore.read(root))
    except OSError:
        raise DockerImageError(Phase.BUILD, "a file of the build context cannot be read") from None
    return BuildContext(archive=archive, digest=hashlib.sha256(archive).hexdigest())


def _archive(root: Path, ignore: "Ignore") -> bytes:
    buffer = io.BytesIO()
    files, total = 0, 0
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, path in _entries(root, ""):
            if name not in _ALWAYS and ignore.matches(name):
                continue
            files += 1
            total += path.lstat().st_size
            if files > BUILD_CONTEXT_FILES or total > BUILD_CONTEXT_BYTES:
                raise DockerImageError(
                    Phase.BUILD,
                    f"the build context is over {BUILD_CONTEXT_FILES} files or "
                    f"{BUILD_CONTEXT_BYTES // MIB} MiB; name what is not needed in {_IGNORE_FILE}",
                )
            _add(archive, name, path)
    return buffer.getvalue()


def _entries(folder: Path, prefix: str) -> Iterator[tuple[str, Path]]:
    for entry in sorted(os.scandir(folder), key=lambda item: item.name):
        name = prefix + entry.name
        yield name, Path(entry.path)
        if entry.is_dir(follow_symlinks=False):
            yield from _entries(Path(entry.path), name + "/")


def _add(archive: tarfile.TarFile, name: str, path: Path) -> None:
    member = archive.gettarinfo(path, arcname=name)
    if member is None or not (member.isreg() or member.isdir() or member.issym() or member.islnk()):
        raise DockerImageError(Phase.BUILD, "the build context holds a device, pipe or socket")
    # The digest is about contents: owners, times and hard links of this checkout are not.
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mtime = _FIXED_TIME
    if path.is_symlink() or path.is_dir():
        archive.addfile(member)
        return
    member.type, member.linkname = tarfile.REGTYPE, ""
    member.size = path.lstat().st_size
    with path.open("rb") as content:
        archive.addfile(member, content)


class Ignore:
    """The rules of a ``.dockerignore``: the last one that matches a path or a parent of it decides."""

    def __init__(self, lines: list[str]) -> None:
        self._rules: list[tuple[bool, re.Pattern[str]]] = []
        for line in lines:
            pattern = line.strip()
            if not pattern or pattern.startswith("#"):
                continue
            keep = pattern.startswith("!")
            pattern = pattern.removeprefix("!").strip()
            if not pattern:
                raise _no_pattern()
            # As Docker does: ``./a`` and ``b/../a`` are ``a``.
            self._rules.append((keep, _compiled(posixpath.normpath(pattern).strip("/"))))

    @classmethod
    def read(cls, root: Path) -> "Ignore":
        """Return the rules in *root*, none if it has no such file."""
        file = root / _IGNORE_FILE
        if not file.is_file():
            return cls([])
        # Names of files may be other bytes than UTF-8 too.
        return cls(file.read_text(encoding="utf-8-sig", errors="surrogateescape").splitlines())

    def matches(self, name: str) -> bool:
        """Return whether *name*, a relative path, is ignored."""
        parts = name.split("/")
        paths = ["/".join(parts[: end + 1]) for end in range(len(parts))]
        ignored = False
        for keep, expression in self._rules:
            if any(expression.fullmatch(path) for path in paths):
                ignored = not keep
        return ignored


_TOKEN = re.compile(r"\*\*/|\*\*|\*|\?|\[\^?[^\]]+\]|\\.|.", re.DOTALL)
_UNFINISHED = ("[", "\\")
"""What begins a set or escapes a character, where nothing follows that ends it."""
_WILD = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(_expression(pattern))
    except re.error:
        raise _no_pattern() from None


def _no_pattern() -> DockerImageError:
    return DockerImageError(Phase.BUILD, f"a line of {_IGNORE_FILE} is no pattern, such as [z-a]")


def _expression(pattern: str) -> str:
    """Translate a pattern: ``**`` crosses folders, ``*``, ``?`` and sets do not; backslash escapes."""
    return "".join(_translated(token) for token in _TOKEN.findall(pattern))


def _translated(token: str) -> str:
    if token in _WILD:
        return _WILD[token]
    if token in _UNFINISHED:
        raise re.error("unfinished", token)
    if token.startswith("[") and len(token) > 2:
        body = token[1:-1].replace("\\", "\\\\").replace("[", r"\[")
        return f"(?!/)[{body}]"
    return re.escape(token.removeprefix("\\") if len(token) > 1 else token)
