"""Extensions that are broken in one way each, and which checks of the suite must fail."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from harnest_ext.scaffold import create_extension

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["BROKEN", "Fault", "broken_extension"]

_SOURCE = '''\
"""An extension with a fault."""

from __future__ import annotations

{head}

from harnest import context
from harnest.extensions import Extension


class Faulty(Extension):
    """Does what it should not."""

{body}

extension = Faulty()
subject = extension
'''
_NOTHING = "    pass"


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One fault.

    Attributes:
        fails: Names of exactly the checks that it must fail.
        head: Statements at the top of ``extension.py``.
        body: Members of the extension's class, indented.
    """

    fails: frozenset[str]
    head: str = ""
    body: str = _NOTHING


def _fault(*fails: str, head: str = "", body: str = _NOTHING) -> Fault:
    return Fault(fails=frozenset(fails), head=head, body=body)


_LIFE = ("living.stop", "living.stop-again")
_CONTEXTS = (
    "living.context",
    "living.context-per-invocation",
    "living.context-outside",
    "living.context-revoked",
)
_ALL_LIFE = ("living.start", "living.start-again", *_LIFE, *_CONTEXTS)
_ALL = (
    "importing.works",
    "importing.no-threads",
    "importing.no-environment",
    "importing.no-logging-set-up",
    *_ALL_LIFE,
)

BROKEN: Final[dict[str, Fault]] = {
    "nothing": _fault(),
    "writes a file at import": _fault(
        "importing.no-effects",
        head="import tempfile\nwith tempfile.TemporaryFile('w') as file:\n    file.write('x')",
    ),
    "starts a process at import": _fault(
        "importing.no-effects",
        head="import subprocess\nsubprocess.run(['true'], check=False)",
    ),
    "starts a thread at import": _fault(
        "importing.no-threads",
        head="import threading, time\n"
        "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
    ),
    "changes the environment at import": _fault(
        "importing.no-environment",
        "importing.no-effects",
        head="import os\nos.environ['HARNEST_FAULT'] = '1'",
    ),
    "sets up logging at import": _fault(
        "importing.no-logging-set-up",
        head="import logging\nlogging.getLogger().addHandler(logging.NullHandler())",
    ),
    "can't be imported": _fault(*_ALL, head="raise RuntimeError('no')"),
    "has two instances": _fault(*_ALL, body="    pass\n\n\nother = Faulty()"),
    "hides where it lies": _fault("importing.works", head="__file__ = ''"),
    "can't be started": _fault(
        *_ALL_LIFE,
        body="    async def start(self, context):\n        raise RuntimeError('no')",
    ),
    "can't be stopped": _fault(
        *_LIFE, body="    async def stop(self):\n        raise RuntimeError('no')"
    ),
    "can't be stopped twice": _fault(
        "living.stop-again",
        body="    async def start(self, context):\n        self.open = True\n\n"
        "    async def stop(self):\n        del self.open",
    ),
    "leaves a thread": _fault(
        "living.nothing-left",
        head="import threading",
        body="    async def start(self, context):\n"
        "        threading.Thread(target=threading.main_thread().join).start()",
    ),
    "has no context": _fault(
        *_CONTEXTS,
        *_LIFE,
        body="    def create_context(self, base):\n        raise RuntimeError('no')",
    ),
    "has a context for each question": _fault(
        "living.context",
        head="import copy",
        body="    @property\n    def context(self):\n        return copy.copy(super().context)",
    ),
    "gives every invocation the same context": _fault(
        "living.context-per-invocation",
        body="    known = None\n\n"
        "    @property\n"
        "    def context(self):\n"
        "        given = super().context\n"
        "        self.known = self.known or given\n"
        "        return self.known",
    ),
    "has a context outside of invocations": _fault(
        "living.context-outside",
        body="    @property\n"
        "    def context(self):\n"
        "        try:\n"
        "            return super().context\n"
        "        except Exception:\n"
        "            return None",
    ),
    "has contexts that never end": _fault(
        "living.context-revoked",
        head="from harnest.extensions import ExtensionContext\n\n\n"
        "class Endless(ExtensionContext):\n"
        "    active = True\n",
        body="    def create_context(self, base):\n        return Endless(base.extension_name)",
    ),
    "logs its credential": _fault(
        "living.secret-in-logs",
        head="import logging",
        body="    def create_context(self, base):\n"
        "        import os\n"
        "        logging.getLogger('x').info(os.environ['HARNEST_CONFORMANCE'])\n"
        "        return base",
    ),
    "prints its credential": _fault(
        "living.secret-in-output",
        body="    def create_context(self, base):\n"
        "        import os\n"
        "        print(os.environ['HARNEST_CONFORMANCE'])\n"
        "        return base",
    ),
}
"""Every fault by its name."""


def broken_extension(folder: Path, fault: Fault) -> Path:
    """Make an extension with a fault and return its folder."""
    made = create_extension("subject", folder)
    source = _SOURCE.format(head=fault.head, body=fault.body)
    (made.folder / "extension.py").write_text(source)
    return made.folder
