"""``harnest env sync``: one solve of all Python requirements of an agent and its extensions."""

from harnest_ext.environment.report import PackageChange, SyncReport
from harnest_ext.environment.sync import SyncOptions, sync

__all__ = ["PackageChange", "SyncOptions", "SyncReport", "sync"]
