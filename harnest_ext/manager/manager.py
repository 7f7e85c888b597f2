"""The manager's front: one method for each command, whose module is loaded when it is used."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from harnest_ext.errors import HarnestExtensionError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from harnest_ext.manager.details import ExtensionDetails, Listing
    from harnest_ext.manager.findings import Finding, Outdated, VerifiedExtension
    from harnest_ext.manager.install import InstallOptions
    from harnest_ext.manager.locking import LockOptions
    from harnest_ext.manager.report import ChangeReport
    from harnest_ext.manager.setting import Setting
    from harnest_ext.manager.sync import SyncOptions
    from harnest_ext.manager.tree import Node
    from harnest_ext.problem import Problem

__all__ = ["Manager"]

_UNCHANGED = "The project was not changed."


@contextmanager
def _whole_or_not() -> Iterator[None]:
    """Let every refusal of a writing command say that nothing was written.

    One that is interrupted says itself what is left to do.
    """
    try:
        yield
    except HarnestExtensionError as error:
        if not error.unchanged and error.kind != "interrupted":
            error.unchanged = _UNCHANGED
        raise


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

        with _whole_or_not():
            return install(self._setting, sources, options, cwd)

    def uninstall(
        self, names: Sequence[str], *, force: bool = False, dry_run: bool = False
    ) -> ChangeReport:
        """Remove extensions; see :func:`harnest_ext.manager.uninstall.uninstall`."""
        from harnest_ext.manager.uninstall import uninstall  # noqa: PLC0415 - likewise

        with _whole_or_not():
            return uninstall(self._setting, names, force=force, dry_run=dry_run)

    def list_all(self) -> Listing:
        """Return what is installed; see :func:`harnest_ext.manager.inspect.listing`."""
        from harnest_ext.manager.inspect import listing  # noqa: PLC0415 - likewise

        return listing(self._setting.project, self._setting.host)

    def show(self, name: str) -> tuple[ExtensionDetails, tuple[Problem, ...]]:
        """Return all about one extension; see :func:`harnest_ext.manager.inspect.show`."""
        from harnest_ext.manager.inspect import show  # noqa: PLC0415 - likewise

        return show(self._setting.project, self._setting.host, name)

    def tree(self) -> tuple[Node, ...]:
        """Return which extension requires which; see :func:`harnest_ext.manager.tree.trees`."""
        from harnest_ext.manager.tree import trees  # noqa: PLC0415 - likewise

        return trees(self.list_all())

    def outdated(self, *, prereleases: bool = False) -> tuple[Outdated, ...]:
        """Return what could be newer; see :func:`harnest_ext.manager.outdated.outdated`."""
        from harnest_ext.manager.outdated import outdated  # noqa: PLC0415 - likewise

        return outdated(self._setting, prereleases=prereleases)

    def upgrade(self, names: Sequence[str], options: InstallOptions) -> ChangeReport:
        """Install newer versions; see :func:`harnest_ext.manager.upgrade.upgrade`."""
        from harnest_ext.manager.upgrade import upgrade  # noqa: PLC0415 - likewise

        with _whole_or_not():
            return upgrade(self._setting, names, options)

    def set_pins(self, names: Sequence[str], *, pinned: bool) -> ChangeReport:
        """Pin extensions or let them go; see :func:`harnest_ext.manager.pinning.set_pins`."""
        from harnest_ext.manager.pinning import set_pins  # noqa: PLC0415 - likewise

        with _whole_or_not():
            return set_pins(self._setting, names, pinned=pinned)

    def rollback(self, name: str, *, force: bool = False) -> ChangeReport:
        """Bring back the previous version; see :func:`harnest_ext.manager.rollback.rollback`."""
        from harnest_ext.manager.rollback import rollback  # noqa: PLC0415 - likewise

        with _whole_or_not():
            return rollback(self._setting, name, force=force)

    def sync(self, options: SyncOptions) -> ChangeReport:
        """Make the copies equal the lock; see :func:`harnest_ext.manager.sync.sync`."""
        from harnest_ext.manager.sync import sync  # noqa: PLC0415 - likewise

        with _whole_or_not():
            return sync(self._setting, options)

    def lock(self, options: LockOptions) -> ChangeReport:
        """Resolve the wishes again; see :func:`harnest_ext.manager.locking.lock`."""
        from harnest_ext.manager.locking import lock  # noqa: PLC0415 - likewise

        with _whole_or_not():
            return lock(self._setting, options)

    def verify(self) -> tuple[tuple[VerifiedExtension, ...], tuple[Problem, ...]]:
        """Hash every copy; see :func:`harnest_ext.manager.verify.verify`."""
        from harnest_ext.manager.verify import verify  # noqa: PLC0415 - likewise

        return verify(self._setting.project)

    def doctor(self, *, fix: bool = False) -> tuple[Finding, ...]:
        """Find what is wrong, and mend it; see :func:`harnest_ext.manager.doctor.doctor`."""
        from harnest_ext.manager.doctor import doctor  # noqa: PLC0415 - likewise

        return doctor(self._setting, fix=fix)
