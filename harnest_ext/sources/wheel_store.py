"""Wheels that came over the network: downloaded once, verified each time before they are used."""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.errors import SourceError
from harnest_ext.sources import rules
from harnest_ext.sources.pruning import prune

if TYPE_CHECKING:
    import tempfile
    from collections.abc import Iterator

    from harnest_ext.resolution import Candidate
    from harnest_ext.sources.net import WebAddress, WebClient

__all__ = ["WheelStore", "verified"]

_CHUNK = 256 * limits.KIB


class WheelStore:
    """Gives local files for candidates of the network.

    Args:
        client: Asks servers.
        folder: Where wheels are kept, by their hash.
    """

    def __init__(self, client: WebClient, folder: Path) -> None:
        self._client = client
        self._folder = folder / "wheels"
        self._private: tempfile.TemporaryDirectory[str] | None = None
        self._added = False

    def close(self) -> None:
        """Remove the wheels that could not be kept, and old ones that are too many."""
        if self._added:
            prune(self._folder, most=limits.CACHED_WHEELS_BYTES)
            self._added = False
        if self._private is not None:
            self._private.cleanup()
            self._private = None

    def get(self, candidate: Candidate, address: WebAddress, source: WebAddress) -> Path:
        """Return the wheel of a candidate that states its sha256.

        Args:
            candidate: What is wanted; its size and hash are those that the bytes must have.
            address: Where it is.
            source: The root that the user named.

        Raises:
            SourceError: kinds ``hash-mismatch``, ``too-large``, those of the network, and
                ``io-error`` when there is no place to put it.
        """
        kept = self._folder / candidate.sha256 / candidate.filename
        if kept.is_file():
            with contextlib.suppress(SourceError):  # a damaged file is downloaded anew
                found = verified(kept, candidate)
                with contextlib.suppress(OSError):
                    os.utime(found)  # the cache gives up first what was not used for longest
                return found
        with _placed(kept.parent), self._fallback(kept) as target:
            self._download(candidate, address, source, target)
            return target

    def _download(
        self, candidate: Candidate, address: WebAddress, source: WebAddress, target: Path
    ) -> None:
        import tempfile  # noqa: PLC0415 - only a download pays for it

        with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
            part = Path(scratch, "part")
            with self._client.get(
                address, source, most=limits.WHEEL_BYTES, seconds=self._client.timing.wheel
            ) as reply:
                if reply.status != 200:
                    raise _gone(address)
                with part.open("xb") as file:
                    for chunk in reply.body:
                        file.write(chunk)
            verified(part, candidate)
            part.replace(target)
            self._added = True

    @contextlib.contextmanager
    def _fallback(self, kept: Path) -> Iterator[Path]:
        """Yield where to put a wheel: the cache, or a folder of this process if it is closed."""
        import tempfile  # noqa: PLC0415 - likewise

        try:
            kept.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with tempfile.TemporaryFile(dir=kept.parent):
                pass
        except OSError:
            self._private = self._private or tempfile.TemporaryDirectory(prefix="harnest-")
            kept = Path(self._private.name, kept.name)
        yield kept


def verified(path: Path, candidate: Candidate) -> Path:
    """Return ``path`` if it has the size and the sha256 that its source promised.

    Args:
        path: A local file.
        candidate: The promise; a size or hash that it doesn't state is not compared.

    Raises:
        SourceError: kinds ``hash-mismatch``, ``too-large``, ``io-error``.
    """
    digest = hashlib.sha256()
    size = 0
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                size += len(chunk)
                digest.update(chunk)
                if size > limits.WHEEL_BYTES:
                    break
    except OSError as error:
        message = f"The wheel can't be read: {error.strerror}."
        raise SourceError(rules.UNREADABLE.problem(message, path=str(path))) from None
    _compare(candidate, size, digest.hexdigest())
    return path


def _compare(candidate: Candidate, size: int, digest: str) -> None:
    if candidate.size not in {None, size} or size > limits.WHEEL_BYTES:
        raise SourceError(
            rules.SIZE_MISMATCH.problem(
                "The wheel has another size than its source promised.",
                path=candidate.filename,
                expected=f"{candidate.size} bytes",
                got=f"{size} bytes",
            )
        )
    if candidate.sha256 not in {"", digest}:
        raise SourceError(
            rules.HASH_MISMATCH.problem(
                "The wheel is not the one that its source promised.",
                path=candidate.filename,
                expected=f"sha256 {candidate.sha256}",
                got=f"sha256 {digest}",
            )
        )


@contextlib.contextmanager
def _placed(folder: Path) -> Iterator[None]:
    try:
        yield
    except SourceError:
        raise
    except OSError as error:
        message = f"The wheel can't be written: {error.strerror}."
        raise SourceError(rules.UNREADABLE.problem(message, path=str(folder))) from None


def _gone(address: WebAddress) -> SourceError:
    from harnest_ext.sources.net import rules as net_rules  # noqa: PLC0415 - two of one name

    message = "The source lists a file that its server doesn't have."
    return SourceError(net_rules.STATUS.problem(message, path=address.url, got="404"))
