"""The order of the steps of every command: read, choose, check, copy, record."""

from harnest_ext.manager.manager import Manager
from harnest_ext.manager.setting import Setting

__all__ = ["Manager", "Setting"]
