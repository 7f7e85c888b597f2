"""The supervisor's modules and one program's settings in a form that an interpreter takes over."""

from __future__ import annotations

import functools
import marshal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["command", "payload"]

_SHIPPED: Final = ("system", "family", "program", "main")
"""The modules, each after those that it imports."""

# Read by the interpreter from its command line, so it is short. Each module keeps its name and its
# relative imports: what runs there is what is tested here.
_PRELUDE: Final = """\
import marshal, os, sys
data = bytearray()
while len(data) < {size}:
    piece = os.read(0, {size} - len(data))
    if not piece:
        os._exit(1)
    data += piece
sources, settings = marshal.loads(data)
package = sys.modules["harnest_supervisor"] = type(sys)("harnest_supervisor")
package.__path__ = []
for name, source in sources:
    module = type(sys)("harnest_supervisor." + name)
    module.__package__ = "harnest_supervisor"
    sys.modules[module.__name__] = module
    setattr(package, name, module)
    exec(source, module.__dict__)
module.supervise(settings)
"""

_PORTABLE: Final = 2
"""Version of marshal that every interpreter reads: numbers and texts, no code."""


def payload(python: str, settings: Mapping[str, object]) -> bytes:
    """Return what a supervisor reads from its input.

    Args:
        python: Interpreter that will read it; for another than ours the modules go as texts.
        settings: As ``main.supervise`` takes them.
    """
    same = python == sys.executable
    sources = _compiled() if same else _texts()
    content: Any = (sources, dict(settings))
    return marshal.dumps(content, marshal.version if same else _PORTABLE)


def command(python: str, size: int) -> list[str]:
    """Return the command line that reads a payload of ``size`` bytes and acts on it."""
    return [python, "-I", "-X", "utf8", "-c", _PRELUDE.format(size=size)]


@functools.cache
def _texts() -> tuple[tuple[str, str], ...]:
    folder = Path(__file__).parent
    return tuple((name, (folder / f"{name}.py").read_text(encoding="utf-8")) for name in _SHIPPED)


@functools.cache
def _compiled() -> tuple[tuple[str, object], ...]:
    return tuple(
        (name, compile(text, f"<supervisor: {name}>", "exec", dont_inherit=True))
        for name, text in _texts()
    )
