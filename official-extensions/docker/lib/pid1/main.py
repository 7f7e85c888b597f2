"""Serve the host: say what holds here, then run one program after the other until the host is gone."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # the part without enum, which costs milliseconds
import gc
import os
import select
import sys
import time

from . import kernel, run, wire
from .link import Link

TYPE_CHECKING = False  # importing typing would cost each start milliseconds
if TYPE_CHECKING:
    from typing import NoReturn

    from .dns import Resolver

WELCOME_SECONDS = 10
"""Without the host's first word PID 1 ends after this time: nobody is attached."""
IDLE_SECONDS = 0.02
"""When the host says nothing for so long there is time to prepare."""
PREPARED = ("signal", "threading", "socket", "re", "json")
"""What programs import most often, with all that it imports."""


def main() -> NoReturn:
    """Serve until the host is gone; never returns."""
    kernel.protect()
    link = Link()
    Server(link, _welcome(link)).serve()


def _welcome(link: Link) -> dict[str, str]:
    poller = select.poll()
    poller.register(link.source, select.POLLIN)
    if not poller.poll(WELCOME_SECONDS * 1000):
        os._exit(0)
    kind, payload = link.frame(wire.WELCOME_BYTES)
    if kind != wire.WELCOME:
        os._exit(1)
    return wire.parse_facts(payload)


class Server:
    """The loop between runs."""

    def __init__(self, link: Link, welcome: dict[str, str]) -> None:
        self._link = link
        self._lease = float(welcome["lease"])
        self._evidence = kernel.Evidence()
        self._wakeup, writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        _signal.signal(_signal.SIGCHLD, lambda *_: None)
        _signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        self._resolver = _resolver() if welcome["resolver"] == "1" else None
        self._prepared = False
        self._settled = 0
        self._unwritten = 0

    def serve(self) -> NoReturn:
        """Answer the host's frames; end when it is gone or silent for a lease."""
        _freeze()
        facts = kernel.facts()
        facts["python"] = "{}.{}.{}".format(*sys.version_info[:3])
        facts["resolver"] = int(self._resolver is not None)
        self._link.send(wire.HELLO, wire.pack_facts(facts))
        while True:
            self._link.drain(self._lease)
            self._wait()
            self._answer()

    def _wait(self) -> None:
        if self._link.ahead:
            return
        poller = select.poll()
        poller.register(self._link.source, select.POLLIN)
        if self._resolver is not None:
            poller.register(self._resolver.fileno(), select.POLLIN)
        silent_at = time.monotonic() + self._lease
        if not self._prepared and not poller.poll(IDLE_SECONDS * 1000):
            self._prepare()
        while True:
            ready = [
                source for source, _ in poller.poll(max(0, silent_at - time.monotonic()) * 1000)
            ]
            if self._link.source in ready:
                return
            if not ready:
                os._exit(0)
            if self._resolver is not None:
                self._resolver.answer()

    def _prepare(self) -> None:
        """Import in advance what programs would import: forked, they have it already."""
        self._prepared = True
        for name in PREPARED:
            try:
                __import__(name)
            except ImportError:
                # An image may have less than the whole standard library: its programs cope, or tell.
                continue
        _freeze()

    def _answer(self) -> None:
        kind, payload = self._link.frame(wire.TASK_BYTES)
        if kind == wire.PROGRAM:
            self._program(payload)
            self._settled = time.time_ns()
        elif kind == wire.TASK:
            self._task(payload)
        elif kind == wire.INPUT:
            self._receive(float(payload))
            self._settled = time.time_ns()
        elif kind not in (wire.BEAT, wire.CANCEL, wire.STDIN):
            # Input may come late, for a task that has ended: it is dropped.
            os._exit(1)

    def _program(self, payload: bytes) -> None:
        one = run.Run(self._link, self._evidence, self._wakeup, self._resolver, self._settled)
        if self._unwritten:
            one.refuse(self._unwritten)
            self._unwritten = 0
        else:
            one.execute(payload)

    def _task(self, payload: bytes) -> None:
        from . import task  # noqa: PLC0415 - compiled only where it is needed

        one = task.Task(self._link, self._evidence, self._wakeup, self._resolver, self._settled)
        one.perform(payload)

    def _receive(self, seconds: float) -> None:
        pid = os.fork()
        if pid == 0:
            _receive_and_exit(self._link)
        status = run.wait_until(pid, time.monotonic() + seconds)
        if status is None or not os.WIFEXITED(status) or os.WEXITSTATUS(status) == 255:
            # The rest of the files is still on its way: this stream cannot be trusted any more.
            os._exit(1)
        self._unwritten = os.WEXITSTATUS(status)


def _freeze() -> None:
    # What exists now is never collected: forked programs then share its pages.
    gc.collect()
    gc.freeze()


def _resolver() -> Resolver | None:
    from . import dns  # noqa: PLC0415 - compiled only where it is needed

    return dns.listen()


def _receive_and_exit(link: Link) -> NoReturn:
    status = 255
    try:
        from . import files  # noqa: PLC0415 - compiled only where it is needed

        status = files.receive(link)
    finally:
        os._exit(status)


if __name__ == "__main__":
    sys.exit(main())
