"""Share a scratch budget among a container's tmpfs mounts."""

from collections.abc import Iterable
from pathlib import PurePosixPath

from ..limits import INODE_BYTES, SHM_SHARE

TMP = "/tmp"  # noqa: S108 - the path inside a container, where nobody else is
SHM = "/dev/shm"  # noqa: S108 - the same


def normal(path: str) -> str:
    """Return a volume's path without trailing slashes: with one, Docker would make a volume of it still."""
    return "/" + "/".join(PurePosixPath(path).parts[1:])


def tmpfs(
    scratch_bytes: int, *, uid: int, gid: int, volumes: Iterable[str] = (), executable: bool = False
) -> dict[str, str]:
    """Return the tmpfs mounts by path, each bounded in bytes and inodes; their sizes add up to the scratch.

    ``/dev/shm`` is an eighth. The rest is ``/tmp``'s; where there are *volumes* they share three
    quarters of it and ``/tmp`` has one.
    """
    shm = scratch_bytes // SHM_SHARE
    rest = scratch_bytes - shm
    paths = [
        path
        for path in dict.fromkeys(normal(volume) for volume in volumes)
        if path not in (TMP, SHM, "/")
    ]
    shares = {SHM: shm, TMP: rest // 4 if paths else rest}
    shares.update((path, rest * 3 // 4 // len(paths)) for path in paths)
    return {
        path: _options(size, uid, gid, executable=executable and path == TMP)
        for path, size in shares.items()
    }


def _options(size: int, uid: int, gid: int, *, executable: bool) -> str:
    size = max(size, INODE_BYTES)
    flags = "rw,nosuid,nodev" if executable else "rw,nosuid,nodev,noexec"
    return f"{flags},size={size},nr_inodes={max(size // INODE_BYTES, 16)},uid={uid},gid={gid}"
