"""Say where an image comes from: exactly one of a reference and a build context."""

import os
from pathlib import PurePath

from .checks import text


def image_source(image: object, docker_path: object, owner: str) -> tuple[str | None, str | None]:
    """Return (*image*, *docker_path*), one of them None.

    *image* is a reference, best with a digest; *docker_path* a folder with a ``Dockerfile``, not the
    root of the file system. Whether either exists is not looked at here.

    Raises:
        ValueError: neither or both are given, or one is not a usable text.
    """
    if (image is None) == (docker_path is None):
        raise ValueError(f"{owner} needs exactly one of image and docker_path")
    if image is not None:
        reference = text(image, f"image of {owner}")
        if reference != reference.strip() or any(mark.isspace() for mark in reference):
            raise ValueError(f"image of {owner} must not hold white space")
        return reference, None
    folder = os.fspath(docker_path) if isinstance(docker_path, os.PathLike) else docker_path
    path = text(folder, f"docker_path of {owner}")
    if PurePath(path) == PurePath(PurePath(path).anchor or "/"):
        raise ValueError(f"docker_path of {owner} must not be the root of the file system")
    return None, path
