"""A byte-reproducible wheel made from a folder, without running anything of it.

Members are stored, since deflate differs between builds of zlib; their order, modes and times are
fixed, so that the same files give the same wheel on every machine.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from harnest_ext.errors import InvalidExtension, StoreError, UsageError
from harnest_ext.package import opening
from harnest_ext.package.coremetadata import metadata_file
from harnest_ext.package.declared import ENTRY_GROUP, entry_value
from harnest_ext.package.disk import open_folder, read_file
from harnest_ext.package.layout import is_document
from harnest_ext.package.project import PROJECT_FILE
from harnest_ext.package.record import encoded
from harnest_ext.package.rules import build as rules
from harnest_ext.package.rules import project as project_rules
from harnest_ext.package.toml import load_toml
from harnest_ext.package.wheelname import PURE_TAG

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harnest_ext.host import Host
    from harnest_ext.package.model import ExtensionPackage

__all__ = ["build_wheel"]

_WHEEL = f"Wheel-Version: 1.0\nGenerator: harnest\nRoot-Is-Purelib: true\nTag: {PURE_TAG}\n"
_EPOCH = 315532800
"""1 January 1980, the earliest time that a ZIP archive can state."""
_LATEST = 4354819198
"""The last second of 2107, the latest one."""


def build_wheel(path: Path, out_dir: Path, *, host: Host) -> Path:
    """Build the wheel of the extension in a folder and check it by the rules of wheels.

    ``SOURCE_DATE_EPOCH`` (seconds since 1970) sets the members' times; 1 January 1980 otherwise.

    Args:
        path: Folder of the extension; it must have a ``pyproject.toml``.
        out_dir: Where the wheel goes; made if it is not there. A file of its name is replaced.
        host: The Harnest and Python that the package must work with.

    Returns:
        The wheel.

    Raises:
        InvalidExtension: The folder is no valid package, or has no ``pyproject.toml``.
        IncompatibleExtension: The package excludes the host.
        ExtensionNotFound: There is nothing at ``path``.
        StoreError: The wheel can't be written.
        UsageError: ``SOURCE_DATE_EPOCH`` is no number of seconds, or ``path`` is no folder.
    """
    moment = _moment(os.environ.get("SOURCE_DATE_EPOCH", ""))
    if path.is_file():
        raise UsageError(
            rules.NOT_A_FOLDER.problem("A wheel is built of a folder.", path=str(path))
        )
    with opening.open_package(path, host=host) as package:
        name = f"{package.slug.package}-{package.version}"
        members = _members(path, package, name)
        try:
            out_dir.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=out_dir, prefix=".build-") as scratch:
                wheel = Path(scratch, f"{name}-{PURE_TAG}.whl")
                _write(wheel, members, f"{name}.dist-info/RECORD", moment)
                with opening.open_package(wheel, host=host):
                    return wheel.replace(out_dir / wheel.name)
        except OSError as error:
            if isinstance(error, StoreError):
                raise
            raise StoreError(
                rules.UNWRITABLE.problem(
                    "The wheel can't be written.",
                    path=str(out_dir),
                    got=error.strerror or type(error).__name__,
                )
            ) from error


def _moment(text: str) -> tuple[int, int, int, int, int, int]:
    if text and not (text.isascii() and text.isdigit() and len(text) <= 12):
        raise UsageError(
            rules.MOMENT.problem(
                "SOURCE_DATE_EPOCH is no number of seconds.",
                path="SOURCE_DATE_EPOCH",
                expected="seconds since 1970, such as 1767225600",
                got=text,
            )
        )
    seconds = min(max(int(text or _EPOCH), _EPOCH), _LATEST)
    moment = time.gmtime(seconds)
    return (*moment[:5], moment.tm_sec // 2 * 2)


def _members(path: Path, package: ExtensionPackage, name: str) -> dict[str, tuple[bytes, int]]:
    """Return content and mode of every member but RECORD, in their order."""
    if not any(file.path == PROJECT_FILE for file in package.files):
        raise InvalidExtension(
            project_rules.MISSING.problem(f"There is no {PROJECT_FILE}.", path=PROJECT_FILE)
        )
    members: dict[str, tuple[bytes, int]] = {}
    for file in package.files:
        mode = 0o755 if file.executable else 0o644
        members[f"{package.slug.package}/{file.path}"] = (b"".join(package.read(file.path)), mode)
    for file_name, content in sorted(_dist_info(path, package)):
        members[f"{name}.dist-info/{file_name}"] = (content, 0o644)
    return members


def _dist_info(path: Path, package: ExtensionPackage) -> Iterator[tuple[str, bytes]]:
    slug = package.slug
    project = load_toml(b"".join(package.read(PROJECT_FILE)), PROJECT_FILE)[0]["project"]
    licences = [
        file.path
        for file in package.files
        if "/" not in file.path and file.path.startswith("LICENSE") and is_document(file.path)
    ]
    for licence in licences:
        yield f"licenses/{licence}", b"".join(package.read(licence))
    readme = _readme(path, package, project)
    yield "METADATA", metadata_file(package.manifest, project, readme=readme, licences=licences)
    yield "WHEEL", _WHEEL.encode()
    yield "entry_points.txt", f"[{ENTRY_GROUP}]\n{slug} = {entry_value(slug)}\n".encode()
    yield "top_level.txt", f"{slug.package}\n".encode()


def _readme(path: Path, package: ExtensionPackage, project: Mapping[str, object]) -> bytes:
    readme = project.get("readme")
    name = readme.get("file") if isinstance(readme, dict) else readme
    if not isinstance(name, str):
        return str(readme.get("text", "")).encode() if isinstance(readme, dict) else b""
    if any(file.path == name for file in package.files):
        return b"".join(package.read(name))
    with open_folder(path) as root:  # one that is not copied, such as README.rst
        return b"".join(read_file(root, name, None))


def _write(
    wheel: Path,
    members: Mapping[str, tuple[bytes, int]],
    record: str,
    moment: tuple[int, int, int, int, int, int],
) -> None:
    rows: list[str] = []
    with zipfile.ZipFile(wheel, "x", zipfile.ZIP_STORED, allowZip64=False) as archive:
        for name, (content, mode) in members.items():
            digest = encoded(hashlib.sha256(content).digest())
            rows.append(f"{_cell(name)},sha256={digest},{len(content)}\n")
            _add(archive, name, content, mode, moment)
        rows.append(f"{record},,\n")
        _add(archive, record, "".join(rows).encode(), 0o644, moment)


def _add(
    archive: zipfile.ZipFile,
    name: str,
    content: bytes,
    mode: int,
    moment: tuple[int, int, int, int, int, int],
) -> None:
    info = zipfile.ZipInfo(name, moment)
    info.create_system = 3  # Unix, so that the modes mean the same everywhere
    info.external_attr = (0o100000 | mode) << 16
    archive.writestr(info, content, zipfile.ZIP_STORED)


def _cell(text: str) -> str:
    quoted = '"' + text.replace('"', '""') + '"'
    return quoted if any(ch in text for ch in ',"') else text
