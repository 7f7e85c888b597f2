"""The one set of extensions that is active in this process: loaded whole or not at all, counted.

Publishing the folders is instant and done under the lock; importing is not, and happens outside of
it under Python's own module locks. So a thread that imports one of the extensions never waits for
a thread that waits for it.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from harnest.extensions import _finder
from harnest_ext.errors import LoadError
from harnest_ext.runtime import rules
from harnest_ext.runtime.loading import ExtensionFailed, load_extension
from harnest_ext.runtime.planning import Plan, without

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnest_ext.identity import Slug
    from harnest_ext.problem import Problem
    from harnest_ext.runtime.candidate import Candidate
    from harnest_ext.runtime.loading import LoadedExtension

__all__ = ["ActiveSet", "activate", "active_set", "claim"]

_CHANGED = threading.Condition()
_OTHERS_STAY: Final = "The extensions that are active stay so."


class ActiveSet:
    """A loaded set. Whoever got one from :func:`claim` calls :meth:`release` once."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._loaded: dict[Slug, LoadedExtension] = {}
        self._count = 1
        self._settled = False
        self._failure: LoadError | None = None
        self._loader = threading.get_ident()
        self._owner: object | None = None

    @property
    def loaded(self) -> Mapping[Slug, LoadedExtension]:
        """The loaded extensions, by name, in loading order."""
        return self._loaded

    def candidate(self, name: str) -> Candidate | None:
        """Return the facts of an extension of this set, or None."""
        return next((each for each in self.plan.extensions if each.slug == name), None)

    def own(self, owner: object) -> None:
        """Claim the singletons for one running runtime.

        Raises:
            LoadError: rule ``runtime.owned``: another one has them.
        """
        with _CHANGED:
            if self._owner not in (None, owner):
                raise LoadError(
                    rules.OWNED.problem("These extensions run in another AgentRuntime already.")
                )
            self._owner = owner

    def disown(self, owner: object) -> None:
        """Give the claim back."""
        with _CHANGED:
            if self._owner is owner:
                self._owner = None

    def release(self) -> None:
        """Count one user less; the last one's release removes every module of the set."""
        global _ACTIVE  # noqa: PLW0603 - one set per process, as modules are
        with _CHANGED:
            self._count -= 1
            if self._count == 0 and _ACTIVE is self:
                self._withdraw()
                _ACTIVE = None
                _CHANGED.notify_all()

    def join(self) -> None:
        """Count one user more; for :func:`claim`, under its lock."""
        if self._loader == threading.get_ident() and not self._settled:
            raise LoadError(
                rules.ACTIVE_SET.problem("An extension can't open its own set while it is loaded.")
            )
        self._count += 1

    def wait(self, plan: Plan) -> Plan:
        """Wait until another thread has loaded the set; return ``plan``, or the next one to try.

        Args:
            plan: What the waiting one asked for.

        Raises:
            LoadError: What failed must not be left out of ``plan``.
        """
        with _CHANGED:
            _CHANGED.wait_for(lambda: self._settled)
        if isinstance(self._failure, ExtensionFailed):
            return without(plan, self._failure.slug, self._failure.problems[0])
        if self._failure is not None:
            raise LoadError(self._failure.problems, unchanged="No extension is loaded.")
        missing = plan.intolerable(self.plan.skipped)
        if missing:
            self.release()
            raise LoadError(missing, unchanged=_OTHERS_STAY)
        return plan

    def load(self) -> None:
        """Import every extension in order, but for those that fail and may be left out.

        What was loaded before such a failure stays: other threads may have imported it already.

        Raises:
            LoadError: What failed must not be left out; everything is taken back.
        """
        failed: ExtensionFailed | None = None
        try:
            for candidate in self.plan.extensions:
                if candidate.slug not in self.plan.skipped:
                    failed = self._load(candidate)
                    if failed is not None:
                        self._leave_out(failed)
        except BaseException as error:
            self._abandon(failed if isinstance(error, LoadError) else None)
            raise
        with _CHANGED:
            self._settled = True
            _CHANGED.notify_all()

    def _load(self, candidate: Candidate) -> ExtensionFailed | None:
        # Returned and not raised, so that no error of the set has another one as its context.
        try:
            self._loaded[candidate.slug] = load_extension(candidate)
        except ExtensionFailed as error:
            return error
        return None

    def _leave_out(self, failed: ExtensionFailed) -> None:
        left = without(self.plan, failed.slug, failed.problems[0])
        gone = [each.slug for each in self.plan.extensions if each.slug in left.skipped]
        with _CHANGED:
            self.plan = left
            _finder.withdraw(gone)

    def _abandon(self, failure: LoadError | None) -> None:
        global _ACTIVE  # noqa: PLW0603 - see release
        interrupted = rules.IMPORT_FAILED.problem("Loading the extensions was interrupted.")
        with _CHANGED:
            self._failure = failure or LoadError(interrupted)
            self._settled = True
            self._withdraw()
            if _ACTIVE is self:
                _ACTIVE = None
            _CHANGED.notify_all()

    def _withdraw(self) -> None:
        self._loaded.clear()
        _finder.withdraw(candidate.slug for candidate in reversed(self.plan.extensions))


_ACTIVE: ActiveSet | None = None


def active_set() -> ActiveSet | None:
    """Return the set that is active or being loaded, or None."""
    return _ACTIVE


def claim(plan: Plan) -> tuple[ActiveSet, bool]:
    """Publish a set, or join the active one if it is the same; imports nothing.

    Args:
        plan: What shall be active.

    Returns:
        The set, and whether the caller has to :meth:`ActiveSet.load` it; else it may wait for
        whoever does, unless it holds an import lock.

    Raises:
        LoadError: Another set is active, or one that goes on without what this one must have.
    """
    global _ACTIVE  # noqa: PLW0603 - see ActiveSet.release
    with _CHANGED:
        current = _ACTIVE
        if current is None:
            fresh = ActiveSet(plan)
            _finder.publish({each.slug: each.folder for each in plan.extensions})
            _ACTIVE = fresh
            return fresh, True
        if current.plan.identity != plan.identity:
            raise LoadError(_other(current.plan, plan))
        missing = plan.intolerable(current.plan.skipped)
        if missing:
            raise LoadError(missing, unchanged=_OTHERS_STAY)
        current.join()
        return current, False


def activate(plan: Plan) -> ActiveSet:
    """Load a set, or join the active one if it is the same, and return it when it is loaded.

    Args:
        plan: What to load; what it tolerates to fail is left out, and all that requires it.

    Raises:
        LoadError: An extension failed, and nothing is loaded; or another set is active.
    """
    while True:
        found, fresh = claim(plan)
        if fresh:
            found.load()
            return found
        following = found.wait(plan)
        if following is plan:
            return found
        plan = following


def _other(active: Plan, wanted: Plan) -> Problem:
    return rules.ACTIVE_SET.problem(
        "Another set of extensions is active in this process.",
        expected=", ".join(f"{c.slug} {c.version}" for c in active.extensions) or "no extension",
        got=", ".join(f"{c.slug} {c.version}" for c in wanted.extensions) or "no extension",
    )
