"""Which object of a loaded ``extension.py`` is the extension."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from harnest.extensions import Extension
from harnest.extensions._finder import PREFIX
from harnest_ext.runtime import rules

if TYPE_CHECKING:
    from types import ModuleType

    from harnest_ext.problem import Problem

__all__ = ["find_extension"]


def find_extension(module: ModuleType) -> Extension[Any] | Problem:
    """Return the one extension of a module, or what is wrong with its exports."""
    names = vars(module)
    extension = names.get("extension")
    if not isinstance(extension, Extension):
        return _problem(module, "'extension' is not an instance of a subclass of Extension")
    own = type(extension)
    if own is Extension or own.__module__ != module.__name__:
        return _problem(module, "the class of 'extension' is not defined in extension.py")
    if own.__name__.startswith("_") or names.get(own.__name__) is not own:
        return _problem(module, "the class of 'extension' is not exported under its own name")
    for name, value in names.items():
        if not name.startswith("_") and _is_another(value, extension, module.__name__):
            return _problem(module, f"'{name}' is another public Extension")
    return extension


def _is_another(value: object, extension: Extension[Any], module: str) -> bool:
    # By type alone: to ask a proxy for its class, as isinstance does, runs what it stands for.
    if issubclass(type(value), Extension):
        return value is not extension and not _of_other(type(value), module)
    if not issubclass(type(value), type):
        return False
    cls = cast("type", value)
    if Extension not in cls.__mro__ or cls in (Extension, type(extension)):
        return False
    return not _of_other(cls, module)


def _of_other(cls: type, module: str) -> bool:
    # What it imported from an extension that it requires is that extension's export, not its own.
    home = cls.__module__
    return home.startswith(PREFIX) and home != module and not home.startswith(f"{module}.")


def _problem(module: ModuleType, reason: str) -> Problem:
    name = module.__name__.removeprefix(PREFIX)
    return rules.EXPORTS.problem(
        f"The extension {name!r} is not usable: {reason}.",
        path=module.__file__ or name,
        expected="one instance of one public subclass of Extension, both defined in extension.py",
    )
