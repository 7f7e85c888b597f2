"""Tell apart what the user asked to install, and open what was handed over."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from harnest_ext.errors import UsageError
from harnest_ext.manager import rules
from harnest_ext.manager.incoming import Incoming, relative, told_of
from harnest_ext.manager.lookup import LateNames
from harnest_ext.package import open_package
from harnest_ext.sources import FolderSource, NamedSource, WheelSource, classify
from harnest_ext.store.lock import LockedSource, SourceKind
from harnest_ext.store.wishes import Wish

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import ExitStack
    from pathlib import Path

    from harnest_ext.identity import Slug
    from harnest_ext.manager.setting import Setting
    from harnest_ext.manifest import ExtensionRequirement
    from harnest_ext.sources import Source

__all__ = ["Asked", "gather", "open_source", "tell_apart"]

_UNCHANGED = "The project was not changed."


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is to be installed.

    Attributes:
        given: Packages that were handed over as folders or wheels, open.
        wanted: Names to look up, with their ranges.
    """

    given: tuple[Incoming, ...] = ()
    wanted: tuple[ExtensionRequirement, ...] = ()

    @property
    def names(self) -> frozenset[Slug]:
        """All names that were asked for."""
        return frozenset(
            (*(item.package.slug for item in self.given), *(item.slug for item in self.wanted))
        )


def tell_apart(setting: Setting, arguments: Sequence[str], cwd: Path) -> tuple[Source, ...]:
    """Return what each argument means; nothing is opened yet.

    Raises:
        HarnestExtensionError: An argument is none of the sources; see ``sources.classify``.
    """
    known = LateNames(setting.lookup)
    return tuple(classify(argument, cwd, known=known) for argument in arguments)


def gather(
    setting: Setting, sources: Sequence[Source], stack: ExitStack, *, link: bool = False
) -> Asked:
    """Open the folders and wheels among ``sources`` until ``stack`` ends.

    Args:
        setting: The project and the host.
        sources: What :func:`tell_apart` found.
        stack: Closes them.
        link: Whether folders are to be run in place.

    Raises:
        InvalidExtension: A package breaks a rule.
        IncompatibleExtension: A package is not for this host.
        UsageError: An extension was named twice, or ``link`` was asked for something else.
    """
    given: list[Incoming] = []
    wanted: list[ExtensionRequirement] = []
    for source in sources:
        if isinstance(source, NamedSource):
            if link:
                raise _not_linkable(source.typed)
            wanted.append(source.requirement)
        else:
            given.append(open_source(setting, source, stack, link=link))
    _refuse_duplicates(given, wanted)
    return Asked(given=tuple(given), wanted=tuple(wanted))


def open_source(
    setting: Setting, source: FolderSource | WheelSource, stack: ExitStack, *, link: bool
) -> Incoming:
    """Open one folder or wheel until ``stack`` ends.

    Raises:
        InvalidExtension: It breaks a rule.
        IncompatibleExtension: It is not for this host.
        UsageError: It is a wheel and was to be linked.
    """
    path = relative(source.path, setting.project.root)
    if isinstance(source, WheelSource):
        if link:
            raise _not_linkable(path)
        kind = SourceKind.WHEEL
    else:
        kind = SourceKind.LINKED if link else SourceKind.FOLDER
    what = "wheel" if kind is SourceKind.WHEEL else "folder"
    with told_of(f"{what} {path}"):
        package = stack.enter_context(open_package(source.path, host=setting.host))
    return Incoming(
        package=replace(package, location=source.path),
        source=LockedSource(kind=kind, location=path),
        wish=Wish(path=path, link=link),
    )


def _refuse_duplicates(given: list[Incoming], wanted: list[ExtensionRequirement]) -> None:
    names = [item.package.slug for item in given]
    names += {item.slug for item in wanted}
    for name in names:
        if names.count(name) > 1:
            raise UsageError(
                rules.DUPLICATE.problem(f"'{name}' was asked for from two sources.", path=name),
                unchanged=_UNCHANGED,
            )


def _not_linkable(typed: str) -> UsageError:
    return UsageError(
        rules.LINK.problem("Only a folder can be linked.", path=typed), unchanged=_UNCHANGED
    )
