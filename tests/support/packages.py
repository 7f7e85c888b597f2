"""Real extension packages, wheels and agent projects, made on the spot for a test."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

__all__ = ["PackageSpec", "make_agent", "make_folder", "make_wheel"]

_EPOCH = (1980, 1, 1, 0, 0, 0)

EXTENSION = '''"""An extension made for a test."""

from harnest.extensions import Extension


class {title}(Extension):
    """Does nothing but exist."""


extension = {title}()
{name} = extension
'''


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageSpec:
    """What a package is to say and hold; the defaults make a valid one.

    Attributes:
        name: Slug.
        version: Version in the manifest and the metadata.
        requires: Entries of ``requires.extensions``.
        dependencies: Requirements of the distribution, PEP 508.
        capabilities: Entries of ``capabilities``.
        requires_python: Range of Pythons; empty: none is named.
        harnest: Range of hosts, such as ``>=1,<2``; empty: none is named.
        files: Further files, or others in place of the usual ones, by path inside the package.
        without: Usual files that are left out.
    """

    name: str = "weather"
    version: str = "1.0.0"
    requires: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    requires_python: str = ">=3.11"
    harnest: str = ">=1,<2"
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    without: tuple[str, ...] = ()

    @property
    def project(self) -> str:
        """Name of its distribution."""
        return f"harnest-extension-{self.name.replace('_', '-')}"

    @property
    def package(self) -> str:
        """Name of its import package in a wheel."""
        return f"harnest_extension_{self.name}"

    @property
    def all_dependencies(self) -> tuple[str, ...]:
        """The distribution's requirements, the host's range first."""
        return (*([f"harnest{self.harnest}"] if self.harnest else []), *self.dependencies)

    def contents(self) -> dict[str, bytes]:
        """Return every file of the package folder by path."""
        usual: dict[str, str | bytes] = {
            "extension.yaml": self._manifest(),
            "extension.py": EXTENSION.format(name=self.name, title=self.name.title()),
            "pyproject.toml": self._pyproject(),
            "README.md": f"# {self.name}\n",
        }
        chosen = {path: text for path, text in usual.items() if path not in self.without}
        chosen |= self.files
        return {p: t.encode() if isinstance(t, str) else t for p, t in sorted(chosen.items())}

    def _manifest(self) -> str:
        lines = [
            "apiVersion: harnest.dev/v1alpha1",
            "kind: Extension",
            f"metadata: {{name: {self.name}, version: {self.version}}}",
            "runtime: {entrypoint: 'extension:extension'}",
        ]
        if self.requires:
            lines.append(f"requires: {{extensions: {_flow(self.requires)}}}")
        if self.capabilities:
            lines.append(f"capabilities: {_flow(self.capabilities)}")
        return "\n".join(lines) + "\n"

    def _pyproject(self) -> str:
        python = f'requires-python = "{self.requires_python}"\n' if self.requires_python else ""
        return (
            f'[project]\nname = "{self.project}"\nversion = "{self.version}"\n{python}'
            f"dependencies = {_flow(self.all_dependencies)}\n\n"
            f'[project.entry-points."harnest.extensions"]\n'
            f'{self.name} = "{self.package}.extension:extension"\n'
        )

    def metadata(self) -> dict[str, bytes]:
        """Return the files of the wheel's ``.dist-info`` but RECORD, by name."""
        lines = ["Metadata-Version: 2.1", f"Name: {self.project}", f"Version: {self.version}"]
        lines += [f"Requires-Python: {self.requires_python}"] if self.requires_python else []
        lines += [f"Requires-Dist: {requirement}" for requirement in self.all_dependencies]
        wheel = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        entry = f"[harnest.extensions]\n{self.name} = {self.package}.extension:extension\n"
        return {
            "METADATA": ("\n".join(lines) + "\n").encode(),
            "WHEEL": wheel.encode(),
            "entry_points.txt": entry.encode(),
        }


def make_folder(parent: Path, spec: PackageSpec | None = None) -> Path:
    """Write the package as a folder named like it below ``parent`` and return the folder."""
    spec = spec or PackageSpec()
    folder = parent / spec.name
    for path, data in spec.contents().items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return folder


def make_wheel(
    parent: Path, spec: PackageSpec | None = None, *, extra: Mapping[str, bytes] | None = None
) -> Path:
    """Write the package as a ``py3-none-any`` wheel in ``parent`` and return the file.

    Args:
        parent: Folder of the wheel; made if it isn't there.
        spec: What it says and holds.
        extra: Further members by path in the wheel, listed in RECORD like the others.
    """
    spec = spec or PackageSpec()
    stem = f"{spec.package}-{spec.version}"
    members = {f"{spec.package}/{path}": data for path, data in spec.contents().items()}
    members |= {f"{stem}.dist-info/{name}": data for name, data in spec.metadata().items()}
    members |= extra or {}
    record = f"{stem}.dist-info/RECORD"
    rows = [f"{path},sha256={_hash(data)},{len(data)}\n" for path, data in members.items()]
    members[record] = "".join((*rows, f"{record},,\n")).encode()
    parent.mkdir(parents=True, exist_ok=True)
    target = parent / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for path, data in members.items():
            info = zipfile.ZipInfo(path, _EPOCH)
            info.external_attr = 0o100644 << 16
            archive.writestr(info, data)
    return target


def make_agent(
    parent: Path, name: str = "demo", *, sandboxes: Mapping[str, str] | None = None
) -> Path:
    """Write an agent project below ``parent`` and return its folder.

    Args:
        parent: Where the folder is made.
        name: Name of the project and its folder.
        sandboxes: Sandbox name to the source of ``sandbox/<name>.py``; all are granted.
    """
    folder = parent / name
    folder.mkdir(parents=True)
    granted = _flow(sorted(sandboxes or {}))
    (folder / "config.yaml").write_text(
        "apiVersion: harnest.dev/v1alpha1\nkind: Agent\n"
        f"metadata: {{name: {name}}}\n"
        f"spec:\n  agents:\n    - name: assistant\n      sandboxes: {granted}\n"
    )
    for sandbox, source in (sandboxes or {}).items():
        (folder / "sandbox").mkdir(exist_ok=True)
        (folder / "sandbox" / f"{sandbox}.py").write_text(source)
    return folder


def _flow(items: Iterable[str]) -> str:
    return "[" + ", ".join(f'"{item}"' for item in items) + "]"


def _hash(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
