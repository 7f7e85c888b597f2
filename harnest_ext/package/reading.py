"""Every file that is copied, read through once: hashed, and its Python parsed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.errors import InvalidExtension
from harnest_ext.package.contents import native_problem
from harnest_ext.package.digest import TreeHash
from harnest_ext.package.imports import Modules
from harnest_ext.package.model import PackageFile
from harnest_ext.package.python import PythonCheck, is_python
from harnest_ext.package.rules import tree as rules
from harnest_ext.package.rules.project import PYTHON

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnest_ext.package.findings import Findings
    from harnest_ext.package.inspection import Inspected
    from harnest_ext.package.tree import Entry, Tree
    from harnest_ext.problem import Problem

__all__ = ["VerifiedFiles", "read_through"]


class VerifiedFiles:
    """The files to copy with the state of the tree digest before and after each.

    With it, one file that is read again is verified as strongly as the whole, although no hash of
    single files was ever made.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._files: dict[str, tuple[Entry, TreeHash, str]] = {}
        self._hash = TreeHash()

    @property
    def digest(self) -> str:
        """Tree digest of the files taken so far."""
        return self._hash.hexdigest()

    @property
    def files(self) -> tuple[PackageFile, ...]:
        """The files taken so far, in path order."""
        return tuple(
            PackageFile(path=entry.path, size=entry.size, executable=bool(entry.mode & 0o100))
            for entry, _, _ in self._files.values()
        )

    def add(self, entry: Entry, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """Take the next file, in path order, and pass its content on.

        Raises:
            InvalidExtension: The content is not as long as was announced.
        """
        before = self._hash.copy()
        self._hash.begin(entry.path, entry.size)
        size = 0
        for chunk in chunks:
            size += len(chunk)
            self._hash.update(chunk)
            yield chunk
        if size != entry.size:
            raise InvalidExtension(_changed(entry))
        self._files[entry.path] = (entry, before, self._hash.hexdigest())

    def read(self, path: str) -> Iterator[bytes]:
        """Yield the content of one file again; see :meth:`ExtensionPackage.read`."""
        entry, before, after = self._files[path]
        return self._again(entry, before.copy(), after)

    def _again(self, entry: Entry, state: TreeHash, expected: str) -> Iterator[bytes]:
        state.begin(entry.path, entry.size)
        for chunk in self._tree.read(entry):
            state.update(chunk)
            yield chunk
        if state.hexdigest() != expected:
            raise InvalidExtension(_changed(entry))


def read_through(tree: Tree, inspected: Inspected, findings: Findings) -> VerifiedFiles:
    """Read every file that is copied, once, in path order.

    Args:
        tree: The package.
        inspected: What the inspection of its entries found.
        findings: Where problems go.
    """
    verified = VerifiedFiles(tree)
    paths = [entry.path for entry in inspected.copied]
    check = PythonCheck(Modules.of(paths, inspected.left_out))
    # Source for another Python need not parse on this one; the range says why it is refused.
    parses = not any(problem.rule == PYTHON.id for problem in findings.errors)
    for entry in inspected.copied:
        try:
            head, source = _consumed(entry, verified.add(entry, tree.read(entry)))
        except InvalidExtension as error:
            findings.extend(error.problems)
            continue
        native = native_problem(entry, head)
        if native:
            findings.add(native)
        if inspected.known.get(entry.path, source) != source:
            findings.add(_changed(entry))
        if parses and is_python(entry.path):
            findings.extend(check.problems(entry.path, entry.shown, source))
    return verified


def _consumed(entry: Entry, chunks: Iterator[bytes]) -> tuple[bytes, bytes]:
    """Read a file to its end; return how it begins, and all of it if somebody will look at it."""
    keep = is_python(entry.path) or entry.path in {"extension.yaml", "pyproject.toml"}
    kept: list[bytes] = []
    head = b""
    size = 0
    for chunk in chunks:
        head = head or chunk[: limits.KIB]
        size += len(chunk)
        if keep and size <= limits.PYTHON_BYTES + limits.READ_BYTES:
            kept.append(chunk)
    return head, b"".join(kept)


def _changed(entry: Entry) -> Problem:
    return rules.CHANGED.problem("A file changed while it was being read.", path=entry.shown)
