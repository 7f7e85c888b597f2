"""What agent code and extensions see of the running invocation.

::

    from harnest import context

    who = context.current()
    result = await context.sandboxes["python"].aexecute("print(6 * 7)")
    token = await context.credentials.resolve("tracker", ["issues:read"])

Outside an invocation everything here raises :class:`ContextUnavailableError`; what is missing or
was not granted raises :class:`ContextResourceError`, which says what to add where. Handles that
outlive their invocation are dead, in copied contexts and other threads too.
"""

from __future__ import annotations

from harnest._identity import InvocationIdentity
from harnest.context._errors import (
    ContextResourceError,
    ContextTypeError,
    ContextUnavailableError,
)
from harnest.context._facade import Credentials, Sandboxes, current, extensions, storage
from harnest.context._values import (
    SandboxHandle,
    Storage,
    StorageConflictError,
    StorageError,
    StoredValue,
)

__all__ = [
    "ContextResourceError",
    "ContextTypeError",
    "ContextUnavailableError",
    "InvocationIdentity",
    "SandboxHandle",
    "Storage",
    "StorageConflictError",
    "StorageError",
    "StoredValue",
    "credentials",
    "current",
    "extensions",
    "sandboxes",
    "storage",
]

sandboxes = Sandboxes()
credentials = Credentials()
