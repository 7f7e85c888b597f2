"""Files inside a backend that owns its file system, reached by its commands alone."""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import errno
import os
import secrets
from typing import TYPE_CHECKING

from harnest.execution.tools import limits, scripts
from harnest.execution.tools.faults import Fault, FileChangedError, too_large
from harnest.execution.tools.filesystem import Entry, Listing, Search, Writing
from harnest.execution.tools.records import RecordError, entry_of, read_records
from harnest.execution.tools.shell import Output, OutputLimitError, Script, Shell, encoded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harnest.execution.backend import ExecutionBackend
    from harnest.execution.tools.place import Place

__all__ = ["BackendFileSystem"]


class BackendFileSystem:
    """Implements :class:`~harnest.execution.tools.filesystem.FileSystem` by scripts.

    Args:
        backend: Where the files are.
    """

    def __init__(self, backend: ExecutionBackend) -> None:
        self._shell = Shell(backend)

    async def read(self, place: Place, most: int) -> bytes:
        """See :meth:`FileSystem.read`."""
        for left in reversed(range(limits.ATTEMPTS)):
            with contextlib.suppress(*(FileChangedError,) if left else ()):
                return await self._read(place, most)
        raise Fault.CHANGED.error(place.shown)

    async def read_many(self, places: Sequence[Place], most: int) -> list[bytes | None]:
        """See :meth:`FileSystem.read_many`."""
        if len(places) < 2:
            return [await self._read_or_none(place, most) for place in places]
        names = [b"/".join(place.parts) for place in places]
        try:
            result = await self._shell.run(
                Script(
                    body=scripts.CONTENTS,
                    arguments=(os.fsencode(places[0].base), *names),
                    values={"most": most},
                    shown=places[0].shown,
                )
            )
        except OutputLimitError:
            return [await self._read_or_none(place, most) for place in places]
        return _contents(result.stdout, len(places))

    async def write(
        self, place: Place, content: bytes, rule: Writing, expected: str | None = None
    ) -> bool:
        """See :meth:`FileSystem.write`."""
        if place.folder:
            raise Fault.FOLDER_NAME.error(place.shown)
        temporary = encoded(b".harnest-%s.tmp" % secrets.token_hex(8).encode())
        pieces = range(0, max(1, len(content)), limits.PIECE_BYTES)
        answer = ""
        try:
            for start in pieces:
                last = start == pieces[-1]
                values = {
                    "temporary": temporary,
                    "rule": rule.value,
                    "digest": expected or "",
                    "first": "" if start else "1",
                    "last": "1" if last else "",
                }
                piece = content[start : start + limits.PIECE_BYTES]
                answer = await self._write_piece(place, piece, values)
        except BaseException:
            await asyncio.shield(self._discard(place, temporary))
            raise
        return answer != "old"

    async def remove(self, place: Place, *, recursive: bool) -> Entry:
        """See :meth:`FileSystem.remove`."""
        values = {"recursive": "1" if recursive else "", "slash": "1" if place.folder else ""}
        result = await self._run(scripts.REMOVE, place, values)
        try:
            mode, size = result.split()
            return entry_of(place.last, int(mode, 16), int(size))
        except ValueError:
            raise OSError(errno.EIO, f"{place.shown}: stat wrote what it does not") from None

    async def list(self, place: Place) -> Listing:
        """See :meth:`FileSystem.list`."""
        values = {"emit": encoded(scripts.EMIT.encode())}
        return await self._listing(_decode("emit") + scripts.LIST, place, values)

    async def walk(self, place: Place, search: Search) -> Listing:
        """See :meth:`FileSystem.walk`."""
        values = {"emit": encoded(scripts.EMIT.encode())}
        values |= {f"name{i}": encoded(name) for i, name in enumerate(search.names)}
        body = "".join(_decode(name) for name in values) + _seek(search)
        if search.literals:
            values["holding"] = encoded(scripts.HOLDING.encode())
            values["literals"] = encoded(b"\n".join(search.literals))
            values["largest"] = str(search.largest)
            values["fold"] = "-i" if search.ignore_case else ""
            body += _decode("holding") + _decode("literals")
            body += "export emit literals fold" + scripts.WALK_HOLDING
        else:
            body += scripts.WALK
        return await self._listing(body, place, values)

    async def _read(self, place: Place, most: int) -> bytes:
        values = {"most": most, "slash": "1" if place.folder else ""}
        output = await self._fetch(scripts.READ, place, values, most=2 * most)
        head, found, content = output.data.partition(b"\n")
        if not found or not head.isdigit():
            raise OSError(errno.EIO, f"{place.shown}: stat wrote what it does not")
        if int(head) > most:
            raise too_large(place.shown, int(head), most)
        if len(content) < int(head):
            raise Fault.CHANGED.error(place.shown)
        return content[: int(head)]  # a file that grows may give more in its later pieces

    async def _read_or_none(self, place: Place, most: int) -> bytes | None:
        try:
            return await self.read(place, most)
        except TimeoutError:
            raise
        except (OSError, ValueError):
            return None  # what the port promises for a file that can't be read

    async def _write_piece(self, place: Place, piece: bytes, values: Mapping[str, str]) -> str:
        return await self._run(scripts.CREATE_STEPS + scripts.WRITE, place, values, stdin=piece)

    async def _discard(self, place: Place, temporary: str) -> None:
        # The first failure is the one to tell; a backend that is gone keeps no file either.
        with contextlib.suppress(Exception):
            script = _script(scripts.DISCARD, place, {"temporary": temporary})
            await self._shell.run(script, timeout=limits.CLEANUP_SECONDS)

    async def _listing(self, body: str, place: Place, values: Mapping[str, str | int]) -> Listing:
        for left in reversed(range(limits.ATTEMPTS)):
            with contextlib.suppress(*(FileChangedError, RecordError) if left else ()):
                output = await self._fetch(body, place, values, most=limits.LISTING_BYTES)
                return _sorted(output)
        raise Fault.CHANGED.error(place.shown)

    async def _run(
        self,
        body: str,
        place: Place,
        values: Mapping[str, str | int],
        stdin: bytes | None = None,
    ) -> str:
        result = await self._shell.run(_script(body, place, values), stdin=stdin)
        return result.stdout

    async def _fetch(
        self, body: str, place: Place, values: Mapping[str, str | int], *, most: int
    ) -> Output:
        return await self._shell.fetch(_script(body, place, values), most)


def _decode(name: str) -> str:
    """Return a line of a script that decodes one of its variables."""
    return f'd "${name}"; {name}=$v\n'


def _script(body: str, place: Place, values: Mapping[str, str | int]) -> Script:
    arguments = (os.fsencode(place.base), *place.parts)
    return Script(body=body, arguments=arguments, values=values, shown=place.shown)


def _seek(search: Search) -> str:
    """Return what a script calls for a search.

    The function ``seek`` calls ``find`` and takes its last words; ``deeper`` says on standard
    error whether there is something below the deepest level, if that matters. By ``looked``, which
    is always true, every ``find`` looks at each entry and says where it may not; without the
    ``-prune`` in it GNU's would compare names first.
    """
    hidden = "" if search.hidden else '-name ".?*" -prune -o '
    deepest = '"./' + "*/" * (search.depth - 1) + '*"'
    names = " -o ".join(f'-name "$name{i}"' for i in range(len(search.names)))
    chosen = f"\\( {names} \\) " if names else ""
    files = "-type f " if search.files or search.literals else ""
    bounded = f"\\( -path {deepest} -prune -o ! -path {deepest} \\) "
    looked = r"\( -size 0 -o -size +0 -o -prune \) "
    seek = f'seek() {{ find . {hidden}! -name . {bounded}{looked}{files}{chosen}"$@"; }}\n'
    if not search.bounded:
        return seek + "deeper() { :; }\n"
    deeper = '"./' + "*/" * search.depth + '*"'
    first = f"find . {hidden}! -name . -path {deeper} -prune -print 2>/dev/null | head -c 1"
    return seek + f'deeper() {{ [ -z "$({first})" ] || echo harnest-deep >&2; }}\n'


def _sorted(output: Output) -> Listing:
    whole = len(output.data) < limits.LISTING_BYTES
    entries = sorted(read_records(output.data, whole=whole), key=lambda entry: entry.path)
    return Listing(
        entries=tuple(entries[: limits.WALK_ENTRIES]),
        complete=whole and len(entries) <= limits.WALK_ENTRIES,
        readable=not output.incomplete,
        deep=output.deep,
    )


def _contents(text: str, expected: int) -> list[bytes | None]:
    found: list[bytes | None] = []
    lines: list[str] = []
    for line in text.splitlines():
        if line == "?":
            found.append(None)
        elif line == ".":
            found.append(_decoded("".join(lines)))
        else:
            lines.append(line)
            continue
        lines = []
    if len(found) != expected or lines:
        raise OSError(errno.EIO, "the backend's base64 wrote what is none")
    return found


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        raise OSError(errno.EIO, "the backend's base64 wrote what is none") from None
