"""What an extension's author imports, and the namespace in which installed extensions appear.

``harnest.extensions.<name>`` is the extension of that name: the agent project's copy, else the
one that a distribution of the environment brings. Importing one activates the whole set of the
project that ``HARNEST_PROJECT`` names or that lies above the current folder.
"""

from __future__ import annotations

from harnest.extensions._base import Extension
from harnest.extensions._context import ExtensionContext
from harnest.extensions._errors import (
    ExtensionContextUnavailableError,
    ExtensionImportError,
    ExtensionNamespaceError,
)
from harnest.extensions._finder import install as _install
from harnest.extensions._mutation import extension_mutation
from harnest.extensions._start import ExtensionStartContext

__all__ = [
    "Extension",
    "ExtensionContext",
    "ExtensionContextUnavailableError",
    "ExtensionImportError",
    "ExtensionNamespaceError",
    "ExtensionStartContext",
    "extension_mutation",
]

_install()
