"""A throw-away agent project with the extension under test installed in it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harnest_ext.manager.install import InstallOptions
from harnest_ext.manager.lookup import LateLookup
from harnest_ext.manager.manager import Manager
from harnest_ext.manager.setting import Setting
from harnest_ext.sources.configured import SourceOptions, source_settings
from harnest_ext.sources.finder import Finder
from harnest_ext.store import Project

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from harnest_ext.identity import Slug

__all__ = ["ScratchProject"]

_CONFIG = """\
apiVersion: harnest.dev/v1alpha1
kind: Agent
metadata:
  name: scratch
spec:
  agents:
    - name: assistant
      sandboxes: [{sandboxes}]
"""
_CREDENTIALS = "  credentials: {provider: file}\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScratchProject:
    """What the project is to hold.

    Attributes:
        extension: Folder or wheel of the extension under test.
        sandboxes: Text of ``sandbox/<name>.py`` by name; the agent ``assistant`` is granted all.
        credentials: Token by audience; never shown.
        link: Run the extension's folder in place instead of copying it.
    """

    extension: Path
    sandboxes: Mapping[str, str] = field(default_factory=dict)
    credentials: Mapping[str, str] = field(default_factory=dict, repr=False)
    link: bool = False

    def make(self, folder: Path) -> Path:
        """Make the project in an empty folder and return the folder.

        Args:
            folder: An existing, empty folder.

        Raises:
            HarnestExtensionError: The extension can't be installed.
        """
        config = _CONFIG.format(sandboxes=", ".join(sorted(self.sandboxes)))
        if self.credentials:
            config += _CREDENTIALS
            self._write_credentials(folder / "credentials.toml")
        (folder / "sandbox").mkdir()
        for name, text in self.sandboxes.items():
            (folder / "sandbox" / f"{name}.py").write_text(text, encoding="utf-8")
        (folder / "config.yaml").write_text(config, encoding="utf-8")
        self._install(folder)
        return folder

    def name(self) -> Slug:
        """Return the name of the extension, as its manifest says it.

        Raises:
            HarnestExtensionError: It is not valid.
        """
        from harnest_ext.host import Host  # noqa: PLC0415 - only some need it
        from harnest_ext.package import open_package  # noqa: PLC0415 - likewise

        with open_package(self.extension, host=Host()) as package:
            return package.slug

    def _install(self, folder: Path) -> None:
        project = Project.at(folder)
        options = SourceOptions(offline=True, no_index=True)
        lookup = LateLookup(lambda: Finder(source_settings(folder, options, cwd=folder)))
        manager = Manager(Setting(project=project, lookup=lookup))
        source = str(self.extension.resolve())
        manager.install([source], InstallOptions(link=self.link), cwd=folder)

    def _write_credentials(self, path: Path) -> None:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            for audience, token in self.credentials.items():
                file.write(f"[{audience}]\ntoken = '{token}'\n")
