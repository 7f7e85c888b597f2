"""A forked copy of the supervisor becomes the program, as ``python -I -c`` would run it.

The work directory comes last in ``sys.path``, so that a file which an earlier call left there can't
take the place of a module of the standard library.
"""

# No `from __future__ import annotations` here: `exec` would pass it on to the program. And no
# `typing`, whose import costs more than a short program: hence the texts for annotations.
import atexit
import gc
import os
import sys

from .system import DUMPABLE, PDEATHSIG, limit, prctl, prefer_for_oom_kill, signals, use_null_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

_FLUSH_FAILED = 120  # exit code of CPython when the output can't be written out at the end


def become(settings: "dict[str, Any]", supervisor: int, handlers: "dict[int, Any]") -> None:
    """Set this process up as the program's and run it; never returns.

    Args:
        settings: As ``main.supervise`` got them.
        supervisor: Process id of the supervisor; when it ends, so does the program.
        handlers: Signal handlers that an interpreter starts with.
    """
    report = settings["report"]
    try:
        _set_up(settings, supervisor, handlers)
    except BaseException as error:  # noqa: BLE001 - told; nothing may run half set up
        os.write(report, b"refused setup %d\n" % (getattr(error, "errno", 0) or 0))
        os._exit(1)
    os.close(report)
    module = _new_main()
    _exit(_run(settings["code"], module), module)


def _set_up(settings: "dict[str, Any]", supervisor: int, handlers: "dict[int, Any]") -> None:
    os.setsid()
    prctl(DUMPABLE, 1)
    prctl(PDEATHSIG, int(signals.SIGKILL))
    if os.getppid() != supervisor:
        os._exit(1)
    for number, handler in handlers.items():
        signals.signal(number, handler)
    use_null_for(0)
    prefer_for_oom_kill()
    for number, soft, hard in settings["limits"]:
        limit(number, soft, hard)
    for name in [name for name in sys.modules if name.partition(".")[0] == __package__]:
        del sys.modules[name]
    sys.path.append(settings["work"])


def _new_main() -> object:
    module = type(sys)("__main__")
    module.__dict__.update(__builtins__=sys.modules["builtins"], __annotations__={})
    sys.modules["__main__"] = module
    return module


def _run(code: str, module: object) -> int:
    """Run the program; return its exit code. Our own frames are left out of its tracebacks."""
    try:
        # From text: `compile` first makes the classes of `ast`, 2 ms that no program needs.
        exec(code, module.__dict__)  # noqa: S102 - to run it is what this is for
    except SystemExit as request:
        return _exit_code(request.code)
    except BaseException as error:  # noqa: BLE001 - shown as the interpreter shows it
        return _show(error, error.__traceback__ and error.__traceback__.tb_next)
    return 0


def _exit_code(code: object) -> int:
    if code is None or isinstance(code, int):
        return (code or 0) & 0xFF
    sys.stderr.write(f"{code}\n")
    return 1


def _show(error: BaseException, trace: "TracebackType | None") -> int:
    # Set first: what prints it looks at the error itself, not at what it is handed.
    error.__traceback__ = trace
    sys.excepthook(type(error), error, trace)
    return -int(signals.SIGINT) if isinstance(error, KeyboardInterrupt) else 1


def _exit(code: int, module: object) -> None:
    """End the process as the interpreter would, without tearing down what the program never saw.

    The full teardown touches every page shared with the supervisor: 4 ms for a short program.
    """
    if "threading" in sys.modules:
        sys.modules["threading"]._shutdown()  # noqa: SLF001 - what the interpreter calls at its end
    atexit._run_exitfuncs()  # noqa: SLF001 - likewise
    # Open files are written out when the last reference to them goes, as at any exit.
    module.__dict__.clear()
    gc.collect()
    code = code if _flushed() or code else _FLUSH_FAILED
    if code < 0:
        signals.signal(-code, signals.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def _flushed() -> bool:
    done = True
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):
            done = stream is None or getattr(stream, "closed", False)
    return done
