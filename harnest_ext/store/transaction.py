"""One change of a project, whole or not at all: staged, decided by a journal, carried out.

Until the journal is in place nothing that a reader looks at has changed, and leaving the block
removes all traces. From then on the change is made, by this command or by the next one.
"""

from __future__ import annotations

import contextlib
import enum
import stat
from typing import TYPE_CHECKING, Self

from harnest_ext.errors import StoreError
from harnest_ext.store import layout, leftovers, rules, swap
from harnest_ext.store.journal import NEW_NAME, SWAPPED_FILES, Journal
from harnest_ext.store.staging import IGNORE_EVERYTHING, next_number, stage_copy, stage_file
from harnest_ext.store.stamps import read_stamps, render_stamps

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from types import TracebackType

    from harnest_ext.identity import Slug
    from harnest_ext.store.folder import Folder
    from harnest_ext.store.staging import CopiedFile
    from harnest_ext.store.stamps import CopyStamps

__all__ = ["UNCHANGED", "Transaction"]

UNCHANGED = "The project was not changed."


class _Phase(enum.Enum):
    PREPARING = enum.auto()
    DECIDED = enum.auto()
    DONE = enum.auto()


class Transaction:
    """Collects a change in a ``with`` block; :meth:`commit` makes it.

    Args:
        path: The project's root.
        root: The same, open and held for writing.
        command: What makes the change, for messages such as ``install``.
    """

    def __init__(self, path: Path, root: Folder, *, command: str) -> None:
        self._path = path
        self._root = root
        self._command = command
        self._phase = _Phase.PREPARING
        self._stamps = read_stamps(path)
        self._stamps_before = dict(self._stamps)
        self._out: dict[Slug, bytes] = {}
        self._in: list[Slug] = []
        self._files: dict[str, bytes] = {}
        self._made = [
            folder
            for folder in (layout.STATE_PATH, layout.EXTENSIONS_NAME)
            if not root.exists(folder)
        ]
        self._number = next_number(root)
        self._staged: Folder | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: object, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._staged is not None:
            self._staged.__exit__()
        if self._phase is _Phase.PREPARING:
            if isinstance(error, StoreError):
                error.unchanged = error.unchanged or UNCHANGED
            # What can't be removed now means nothing to a reader, and the next writing command
            # removes it; the error that ended the block is the one to tell.
            with contextlib.suppress(StoreError):
                self._forget()

    def move_out(self, name: Slug, record: bytes) -> None:
        """Move the copy of ``name`` to the backups.

        Args:
            name: Extension whose copy is there.
            record: What a rollback needs to know, see :mod:`harnest_ext.store.backups`.
        """
        self._refuse_link(name)
        self._out[name] = record
        self._stamps.pop(name, None)

    def move_in(self, name: Slug, files: Iterable[CopiedFile], digest: str) -> None:
        """Stage a new copy of ``name``.

        Args:
            name: Extension; a copy that is there must have been moved out before.
            files: Its files, sorted by path.
            digest: Tree digest that the copy must have.

        Raises:
            InvalidExtension: kind ``hash-mismatch``: the source changed meanwhile.
            StoreError: kinds ``io-error`` and ``conflict``.
        """
        if name not in self._out and self._root.exists(f"{layout.EXTENSIONS_NAME}/{name}"):
            raise self._occupied(name)
        self._prepare()
        if self._staged is None:
            self._staged = self._root.at(f"{self._journal().staging}/{NEW_NAME}", make=True)
        with self._staged.at(name, make=True) as folder:
            self._stamps[name] = stage_copy(folder, name, files, digest)
        self._in.append(name)

    def swap(self, path: str, data: bytes) -> None:
        """Replace one of the project's own files, :data:`SWAPPED_FILES`, by ``data``."""
        if path not in SWAPPED_FILES:
            raise ValueError(path)
        self._files[path] = data

    def stamp(self, name: Slug, stamps: CopyStamps | None) -> None:
        """Record the stamps of a copy that stays, or forget them."""
        self._stamps.pop(name, None)
        if stamps is not None:
            self._stamps[name] = stamps

    def commit(self) -> bool:
        """Make the change; return False when there was nothing to change.

        Raises:
            StoreError: Nothing was changed; or kind ``interrupted``: it could not be taken back
                either, and the next writing command will finish it.
        """
        if self._stamps != self._stamps_before:
            self._files[layout.STAMPS_PATH] = render_stamps(self._stamps)
        if not (self._out or self._in or self._files):
            return False
        self._prepare()
        journal = self._journal()
        self._stage(journal)
        try:
            self._decide(journal)
            swap.carry_out(self._root, journal)
        except StoreError as error:
            self._take_back(journal, error)
            raise StoreError(error.problems, unchanged=UNCHANGED) from error
        self._phase = _Phase.DONE
        # The change is made and recorded; what is left over is removed by the next command.
        with contextlib.suppress(StoreError):
            leftovers.tidy(self._root)
        return True

    def _journal(self) -> Journal:
        return Journal(
            number=self._number,
            command=self._command,
            moved_out=tuple(self._out),
            moved_in=tuple(self._in),
            files=tuple(self._files),
        )

    def _prepare(self) -> None:
        if self._root.exists(layout.IGNORE_PATH):
            return
        stage_file(self._root, layout.IGNORE_DRAFT_PATH, IGNORE_EVERYTHING)
        self._root.rename(layout.IGNORE_DRAFT_PATH, layout.IGNORE_PATH)
        if layout.EXTENSIONS_NAME in self._made:
            self._root.sync()
        with self._root.at(layout.EXTENSIONS_NAME) as extensions:
            extensions.sync()

    def _stage(self, journal: Journal) -> None:
        for name, record in self._out.items():
            stage_file(self._root, f"{journal.backup(name)}/{leftovers.ENTRY_NAME}", record)
        for path, data in self._files.items():
            # A file of the user's keeps its permissions.
            found = self._root.mode(path)
            mode = None if found is None else stat.S_IMODE(found)
            stage_file(self._root, journal.staged_file(path), data, mode=mode)
            if found is not None:
                saved = journal.saved_file(path)
                stage_file(self._root, saved, self._content(path), mode=mode)
        with self._root.at(journal.staging, make=True):
            self._sync_parents(journal)

    def _sync_parents(self, journal: Journal) -> None:
        """Bring the names of what was staged to stable storage, up to the state folder."""
        staging = [f"{journal.staging}/{part}" for part in (NEW_NAME, "files", "saved")]
        previous = f"{layout.PREVIOUS_PATH}/{journal.number}"
        for path in (*staging, journal.staging, layout.STAGING_PATH, previous):
            if self._root.exists(path):
                with self._root.at(path) as folder:
                    folder.sync()
        for path in (layout.PREVIOUS_PATH, layout.STATE_PATH):
            if self._root.exists(path):
                with self._root.at(path) as folder:
                    folder.sync()

    def _decide(self, journal: Journal) -> None:
        stage_file(self._root, layout.JOURNAL_DRAFT_PATH, journal.render())
        # From here on the journal may be in place even if an error says otherwise.
        self._phase = _Phase.DECIDED
        self._root.rename(layout.JOURNAL_DRAFT_PATH, layout.JOURNAL_PATH)
        with self._root.at(layout.STATE_PATH) as state:
            state.sync()

    def _take_back(self, journal: Journal, error: StoreError) -> None:
        if self._phase is _Phase.DECIDED:
            try:
                swap.take_back(self._root, journal)
            except StoreError as second:
                problem = rules.UNFINISHED.problem(
                    f"`{self._command}` could neither be finished nor be taken back; the next "
                    "writing command will finish it.",
                    path=layout.JOURNAL_PATH,
                )
                raise StoreError((problem, *error.problems, *second.problems)) from error
        self._phase = _Phase.PREPARING

    def _forget(self) -> None:
        leftovers.tidy(self._root)
        for folder in self._made:
            if folder == layout.STATE_PATH:
                self._root.remove(folder)
            else:
                self._root.remove_if_empty(folder)

    def _content(self, path: str) -> bytes:
        return (self._path / path).read_bytes()

    def _refuse_link(self, name: Slug) -> None:
        mode = self._root.mode(f"{layout.EXTENSIONS_NAME}/{name}")
        if mode is not None and not stat.S_ISDIR(mode):
            raise self._occupied(name)

    def _occupied(self, name: Slug) -> StoreError:
        path = f"{layout.EXTENSIONS_NAME}/{name}"
        return StoreError(
            rules.DESTINATION.problem(
                f"The place of '{name}' is taken by something that is not a copy of it.",
                path=path,
                expected="nothing, or a regular folder",
            ),
            unchanged=UNCHANGED,
        )
