"""What the extension namespace and an extension's context refuse with."""

from __future__ import annotations

__all__ = [
    "ExtensionContextUnavailableError",
    "ExtensionImportError",
    "ExtensionNamespaceError",
]


class ExtensionContextUnavailableError(RuntimeError):
    """No invocation is running here, or the context's invocation has ended."""


class ExtensionNamespaceError(RuntimeError):
    """The namespace ``harnest.extensions`` is used against its rules."""


class ExtensionImportError(ImportError, RuntimeError):
    """``harnest.extensions.<name>`` can't be imported; the text says why and what to do.

    Attributes:
        name: Full name of the module that was asked for.
    """
