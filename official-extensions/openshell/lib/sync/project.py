"""One project and its copy in a sandbox, kept in step: up at the start, back after each command."""

from __future__ import annotations

import os
import tarfile
from functools import partial
from typing import IO, TYPE_CHECKING

from harnest.execution import BackendError

from .. import limits
from ..errors import GatewayRefusedError
from ..gateway.port import Stream
from ..remote.box import repeated
from .archive import Incoming, packed, pieces
from .listing import CLOSED, LIST, RemoteEntry, parsed, pruned
from .merge import Content, Deed, after_change, after_deletion
from .report import SyncReport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ..remote.box import Box
    from .local import LocalTree

__all__ = ["Project"]

_EXTRACT = r"""
[ -d "$1" ] || exit 0
cat "$1"/tar.* | tar -x -f - -C "$2" --no-same-owner && rm -rf -- "$1"
"""
_PULL = r"""
cd -- "$1" && exec tar -c -f - --format=gnu --no-recursion --hard-dereference --null \
  --verbatim-files-from --ignore-failed-read -T -
"""
_NAMES_BYTES = 256 * limits.KIB
_FOLDERS = ("folder", CLOSED)


class Project:
    """A work directory inside, and the project on the host that it is a copy of, if there is one.

    Args:
        box: The sandbox.
        tree: The project; None for a work directory that stays where it is.
        exclude: Names of entries that are not looked at.

    Attributes:
        report: What came of it so far.
    """

    def __init__(self, box: Box, tree: LocalTree | None, exclude: Sequence[str] = ()) -> None:
        self._box = box
        self._tree = tree
        self._exclude = tuple(exclude)
        self._base: dict[str, Content] = {}
        self._folders: set[str] = set()
        self._foreign: set[str] = set()  # folders of the image's own
        self._seen: dict[str, RemoteEntry] = {}
        self._unsettled: set[str] = set()
        self.report = SyncReport()

    def upload(self, check: Callable[[], None]) -> None:
        """Copy the project into the work directory.

        Args:
            check: Raises when nobody waits any more.

        Raises:
            BackendError: It can't be copied.
            BaseException: What ``check`` raises.
        """
        if self._tree is not None:
            try:
                entries = list(self._tree.entries())
                folder = self._box.folder()
                stream = packed(self._tree, entries, self._base.__setitem__)
                self._box.stage_pieces(folder, "tar", pieces(stream), check)
            except (OSError, ValueError) as error:
                raise BackendError(f"the project can't be copied: {error}") from None
            self._box.helper(_EXTRACT, folder, self._box.work, seconds=_patience(entries))
            for entry in entries:
                if entry.kind == "folder":
                    self._folders.add(entry.path)
                elif entry.kind != "file":
                    self.report.skipped[entry.path] = entry.kind
        self._seen = self._listed()
        there = {path for path, entry in self._seen.items() if entry.kind in _FOLDERS}
        self._foreign = there - self._folders

    def look(self) -> tuple[str, ...]:
        """Look at the work directory; return the files that are new or changed since the last look.

        Raises:
            BackendError: It can't be looked at.
        """
        before, self._seen = self._seen, self._listed()
        changed = {
            path
            for path, entry in self._seen.items()
            if entry.kind == "file" and entry != before.get(path)
        }
        # Whatever becomes of them, they are looked at again until they were settled.
        self._unsettled |= changed
        return tuple(sorted(changed))

    def bring_back(self) -> None:
        """Do on the host what the last look found, if there is a project.

        Raises:
            BackendError: Not all of it came back; ``report.failed`` says what did not, and the next
                call tries it again.
        """
        if self._tree is None:
            return
        now, failed = self._seen, self.report.failed
        failed.clear()
        self._unsettled = {p for p in self._unsettled if p in now and now[p].kind == "file"}
        self._delete_files(now)
        self._delete_folders(now)
        for path, entry in now.items():
            if entry.kind in _FOLDERS:
                self._make_folder(path)
            elif entry.kind != "file":
                self.report.skipped[path] = entry.kind
        self._pull([now[path] for path in sorted(self._unsettled)])
        closed = {path for path, entry in now.items() if entry.kind == CLOSED}
        for path in {*self._unsettled, *closed}:
            failed.setdefault(path, "it can't be read in the sandbox")
        if failed:
            shown = ", ".join(f"{path!r} ({why})" for path, why in sorted(failed.items())[:5])
            raise BackendError(f"{len(failed)} of what changed, such as {shown}")

    def _listed(self) -> dict[str, RemoteEntry]:
        data = self._box.helper(
            LIST, self._box.work, *pruned(self._exclude), most=limits.LISTING_BYTES
        )
        try:
            now = parsed(data)
        except ValueError as error:
            raise BackendError(str(error)) from None
        closed = tuple(path + "/" for path, entry in now.items() if entry.kind == CLOSED)
        # What is behind a folder that can't be looked into is taken for what it was.
        hidden = {p: e for p, e in self._seen.items() if closed and p.startswith(closed)}
        return hidden | now

    def _delete_files(self, now: Mapping[str, RemoteEntry]) -> None:
        for path, base in list(self._base.items()):
            if path in now and now[path].kind not in _FOLDERS:
                continue  # a link in its place is reported, and the host's file stays
            deed = after_deletion(base, self._local.content(path))
            if deed is Deed.KEEP:
                self.report.kept.append(path)
            elif deed is Deed.DELETE and self._done(path, partial(self._local.delete, path)):
                self.report.deleted.append(path)
            if path not in self.report.failed:
                del self._base[path]

    def _delete_folders(self, now: Mapping[str, RemoteEntry]) -> None:
        gone = {p for p in self._folders if p not in now or now[p].kind not in _FOLDERS}
        for path in sorted(gone, key=lambda item: item.count("/"), reverse=True):
            self._local.remove_folder(path)  # one that holds something of the host's stays
            self._folders.discard(path)

    def _make_folder(self, path: str) -> None:
        known = path in self._folders or path in self._foreign
        blocked = self._local.content(path) not in (None, "folder")
        if not known and not blocked and self._done(path, partial(self._local.make_folder, path)):
            self._folders.add(path)

    def _pull(self, entries: Sequence[RemoteEntry]) -> None:
        if sum(entry.size for entry in entries) > limits.PROJECT_BYTES:
            raise BackendError(f"more than {limits.PROJECT_BYTES} bytes have changed")
        for batch in _batches(entries):
            repeated(partial(self._pull_batch, batch))

    def _pull_batch(self, batch: Sequence[RemoteEntry]) -> None:
        names = b"".join(b"./" + os.fsencode(entry.path) + b"\0" for entry in batch)
        try:
            incoming = Incoming(self._streamed(names, batch), limits.PROJECT_BYTES)
            for path, content, source in incoming.files():
                if path not in self._unsettled:
                    continue  # not asked for
                self._settle(path, content, source)
        except tarfile.TarError as error:
            raise GatewayRefusedError("ExecSandbox", "UNKNOWN", f"no tar: {error}") from None

    def _settle(self, path: str, content: Content, source: IO[bytes]) -> None:
        deed = after_change(content, self._base.get(path), self._local.content(path))
        if deed is Deed.SAVE_BESIDE:
            if self._done(path, partial(self._save_beside, path, source, content)):
                self._unsettled.discard(path)
            return
        if deed is Deed.WRITE:
            write = partial(self._local.write, path, source, executable=content.executable)
            if not self._done(path, write):
                return
            self.report.written.append(path)
        self._base[path] = content
        self._unsettled.discard(path)

    def _save_beside(self, path: str, source: IO[bytes], content: Content) -> None:
        self.report.conflicts[path] = self._local.write_beside(path, source, content)

    def _streamed(self, names: bytes, batch: Sequence[RemoteEntry]) -> Iterator[bytes]:
        seconds = _patience(batch)
        call = self._box.call(_PULL, [self._box.work], names, seconds)
        running = self._box.gateway.start_exec(call, seconds + limits.RPC_SECONDS)
        said = b""
        try:
            for event in running:
                if event.stream is Stream.STDOUT:
                    yield event.data
                elif event.stream is Stream.STDERR:
                    said = (said + event.data)[-500:]
                elif event.exit_code not in (0, 1):  # 1: a file changed, and is looked at again
                    text = said.decode("utf-8", "replace").strip()
                    raise BackendError(f"tar ended with {event.exit_code}: {text}")
        finally:
            running.cancel()

    def _done(self, path: str, work: Callable[[], object]) -> bool:
        try:
            work()
        except OSError as error:
            self.report.failed[path] = error.strerror or type(error).__name__
            return False
        return True

    @property
    def _local(self) -> LocalTree:
        if self._tree is None:  # callers ask only for a project
            raise BackendError("this work directory is no copy of a project")
        return self._tree


def _batches(entries: Sequence[RemoteEntry]) -> Iterator[list[RemoteEntry]]:
    batch: list[RemoteEntry] = []
    size = 0
    for entry in entries:
        size += len(os.fsencode(entry.path)) + 3
        if size > _NAMES_BYTES and batch:
            yield batch
            batch, size = [], len(os.fsencode(entry.path)) + 3
        batch.append(entry)
    if batch:
        yield batch


def _patience(entries: Sequence[object]) -> float:
    """Return how many seconds moving some files may take: a megabyte a second, and a start."""
    size = sum(getattr(entry, "size", 0) for entry in entries)
    return limits.HELPER_SECONDS + size / limits.MIB
