"""From a text ``module:attribute`` to a provider profile."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from harnest.sandbox import Sandbox, SandboxBackend
from harnest.sandbox.optional import (
    SandboxDiagnosingProvider,
    SandboxInventoryProvider,
    SandboxPruningProvider,
    SandboxStreamingProvider,
)
from harnest_ext.conformance import rules
from harnest_ext.conformance.checks import origin
from harnest_ext.conformance.features import Feature, ProviderProfile
from harnest_ext.errors import ExtensionNotFound, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnest_ext.conformance.features import Wanted
    from harnest_ext.problem import Problem
    from harnest_ext.rule import Rule

__all__ = ["load_profile", "profile_of"]


def load_profile(target: str) -> ProviderProfile:
    """Import what ``module:attribute`` names and return it as a profile.

    Args:
        target: Names a :class:`ProviderProfile`, a function without arguments that returns one or
            a provider, or a declared :class:`Sandbox`.

    Raises:
        ExtensionNotFound: The module or the attribute is not there.
        UsageError: The text or what it names is none of these.
    """
    module, _, attribute = target.partition(":")
    if not module or not attribute:
        raise UsageError(_problem(rules.TARGET, "It is not of the form module:attribute.", target))
    try:
        found = getattr(importlib.import_module(module), attribute)
    except Exception as error:
        raise ExtensionNotFound(
            _problem(rules.NOT_FOUND, f"It can't be imported ({origin(error)}).", target)
        ) from error
    return profile_of(found, target)


def profile_of(found: object, name: str) -> ProviderProfile:
    """Return a profile of what was found.

    Of a bare provider only those features are known that its methods show; every other check is
    reported as unsupported, "not declared".

    Args:
        found: A profile, a function that returns one or a provider, or a declaration.
        name: Name for a profile that has none of its own.

    Raises:
        UsageError: It is none of these, or failed when it was called.
    """
    try:
        profile = _profile(found, name)
    except Exception as error:
        # The author's own code: what it raises is no defect of ours, and its text may tell secrets.
        raise UsageError(_problem(rules.TARGET, f"It failed ({origin(error)}).", name)) from error
    if profile is None:
        raise UsageError(_problem(rules.TARGET, f"It names a {type(found).__name__}.", name))
    return profile


def _profile(found: object, name: str) -> ProviderProfile | None:
    if isinstance(found, ProviderProfile):
        return found
    if isinstance(found, Sandbox):
        return _detected(found.build, name)
    if callable(found):
        made = found()
        if isinstance(made, ProviderProfile):
            return made
        if isinstance(made, SandboxBackend):
            _close(made)
            return _detected(found, name)
    return None


def _detected(make: Callable[[], Any], name: str) -> ProviderProfile:
    provider = make()
    shown = {
        Feature.STREAMING: isinstance(provider, SandboxStreamingProvider),
        Feature.DIAGNOSIS: isinstance(provider, SandboxDiagnosingProvider),
        Feature.INVENTORY: isinstance(provider, SandboxInventoryProvider)
        and isinstance(provider, SandboxPruningProvider),
    }
    _close(provider)

    def made(_wanted: Wanted) -> Any:
        return make()

    supports = frozenset(feature for feature, offered in shown.items() if offered)
    return ProviderProfile(name=name, make=made, supports=supports)


def _close(provider: object) -> None:
    close = getattr(provider, "close", None)
    if callable(close):
        close()


def _problem(rule: Rule, reason: str, target: str) -> Problem:
    return rule.problem(
        f"The provider to be tested was not found. {reason}",
        path=target,
        expected="a ProviderProfile, a function that returns one or a provider, or a Sandbox",
    )
