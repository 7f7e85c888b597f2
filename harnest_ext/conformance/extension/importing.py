"""Importing an extension defines things and does nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.conformance.checks import Group, expect, refuse

if TYPE_CHECKING:
    from harnest_ext.conformance.extension_bench import ExtensionBench

__all__ = ["GROUP"]

GROUP: Group[ExtensionBench] = Group("importing")


def _changes(bench: ExtensionBench) -> list[str]:
    found = bench.fact("import_changes")
    return [str(item) for item in found]


@GROUP.check("works")
def works(bench: ExtensionBench) -> None:
    """It can be imported as harnest.extensions.<name>."""
    refuse("the module has no file", if_true=not bench.fact("module_file"))


@GROUP.check("no-effects")
def no_effects(bench: ExtensionBench) -> None:
    """Importing writes no file, opens no connection, starts no process."""
    expect("what importing does", list(bench.facts["effects"]), [])


@GROUP.check("no-threads")
def no_threads(bench: ExtensionBench) -> None:
    """Importing starts no thread."""
    refuse("a thread was started", if_true="threads" in _changes(bench))


@GROUP.check("no-environment")
def no_environment(bench: ExtensionBench) -> None:
    """Importing leaves environment, current folder, search path and signal handlers alone."""
    alone = {"environment", "folder", "path", "handlers"}
    expect("what importing changed", sorted(alone & set(_changes(bench))), [])


@GROUP.check("no-logging-set-up")
def no_logging_set_up(bench: ExtensionBench) -> None:
    """Importing does not set up the application's logging."""
    changed = {"log handlers", "log level"} & set(_changes(bench))
    expect("what importing changed", sorted(changed), [])
