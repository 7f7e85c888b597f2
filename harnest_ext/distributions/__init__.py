"""Installed distributions as facts, for the manager and the runtime: read, never imported."""

from __future__ import annotations

from harnest_ext.distributions.reading import (
    GROUP,
    EnvironmentView,
    InstalledDistribution,
    installed_extensions,
)

__all__ = ["GROUP", "EnvironmentView", "InstalledDistribution", "installed_extensions"]
