"""Put PID 1's modules into one command line argument.

The text holds no secret: every program in the container can read it in ``/proc/1/cmdline``.
"""

from functools import cache
from pathlib import Path
from typing import Final

from .wire import OLD_PYTHON_STATUS

SHIPPED: Final = ("wire", "link", "kernel", "child", "run", "main")
"""PID 1's modules, each after those that it imports."""
LATE: Final = ("dns", "files", "scratch", "task")
"""Modules that are compiled when they are first asked for: most containers never do."""

# Each module keeps its name and its relative imports, so that what runs inside is what is tested.
_LOADER: Final = """\
import sys
if sys.version_info < (3, 8): sys.exit({status})
module_type = type(sys)
package = module_type("harnest_pid1")
package.__path__ = []
sys.modules["harnest_pid1"] = package
sources = {sources!r}
def load(name):
    if name not in sources: raise AttributeError(name)
    module = module_type("harnest_pid1." + name)
    module.__package__ = "harnest_pid1"
    sys.modules[module.__name__] = module
    setattr(package, name, module)
    exec(compile(sources[name], "<harnest pid 1: " + name + ">", "exec"), module.__dict__)
    return module
package.__getattr__ = load
for name in {shipped!r}: load(name)
package.main.main()
"""


@cache
def source() -> str:
    """Return the whole program as text."""
    folder = Path(__file__).parent
    names = (*SHIPPED, *LATE)
    sources = {name: (folder / f"{name}.py").read_text(encoding="utf-8") for name in names}
    return _LOADER.format(status=OLD_PYTHON_STATUS, sources=sources, shipped=SHIPPED)


def command() -> list[str]:
    """Return the command of a sandbox container: isolated, without byte code, in UTF-8."""
    return ["python3", "-I", "-B", "-X", "utf8", "-c", source()]
