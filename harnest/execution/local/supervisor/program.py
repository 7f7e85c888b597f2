"""A forked copy of the supervisor becomes the program: Python as ``python -I -c`` would run it.

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


def become(
    settings: "dict[str, Any]", supervisor: int, handlers: "dict[int, Any]", memory: "Any"
) -> None:
    """Set this process up as the program's and run it; never returns.

    Args:
        settings: As ``main.supervise`` got them.
        supervisor: Process id of the supervisor; when it ends, so does the program.
        handlers: Signal handlers that an interpreter starts with.
        memory: A shared byte to set when Python runs out of addresses; None not to.
    """
    report = settings["report"]
    try:
        _set_up(settings, supervisor, handlers)
    except BaseException as error:  # noqa: BLE001 - told; nothing may run half set up
        os.write(report, b"refused setup %d\n" % (getattr(error, "errno", 0) or 0))
        os._exit(1)
    if settings["code"] is None:
        _replace(settings)
    os.close(report)
    module = _new_main()
    _exit(_run(settings["code"], module, memory), module)


def _replace(settings: "dict[str, Any]") -> None:
    """Execute a command line in place of this process; a failure is reported."""
    for number in (signals.SIGPIPE, signals.SIGXFSZ):  # Python ignores them, other programs don't
        signals.signal(number, signals.SIG_DFL)
    os.set_inheritable(settings["report"], False)  # noqa: FBT003 - its only form
    argv = settings["argv"]
    try:
        os.execve(argv[0], argv, settings["environment"])  # noqa: S606 - to run it is what this is for
    except (OSError, ValueError) as error:
        os.write(settings["report"], b"refused executable %d\n" % (getattr(error, "errno", 0) or 0))
        os._exit(1)


def _set_up(settings: "dict[str, Any]", supervisor: int, handlers: "dict[int, Any]") -> None:
    os.setsid()
    prctl(DUMPABLE, 1)
    prctl(PDEATHSIG, int(signals.SIGKILL))
    if os.getppid() != supervisor:
        os._exit(1)
    for number, handler in handlers.items():
        # None stands for one that is not Python's, such as that of `faulthandler`.
        signals.signal(number, signals.SIG_DFL if handler is None else handler)
    if settings["stdin"] is None:
        use_null_for(0)
    else:
        os.dup2(settings["stdin"], 0)
        os.close(settings["stdin"])
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


def _run(code: str, module: object, memory: "Any") -> int:
    """Run the program; return its exit code. Our own frames are left out of its tracebacks."""
    try:
        # From text: `compile` first makes the classes of `ast`, 2 ms that no program needs.
        exec(code, module.__dict__)  # noqa: S102 - to run it is what this is for
    except SystemExit as request:
        return _exit_code(request.code)
    except BaseException as error:  # noqa: BLE001 - shown as the interpreter shows it
        trace = error.__traceback__ and error.__traceback__.tb_next
        if memory is not None and isinstance(error, MemoryError) and not _raised_by_hand(trace):
            memory[0] = 1
        return _show(error, trace)
    return 0


def _raised_by_hand(trace: "TracebackType | None") -> bool:
    """Whether an error comes from a ``raise`` of the program's own, not from the interpreter."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    try:
        import opcode  # noqa: PLC0415 - only needed here

        return (
            trace is not None
            and opcode.opname[trace.tb_frame.f_code.co_code[trace.tb_lasti]] == "RAISE_VARARGS"
        )
    except MemoryError:  # there is really no room left
        return False


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
