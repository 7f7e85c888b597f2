"""The options that say how releases are chosen and what may be done with them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import update_wrapper
from typing import TYPE_CHECKING, TypeVar

import click

from harnest_ext.cli.extensions.consent import consent_of
from harnest_ext.manager.install import InstallOptions
from harnest_ext.manager.plan import Permission

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnest_ext.cli.output import Output

__all__ = ["Resolving", "resolving_options"]

_F = TypeVar("_F", bound="Callable[..., object]")

_OPTIONS = (
    click.option("--dry-run", is_flag=True, help="Say what would be done and write nothing."),
    click.option("--no-deps", is_flag=True, help="Refuse when something required is missing."),
    click.option("--pre", "prereleases", is_flag=True, help="Consider pre-releases."),
    click.option(
        "--cooldown",
        type=click.IntRange(min=0),
        default=0,
        metavar="DAYS",
        help="Pass over releases of an index that are younger.",
    ),
    click.option(
        "--accept-capabilities", "accepted", is_flag=True, help="Accept further capabilities."
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolving:
    """What a command line says of choosing releases.

    The fields are those of :class:`~harnest_ext.manager.install.InstallOptions`, and whether
    further capabilities are accepted.
    """

    dry_run: bool
    no_deps: bool
    prereleases: bool
    cooldown: int
    accepted: bool

    def options(
        self, output: Output, *, force: bool, upgrade: bool = False, link: bool = False
    ) -> InstallOptions:
        """Return how to install.

        Args:
            output: The command's, on which consent may be asked for.
            force: Whether any copy may be replaced.
            upgrade: Whether what is installed may be replaced by other content.
            link: Whether folders are run in place.
        """
        return InstallOptions(
            permission=Permission(
                upgrade=upgrade,
                force=force,
                consent=consent_of(output, accepted=self.accepted),
            ),
            link=link,
            no_deps=self.no_deps,
            prereleases=self.prereleases,
            cooldown=self.cooldown,
            dry_run=self.dry_run,
        )


def resolving_options(function: _F) -> _F:
    """Give a command these options, as ``resolving: Resolving``."""

    def wrapper(*args: object, **kwargs: object) -> object:
        given = {name: kwargs.pop(name) for name in Resolving.__dataclass_fields__}
        return function(*args, resolving=Resolving(**given), **kwargs)  # type: ignore[arg-type]

    update_wrapper(wrapper, function)
    for option in reversed(_OPTIONS):
        option(wrapper)
    return wrapper  # type: ignore[return-value]
