"""The extension that a new project's sandbox needs, from the registry that ships with Harnest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.cli.extensions.lookup import LookupOptions
from harnest_ext.cli.extensions.opening import open_manager
from harnest_ext.manager.install import InstallOptions

if TYPE_CHECKING:
    from harnest_ext.cli.output import Output
    from harnest_ext.manager.report import ChangeReport
    from harnest_ext.scaffold import AgentScaffold

__all__ = ["provide"]


def provide(made: AgentScaffold, output: Output) -> ChangeReport:
    """Install the provider of a new project's sandbox; asks nothing over the network.

    Args:
        made: The new project.
        output: Is told when something takes long.

    Raises:
        HarnestExtensionError: It can't be installed; the project is as it was made.
    """
    lookup = LookupOptions(offline=True, no_index=True)
    manager = open_manager(made.folder, output, lookup=lookup.lookup)
    return manager.install([made.sandbox], InstallOptions(), cwd=made.folder)
