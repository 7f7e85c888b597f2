"""Turn a forked copy of PID 1 into the submitted program, as ``python3 -c`` would run it.

Two things differ from ``python3 -c``: the interpreter is isolated, and the working directory comes
*last* in ``sys.path``, so that a file left there by an earlier call cannot shadow the standard library.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # the part without enum, which costs milliseconds
import atexit
import builtins
import os
import sys
from _frozen_importlib import BuiltinImporter

from . import kernel

TYPE_CHECKING = False  # importing typing would cost each start milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

_OOM_SCORE = "1000"


def become(code: bytes, stdout: int, stderr: int) -> NoReturn:
    """Run *code* (UTF-8) with output to the two descriptors; never returns."""
    status = 1
    try:
        detach(os.open("/dev/null", os.O_RDONLY), stdout, stderr)
        status = run(code)
    finally:
        os._exit(status)


def detach(stdin: int, stdout: int, stderr: int) -> None:
    """Leave PID 1 behind, in a session of its own with these three descriptors alone."""
    _signal.set_wakeup_fd(-1)
    _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
    _signal.signal(_signal.SIGINT, _signal.default_int_handler)
    os.setsid()
    os.dup2(stdin, 0)
    os.dup2(stdout, 1)
    os.dup2(stderr, 2)
    os.closerange(3, 1 << 16)
    # From here on the program owns itself: debuggers and multiprocessing read its own /proc entries.
    kernel.set_dumpable(True)
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write(_OOM_SCORE)
    except OSError:
        # Some runtimes keep the file read-only; then the kernel may choose PID 1, which is reported too.
        pass


def _namespace() -> dict[str, Any]:
    main = type(sys)("__main__")
    # The module itself, as in a main program; other modules see its dict under this name.
    main.__dict__["__builtins__"] = builtins
    main.__dict__["__loader__"] = BuiltinImporter
    for name in [name for name in sys.modules if name.partition(".")[0] == __package__]:
        del sys.modules[name]
    sys.modules["__main__"] = main
    sys.argv = ["-c"]
    if hasattr(sys, "orig_argv"):
        sys.orig_argv = [sys.executable, "-I", "-c"]
    sys.path.append(os.getcwd())
    return main.__dict__


def run(code: bytes) -> int:
    """Run *code* to its end as the main program of this process; return its exit status."""
    namespace = _namespace()
    status = _guarded(lambda: exec(compile(code.decode(), "<string>", "exec", 0, True), namespace))
    # What the interpreter itself does at its end, without taking its modules apart one by one.
    threads = sys.modules.get("threading")
    if threads is not None:
        _guarded(threads._shutdown)
    _guarded(atexit._run_exitfuncs)
    return _flush() or status


def _guarded(call: Callable[[], object]) -> int:
    try:
        call()
    except SystemExit as error:
        return _exit_status(error.code)
    except BaseException as error:
        _report(error)
        return _interrupt(error) or 1
    return 0


def _exit_status(code: object) -> int:
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    print(code, file=sys.stderr)
    return 1


def _report(error: BaseException) -> None:
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_globals.get("__name__", "") == __name__:
        trace = trace.tb_next
    error.__traceback__ = trace
    try:
        sys.excepthook(type(error), error, trace)
    except BaseException:
        sys.__excepthook__(type(error), error, trace)


def _interrupt(error: BaseException) -> int:
    if isinstance(error, KeyboardInterrupt):
        _flush()
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
        os.kill(os.getpid(), _signal.SIGINT)
    return 0


def _flush() -> int:
    status = 0
    for file in (sys.stdout, sys.stderr):
        try:
            if file is not None:
                file.flush()
        except BaseException:
            # The program closed or replaced it: the interpreter ends with 120 then.
            status = 120
    return status
