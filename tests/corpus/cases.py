"""Packages that are valid, or hostile in one way each, generated from a valid one.

Every module, ``setup.py``, ``conftest.py`` and ``.pth`` of them appends to the file named by
``HARNEST_TRIPWIRE`` when it is executed, so that a test can prove that none ever is.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import socket
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.support.zips import RawMember, RawZip

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

__all__ = ["Case", "Demo", "folder_case", "make_socket", "manifest", "row", "wheel_case"]

TRIP = """\
import os

if os.environ.get("HARNEST_TRIPWIRE"):
    with open(os.environ["HARNEST_TRIPWIRE"], "a") as file:
        file.write(__file__)
"""
MANIFEST = """\
apiVersion: harnest.dev/v1alpha1
kind: Extension
metadata:
  name: {name}
  version: {version}
runtime:
  entrypoint: extension:extension
capabilities:
  - context.credentials
"""
PROJECT = """\
[project]
name = "harnest-extension-demo"
version = "1.0.0"
requires-python = ">=3.11"
dependencies = ["harnest>=1,<2", "httpx>=0.27"]

[project.entry-points."harnest.extensions"]
demo = "harnest_extension_demo.extension:extension"
"""
METADATA = """\
Metadata-Version: 2.4
Name: harnest-extension-demo
Version: 1.0.0
Summary: A sample
Requires-Python: >=3.11
Requires-Dist: harnest<2,>=1

A sample.
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
ENTRY = "[harnest.extensions]\ndemo = harnest_extension_demo.extension:extension\n"

Content = str | bytes | None
"""Content of a file; None leaves it out."""


def manifest(name: str = "demo", version: str = "1.0.0", **more: str) -> str:
    """Return a manifest; ``more`` appends top-level keys, or replaces them by their whole text."""
    text = MANIFEST.format(name=name, version=version)
    for key, value in sorted(more.items()):  # capabilities, the only one that is there, first
        head, found, _ = text.partition(f"\n{key}:")
        text = (head + "\n" if found else text) + f"{key}:{value}\n"
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """The valid package that every case is a variation of.

    Attributes:
        files: Changes of the package's files by path.
        info: Changes of the ``.dist-info`` files by name; RECORD is made last.
        outside: Further members of the wheel by path.
        members: Further raw members of the wheel.
        record: Changes the rows of RECORD.
        name: File name of the wheel.
        package: Name of the wheel's package folder.
        dist_info: Name of its metadata folder.
        method: ZIP method of all members.
    """

    files: Mapping[str, Content] = field(default_factory=dict)
    info: Mapping[str, Content] = field(default_factory=dict)
    outside: Mapping[str, Content] = field(default_factory=dict)
    members: tuple[RawMember, ...] = ()
    record: Callable[[list[str]], list[str]] = list
    name: str = "harnest_extension_demo-1.0.0-py3-none-any.whl"
    package: str = "harnest_extension_demo"
    dist_info: str = "harnest_extension_demo-1.0.0.dist-info"
    method: int = 0

    def content(self) -> dict[str, bytes]:
        """The package's files by path."""
        usual: dict[str, Content] = {
            "extension.yaml": manifest(),
            "extension.py": TRIP + "extension = object()\n",
            "README.md": "# demo\n",
            "lib/__init__.py": TRIP,
            "lib/client.py": TRIP + "from . import helper\nfrom .helper import VALUE\n",
            "lib/helper.py": TRIP + "VALUE = 1\n",
        }
        return _encoded(usual | dict(self.files))

    def write_folder(self, folder: Path) -> Path:
        """Write the package as a folder with a ``pyproject.toml`` and return it."""
        files = {"pyproject.toml": PROJECT.encode()} | self.content()
        for path, data in files.items():
            if path in self.files and self.files[path] is None:
                continue
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        return folder

    def write_wheel(self, folder: Path) -> Path:
        """Write the package as a wheel below ``folder`` and return the file."""
        files = {f"{self.package}/{path}": data for path, data in self.content().items()}
        info: dict[str, Content] = {
            "METADATA": METADATA,
            "WHEEL": WHEEL,
            "entry_points.txt": ENTRY,
        }
        changed = _encoded(info | {k: v for k, v in self.info.items() if k != "RECORD"})
        files |= {f"{self.dist_info}/{name}": data for name, data in changed.items()}
        files |= _encoded(dict(self.outside))
        if self.info.get("RECORD", "") is not None:
            files[f"{self.dist_info}/RECORD"] = self._record(files)
        raw = [RawMember(name=name, data=data, method=self.method) for name, data in files.items()]
        return RawZip(members=(*raw, *self.members)).write(folder / self.name)

    def _record(self, files: Mapping[str, bytes]) -> bytes:
        given = self.info.get("RECORD")
        if isinstance(given, bytes):
            return given
        own = f"{self.dist_info}/RECORD"
        listed = dict(files) | {m.name: m.data for m in self.members if isinstance(m.name, str)}
        rows = [row(path, data) for path, data in listed.items() if not path.endswith("/")]
        return "".join(f"{line}\n" for line in self.record([*rows, f"{own},,"])).encode()


def row(path: str, data: bytes) -> str:
    """Return a row of RECORD."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{path},sha256={digest},{len(data)}"


def _encoded(files: Mapping[str, Content]) -> dict[str, bytes]:
    return {
        path: data.encode() if isinstance(data, str) else data
        for path, data in files.items()
        if data is not None
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One package and what must become of it.

    Attributes:
        id: What it is about.
        make: Writes it below an empty folder and returns its path.
        rule: Rule of the first problem; empty if it is accepted.
        warns: Rule of a warning that it must have.
    """

    id: str
    make: Callable[[Path], Path]
    rule: str = ""
    warns: str = ""


def wheel_case(about: str, rule: str, demo: Demo) -> Case:
    """Return a case of a wheel."""
    return Case(id=f"wheel {about}", make=demo.write_wheel, rule=rule)


def folder_case(
    about: str, rule: str, demo: Demo, change: Callable[[Path], object] | None = None
) -> Case:
    """Return a case of a folder; ``change`` works on it after it has been written."""

    def make(parent: Path) -> Path:
        folder = demo.write_folder(parent / "demo")
        if change:
            change(folder)
        return folder

    return Case(id=f"folder {about}", make=make, rule=rule)


def make_socket(folder: Path) -> None:
    """Leave a socket in the folder's ``lib/``."""
    # By a relative name: the path of a socket has at most some hundred bytes.
    with contextlib.chdir(folder / "lib"), socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
