"""Get and open the release that the resolver chose, and hold it to what was chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.errors import InvalidExtension
from harnest_ext.manager import rules
from harnest_ext.manager.incoming import Incoming, source_of
from harnest_ext.package import open_package

if TYPE_CHECKING:
    from contextlib import ExitStack

    from harnest_ext.manager.setting import Setting
    from harnest_ext.resolution import Candidate
    from harnest_ext.store.wishes import Wish

__all__ = ["open_candidate"]


def open_candidate(
    setting: Setting, candidate: Candidate, stack: ExitStack, wish: Wish | None
) -> Incoming:
    """Return the package of ``candidate``, open until ``stack`` ends.

    Raises:
        InvalidExtension: It breaks a rule, or is another release than was chosen.
        IncompatibleExtension: It is not for this host.
        SourceError: Its source failed.
    """
    path = setting.lookup.fetch(candidate)
    package = stack.enter_context(open_package(path, host=setting.host))
    wanted = (candidate.slug, candidate.version)
    if (package.slug, package.version) != wanted:
        raise InvalidExtension(
            rules.SOURCE_DIFFERS.problem(
                f"{candidate.origin} handed out another release.",
                path=candidate.filename,
                expected=" ".join(wanted),
                got=f"{package.slug} {package.version}",
            ),
            unchanged="The project was not changed.",
        )
    source = source_of(candidate, setting.project.root)
    return Incoming(package=package, source=source, wish=wish)
