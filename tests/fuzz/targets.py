"""What a fuzzer feeds with bytes: readers of foreign data, which answer or refuse by name.

A target returns whatever the bytes mean to it, or None when they are refused by an error of ours.
Anything else that it raises is a defect.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from harnest_ext.errors import HarnestExtensionError
from harnest_ext.host import Host
from harnest_ext.manifest import ExtensionRequirement, read_manifest
from harnest_ext.package.archive import read_directory
from harnest_ext.package.inflate import member_content
from harnest_ext.package.opening import check_package
from harnest_ext.package.toml import load_toml
from harnest_ext.package.wheelname import parse_wheel_name
from harnest_ext.store import read_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["SEEDS", "TARGETS", "feed"]

HOST = Host(harnest_version="1.0.0", python_version="3.11.7")


def feed(name: str, data: bytes) -> object:
    """Give bytes to a target and return its answer; None if it refuses them."""
    try:
        return TARGETS[name](data)
    except HarnestExtensionError as error:
        if not all(problem.rule and problem.kind for problem in error.problems):
            raise AssertionError("a refusal without a rule or kind") from error
        return None


def archive(data: bytes) -> object:
    """Read every member of an archive."""
    return [sum(map(len, member_content(data, member))) for member in read_directory(data)]


def wheel(data: bytes) -> object:
    """Check a wheel."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "harnest_extension_demo-1.0.0-py3-none-any.whl")
        path.write_bytes(data)
        return check_package(path, host=HOST)


def lock(data: bytes) -> object:
    """Read a lock file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "harnest-extensions.lock")
        path.write_bytes(data)
        return read_lock(path)


TARGETS: Mapping[str, Callable[[bytes], object]] = {
    "archive": archive,
    "lock": lock,
    "manifest": lambda data: read_manifest(data, "extension.yaml"),
    "requirement": lambda data: ExtensionRequirement.parse(data.decode("utf-8", "replace")),
    "toml": lambda data: load_toml(data, "pyproject.toml"),
    "wheel": wheel,
    "wheelname": lambda data: parse_wheel_name(data.decode("utf-8", "replace")),
}
SEEDS: Mapping[str, bytes] = {
    "archive": b"PK\5\6" + bytes(18),
    "lock": b"version = 1\n",
    "manifest": b"apiVersion: harnest.dev/v1alpha1\nkind: Extension\n"
    b"metadata: {name: demo, version: 1.0.0}\nruntime: {entrypoint: 'extension:extension'}\n",
    "requirement": b"rag>=0.1,<1",
    "toml": b'[project]\nname = "x"\n',
    "wheel": b"PK\5\6" + bytes(18),
    "wheelname": b"harnest_extension_demo-1.0.0-py3-none-any.whl",
}
