"""The manager's front: one method for each command, whose module is loaded when it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from harnest_ext.manager.install import InstallOptions
    from harnest_ext.manager.results import ChangeReport, ExtensionDetails, Listing
    from harnest_ext.manager.setting import Setting
    from harnest_ext.problem import Problem

__all__ = ["Manager"]


class Manager:
    """Installs, removes and shows the extensions of one agent project.

    Every method may raise :class:`~harnest_ext.errors.HarnestExtensionError`; after that the
    project is as it was before, unless the error's kind is ``interrupted``.

    Args:
        setting: The project, the host and the ports.
    """

    def __init__(self, setting: Setting) -> None:
        self._setting = setting

    def install(
        self, sources: Sequence[str], options: InstallOptions, *, cwd: Path
    ) -> ChangeReport:
        """Install what ``sources`` name; see :func:`harnest_ext.manager.install.install`."""
        from harnest_ext.manager.install import install  # noqa: PLC0415 - one command, one import

        return install(self._setting, sources, options, cwd)

    def uninstall(
        self, names: Sequence[str], *, force: bool = False, dry_run: bool = False
    ) -> ChangeReport:
        """Remove extensions; see :func:`harnest_ext.manager.uninstall.uninstall`."""
        from harnest_ext.manager.uninstall import uninstall  # noqa: PLC0415 - likewise

        return uninstall(self._setting, names, force=force, dry_run=dry_run)

    def list(self) -> Listing:
        """Return what is installed; see :func:`harnest_ext.manager.inspect.listing`."""
        from harnest_ext.manager.inspect import listing  # noqa: PLC0415 - likewise

        return listing(self._setting.project, self._setting.host)

    def show(self, name: str) -> tuple[ExtensionDetails, tuple[Problem, ...]]:
        """Return all about one extension; see :func:`harnest_ext.manager.inspect.show`."""
        from harnest_ext.manager.inspect import show  # noqa: PLC0415 - likewise

        return show(self._setting.project, self._setting.host, name)
