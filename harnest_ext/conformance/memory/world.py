"""What a program in memory finds when it imports: stand-ins for what would reach the host.

Everything else than these and a few pure modules is refused, so a test's program can't touch the
machine by accident. It is a double for tests, no protection against malice.
"""

from __future__ import annotations

import builtins
import importlib
import io
import time
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harnest_ext.conformance.memory.files import MemoryFiles

__all__ = ["Exited", "build_world"]

_PURE: Final = frozenset(
    (
        "abc",
        "base64",
        "bisect",
        "calendar",
        "collections",
        "contextlib",
        "copy",
        "csv",
        "dataclasses",
        "datetime",
        "decimal",
        "enum",
        "fractions",
        "functools",
        "hashlib",
        "heapq",
        "io",
        "itertools",
        "json",
        "keyword",
        "math",
        "operator",
        "random",
        "re",
        "statistics",
        "string",
        "struct",
        "textwrap",
        "typing",
        "unicodedata",
        "uuid",
        "zlib",
    )
)
_FORBIDDEN: Final = frozenset({"breakpoint", "input"})


class Exited(BaseException):
    """The program ended itself by ``os._exit`` or a signal; carries the exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def build_world(
    files: MemoryFiles,
    stdout: io.TextIOWrapper,
    stderr: io.TextIOWrapper,
    sleep: Callable[[float], None],
) -> dict[str, Any]:
    """Return the globals of a program.

    Args:
        files: What ``open`` works on.
        stdout: Its output.
        stderr: Its error output.
        sleep: Waits, and raises when the program is to end.
    """
    modules = {
        "sys": _sys(stdout, stderr),
        "os": _os(),
        "time": _module("time", sleep=sleep, **_CLOCKS),
        "signal": _signal(),
        "socket": _module("socket", create_connection=_no_network, socket=_no_network),
    }

    def imported(name: str, *_rest: Any, **_options: Any) -> ModuleType:
        if name in modules:
            return modules[name]
        top = name.partition(".")[0]
        if top not in _PURE:
            raise ModuleNotFoundError(f"No module named {name!r} in the memory sandbox", name=name)
        importlib.import_module(name)
        return importlib.import_module(top)

    def show(*values: object, file: Any = None, **options: Any) -> None:
        print(*values, file=stdout if file is None else file, **options)

    own = {name: value for name, value in vars(builtins).items() if name not in _FORBIDDEN}
    own |= {"__import__": imported, "open": files.open, "print": show}
    return {"__name__": "__main__", "__builtins__": own, "__annotations__": {}}


_CLOCKS: Final = {"time": time.time, "monotonic": time.monotonic, "perf_counter": time.perf_counter}


def _module(name: str, **attributes: Any) -> ModuleType:
    module = ModuleType(name)
    vars(module).update(attributes)
    return module


def _sys(stdout: io.TextIOWrapper, stderr: io.TextIOWrapper) -> ModuleType:
    return _module(
        "sys",
        argv=["-c"],
        exit=_exit,
        modules={},
        stdin=io.StringIO(),
        stdout=stdout,
        stderr=stderr,
    )


def _os() -> ModuleType:
    environment: Mapping[str, str] = {"HOME": "/memory", "LANG": "C.UTF-8"}
    return _module(
        "os",
        _exit=_hard_exit,
        environ=dict(environment),
        getcwd=lambda: "/memory",
        getpid=lambda: 1,
        kill=_kill,
        makedirs=lambda _name, **_options: None,
    )


def _signal() -> ModuleType:
    names = {"SIGHUP": 1, "SIGINT": 2, "SIGKILL": 9, "SIGTERM": 15, "SIG_DFL": 0, "SIG_IGN": 1}
    return _module("signal", signal=lambda _number, _handler: None, **names)


def _exit(code: object = None) -> NoReturn:
    raise SystemExit(code)


def _hard_exit(code: int) -> NoReturn:
    raise Exited(code & 0xFF)


def _kill(_pid: int, number: int) -> NoReturn:
    raise Exited(128 + number)


def _no_network(*_arguments: object, **_options: object) -> NoReturn:
    raise OSError(101, "Network is unreachable")
