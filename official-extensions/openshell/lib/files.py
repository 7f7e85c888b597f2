"""Files into a program's work directory, and what it leaves under ``outputs/`` out of it.

Names are plain relative paths. Of ``outputs/`` come back the regular files that are new or changed;
links and special files are counted and not followed.
"""

from __future__ import annotations

import mimetypes
import os
import tarfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnest.execution import BackendError
from harnest.execution import limits as execution_limits
from harnest.execution.handover import is_plain
from harnest.sandbox import SandboxFile

from . import limits
from .gateway.port import Stream
from .remote import scripts
from .sync.archive import Incoming, pieces
from .sync.listing import LIST, RemoteEntry, parsed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from .remote.box import Box

__all__ = ["Outputs", "collect", "put"]

_PUT = r"""
[ -d "$1" ] || exit 0
umask 077
mkdir -p -- "$2" && cat "$1"/tar.* | tar -x -f - -C "$2" --no-same-owner --unlink-first \
  && rm -rf -- "$1"
"""
_LIST = '[ -d "$1" ] && [ ! -L "$1" ] || exit 0\n' + LIST
_LIST_OR_DISCARD = (
    r"""
found=
if [ -d "$1" ] && [ ! -L "$1" ]; then
  found=$(find "$1/" -mindepth 1 -print -quit) || exit 1
fi
[ -n "$found" ] || { rm -rf -- "$2"; exit; }
set -- "$1"
"""
    + LIST
)
_PULL = r"""
cd -- "$1" && exec tar -c -f - --format=gnu --no-recursion --hard-dereference --null \
  --verbatim-files-from --ignore-failed-read -T -
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outputs:
    """What came back.

    Attributes:
        files: The files, by name in order.
        omitted: How many entries were left out: links, special files, or out of bounds.
        entries: All that is there now.
    """

    files: tuple[SandboxFile, ...] = ()
    omitted: int = 0
    entries: Mapping[str, RemoteEntry]


def put(box: Box, work: str, contents: Mapping[str, bytes], check: Callable[[], None]) -> None:
    """Write input files, replacing files of those names that an earlier call left.

    Args:
        box: The sandbox.
        work: The work directory, made if need be.
        contents: Content by name.
        check: Raises when nobody waits any more.
    """
    if not contents:
        return
    folder = box.folder()
    try:
        box.stage_pieces(folder, "tar", pieces(_packed(contents)), check)
        box.helper(_PUT, folder, work)
    except BaseException:
        box.helper(scripts.DISCARD, folder)
        raise


def collect(
    box: Box, outputs: str, before: Mapping[str, RemoteEntry], discard: str = ""
) -> Outputs:
    """Return the files that a call wrote to a folder, in bounds.

    Args:
        box: The sandbox.
        outputs: The folder.
        before: What was there before the call.
        discard: A folder to remove in the same request if there is nothing; empty for none.
    """
    script, folders = (_LIST_OR_DISCARD, (outputs, discard)) if discard else (_LIST, (outputs,))
    try:
        entries = parsed(box.helper(script, *folders, most=limits.LISTING_BYTES))
    except ValueError as error:
        raise BackendError(str(error)) from None
    changed = [e for path, e in sorted(entries.items()) if e != before.get(path)]
    changed = [entry for entry in changed if entry.kind != "folder"]
    wanted: list[RemoteEntry] = []
    left = execution_limits.FILES_BYTES
    for entry in changed:
        fits = entry.kind == "file" and entry.size <= left and is_plain(entry.path)
        if fits and len(wanted) < execution_limits.INPUT_FILES:
            wanted.append(entry)
            left -= entry.size
    files = tuple(_pulled(box, outputs, wanted))
    return Outputs(files=files, omitted=len(changed) - len(files), entries=entries)


def _pulled(box: Box, outputs: str, wanted: Sequence[RemoteEntry]) -> Iterator[SandboxFile]:
    if not wanted:
        return
    names = {entry.path for entry in wanted}
    listed = b"".join(b"./" + os.fsencode(name) + b"\0" for name in sorted(names))
    left = execution_limits.FILES_BYTES
    incoming = Incoming(_streamed(box, outputs, listed), left)
    for name, _, source in incoming.files():
        source.seek(0)
        data = source.read(left + 1)
        if name in names and len(data) <= left:
            names.remove(name)
            left -= len(data)
            kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
            yield SandboxFile(name=name, content=data, mime_type=kind)


def _streamed(box: Box, outputs: str, names: bytes) -> Iterator[bytes]:
    call = box.call(_PULL, [outputs], names, limits.HELPER_SECONDS)
    running = box.gateway.start_exec(call, limits.HELPER_SECONDS + limits.RPC_SECONDS)
    try:
        for event in running:
            if event.stream is Stream.STDOUT:
                yield event.data
    finally:
        running.cancel()


def _packed(contents: Mapping[str, bytes]) -> Iterator[bytes]:
    for name, data in contents.items():
        info = tarfile.TarInfo(name)
        info.size, info.mode = len(data), 0o600
        yield info.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape")
        yield data
        yield bytes(-len(data) % tarfile.BLOCKSIZE)
    yield bytes(2 * tarfile.BLOCKSIZE)
