"""Get and open the release that the resolver chose, and hold it to what was chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.errors import InvalidExtension
from harnest_ext.manager import rules
from harnest_ext.manager.incoming import Incoming, facts_of, source_of, told_of
from harnest_ext.package import open_package
from harnest_ext.resolution import OriginKind

if TYPE_CHECKING:
    from contextlib import ExitStack

    from harnest_ext.manager.setting import Setting
    from harnest_ext.resolution import Candidate, Facts
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
    with told_of(f"wheel {candidate.filename} of {candidate.origin}"):
        package = stack.enter_context(open_package(path, host=setting.host))
    # The hash is compared once more: of the bytes that are open, not of those that were fetched.
    sha256 = package.archive.sha256 if package.archive else ""
    wanted = (candidate.slug, candidate.version, candidate.sha256 or sha256)
    found = (package.slug, package.version, sha256)
    if found != wanted:
        raise InvalidExtension(
            rules.SOURCE_DIFFERS.problem(
                f"{candidate.origin} handed out another release.",
                path=candidate.filename,
                expected=" ".join(wanted),
                got=" ".join(found),
            ),
            unchanged="The project was not changed.",
        )
    if candidate.origin.kind is OriginKind.REGISTRY:
        _hold_to_entry(candidate, setting.lookup.facts(candidate), facts_of(package))
    source = source_of(candidate, setting.project.root)
    return Incoming(package=package, source=source, wish=wish)


def _hold_to_entry(candidate: Candidate, stated: Facts, found: Facts) -> None:
    """Refuse a wheel that demands something else than its registry says: that was resolved."""
    if _demands(stated) == _demands(found):
        return
    raise InvalidExtension(
        rules.ENTRY_DIFFERS.problem(
            f"The wheel of {candidate} demands something else than {candidate.origin} says.",
            path=candidate.filename,
            expected=", ".join(_demands(stated)) or "nothing",
            got=", ".join(_demands(found)) or "nothing",
        ),
        unchanged="The project was not changed.",
    )


def _demands(facts: Facts) -> list[str]:
    requires = sorted(map(str, facts.requires))
    host = [f"harnest{facts.host_range}"] if facts.host_range else []
    return requires + host + ([f"python{facts.requires_python}"] if facts.requires_python else [])
