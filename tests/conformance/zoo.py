"""Providers that are broken in one way each, and which checks that must fail.

Each is the memory provider with one defect. Where the memory provider can't offer what a check
needs, the defect claims it and answers the check's own program: truly, or with the lie under test.
"""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harnest.sandbox import (
    SandboxFile,
    SandboxNetworkMode,
    SandboxNetworkPolicy,
    SandboxProviderCapabilities,
    SandboxRequest,
    SandboxResult,
    SandboxStatus,
    control,
)
from harnest.sandbox.optional import SandboxPruneReport, SandboxResource
from harnest_ext.conformance import MEMORY_PROFILE, Feature, MemoryProvider, ProviderProfile, Wanted
from harnest_ext.conformance.provider import (
    bounds,
    cancelling,
    deadlines,
    files,
    outcomes,
    output,
    programs,
    scopes,
    streaming,
    values,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ZOO", "Animal"]

Execute = "Callable[[Any, SandboxRequest, Any], SandboxResult]"


class Defective(MemoryProvider):
    """The memory provider with hooks for a defect.

    Args:
        wanted: As a check wants it.
        animal: The defect.
    """

    def __init__(self, wanted: Wanted, animal: Animal) -> None:
        super().__init__(
            scope=animal.scope or wanted.scope or "execution",
            max_output_bytes=(wanted.max_output_bytes or 1 << 20) + animal.budget_error,
            answers=animal.answers,
        )
        self._animal = animal
        if animal.capabilities is not None:
            self.sandbox_capabilities = animal.capabilities

    def _execute(self, request: SandboxRequest, sink: Any) -> SandboxResult:
        animal = self._animal
        request = animal.request(request)
        if animal.execute is not None:
            return animal.execute(super()._execute, request, sink)
        return animal.result(super()._execute(request, sink))


def _same(value: Any) -> Any:
    return value


@dataclass(frozen=True, kw_only=True)
class Animal:
    """One defect.

    Attributes:
        fails: Names of exactly the checks that it must fail.
        request: Changes a request before it is carried out.
        result: Changes a result before it is given back.
        execute: Takes the place of the execution; is given the true one.
        answers: Results by program.
        budget_error: Bytes by which the output budget is wrong.
        scope: Scope that is used whatever is wanted.
        capabilities: What is declared, truly or not.
        members: Methods in place of the provider's own.
        claims: Features declared beside those of the memory provider.
        without: Features not declared.
        slack_seconds: Added to every bound on time of a check that must fail: less than nothing for
            one that is late, so that its lateness need not be long.
    """

    fails: frozenset[str]
    request: Callable[[SandboxRequest], SandboxRequest] = _same
    result: Callable[[SandboxResult], SandboxResult] = _same
    execute: Callable[[Any, SandboxRequest, Any], SandboxResult] | None = None
    answers: dict[str, SandboxResult] = field(default_factory=dict)
    budget_error: int = 0
    scope: str | None = None
    capabilities: Any = None
    members: dict[str, Any] = field(default_factory=dict)
    claims: frozenset[Feature] = frozenset()
    without: frozenset[Feature] = frozenset()
    slack_seconds: float = 0.0

    def profile(self, name: str, check: str) -> ProviderProfile:
        """Return it as a subject of the suite, for one check."""
        kind = type("Animal", (Defective,), dict(self.members))
        return ProviderProfile(
            name=name,
            make=lambda wanted: kind(wanted, self),
            supports=(MEMORY_PROFILE.supports | self.claims) - self.without,
            slack_seconds=self.slack_seconds if check in self.fails else 0.0,
        )


def lie(program: str, *fails: str, **result: Any) -> Animal:
    """A provider that answers one program wrongly."""
    return Animal(fails=frozenset(fails), answers={program: SandboxResult(**result)})


def _ended(status: SandboxStatus, **result: Any) -> dict[str, Any]:
    return {"status": status, **result}


FAILED, TIMED_OUT = SandboxStatus.FAILED, SandboxStatus.TIMED_OUT
OVERFLOW = SandboxStatus.OUTPUT_LIMIT_EXCEEDED
CUT = {"truncated": {"stdout": 500}}
KEPT = "x" * output.BUDGET
FILE = (SandboxFile("f", b"x"),)
NOT_EARLY = "import time\ntime.sleep(0.3)\nprint('done')"

LIES: dict[str, Animal] = {
    "loses the last newline": lie(values.HELLO, "values.stdout", stdout="hello", exit_code=0),
    "loses stderr": lie(values.BOTH, "values.stderr", stdout="out\n"),
    "mixes the streams": lie(
        values.BOTH, "values.streams-apart", stdout="out\nerr\n", stderr="err\n"
    ),
    "calls success failure": lie(values.HELLO, "values.success", stdout="hello\n", status=FAILED),
    "has no exit code": lie(values.QUIET, "values.exit-code-zero"),
    "prints by itself": lie(values.QUIET, "values.no-output", stdout="\n", exit_code=0),
    "gives files nobody made": lie(
        values.HELLO, "values.no-stray-files", stdout="hello\n", output_files=FILE
    ),
    "puts code into metadata": lie(
        values.HIDDEN, "values.metadata-hides-code", metadata={"code": values.HIDDEN}
    ),
    "changes exit codes": lie(outcomes.SEVEN, "outcomes.exit-code", **_ended(FAILED, exit_code=8)),
    "calls failure a time-out": lie(
        outcomes.SEVEN, "outcomes.failed-status", **_ended(TIMED_OUT, exit_code=7)
    ),
    "takes 124 for a time-out": lie(
        outcomes.LIKE_TIMEOUT, "outcomes.exit-124-is-no-timeout", **_ended(TIMED_OUT)
    ),
    "keeps wide exit codes": lie(
        outcomes.WIDE, "outcomes.exit-code-byte", **_ended(FAILED, exit_code=300)
    ),
    "swallows exit texts": lie(outcomes.SORRY, "outcomes.exit-text", **_ended(FAILED, exit_code=1)),
    "swallows tracebacks": lie(
        outcomes.ERROR, "outcomes.exception", **_ended(FAILED, exit_code=1, stdout="before\n")
    ),
    "tells exceptions by another number": lie(
        outcomes.ERROR,
        "outcomes.exception",
        **_ended(FAILED, exit_code=2, stdout="before\n", stderr="ValueError: of mine"),
    ),
    "loses output before errors": lie(
        outcomes.ERROR,
        "outcomes.output-before-exception",
        **_ended(FAILED, exit_code=1, stderr="ValueError: of mine"),
    ),
    "runs half of what doesn't parse": lie(
        outcomes.SYNTAX,
        "outcomes.syntax-error",
        **_ended(FAILED, exit_code=1, stdout="before\n", stderr="SyntaxError"),
    ),
    "hides what doesn't parse": lie(
        outcomes.SYNTAX, "outcomes.syntax-error", **_ended(FAILED, exit_code=1)
    ),
    "is poisoned by what came before": lie(
        "print('next')", "outcomes.next-call", "deadlines.next-call", "cancelling.next-call"
    ),
    "loses hard exits": lie(outcomes.HARD, "outcomes.hard-exit", **_ended(FAILED, exit_code=1)),
    "tells SIGKILL as 9": lie(outcomes.KILLED, "outcomes.sigkill", **_ended(FAILED, exit_code=9)),
    "tells SIGTERM as -15": lie(
        outcomes.TERMINATED, "outcomes.sigterm", **_ended(FAILED, exit_code=-15)
    ),
    "is not main": lie(programs.NAME, "programs.main", stdout="runner\n"),
    "hands on its input": lie(programs.INPUT, "programs.no-input", stdout="'typed'\n"),
    "keeps variables": lie(programs.GET, "programs.fresh-names", stdout="True\n"),
    "decodes code wrongly": lie(programs.UNICODE, "programs.unicode-code", stdout="gr??e\n"),
    "splits names": lie(programs.DEFINITIONS, "programs.recursion", **_ended(FAILED, exit_code=1)),
    "leaks the environment": lie(
        programs.ENVIRONMENT, "programs.clean-environment", stdout="seen\n"
    ),
    "replaces wide characters": lie(output.WIDTHS, "output.unicode", stdout="a???\n"),
    "cuts characters": lie(output.EDGES, "output.unicode-edges", stdout="\ufffd"),
    "drops bad bytes": lie(output.BAD, "output.bad-bytes", stdout="ab\n"),
    "adds a newline": lie(output.NO_NEWLINE, "output.no-newline", stdout="no newline\n"),
    "translates line ends": lie(output.CRLF, "output.line-ends", stdout="a\nb\nc\n"),
    "loses a byte of much": lie(output.LARGE, "output.large", stdout="a"),
    "calls overflow failure": lie(
        output.OVER, "output.limit-status", **_ended(FAILED, stdout=KEPT, metadata=CUT)
    ),
    "drops all on overflow": lie(
        output.OVER, "output.limit-keeps-output", **_ended(OVERFLOW, metadata=CUT)
    ),
    "hides overflow": lie(output.OVER, "output.limit-is-told", **_ended(OVERFLOW, stdout=KEPT)),
    "counts one stream": lie(
        output.BOTH, "output.limit-both-streams", stdout="x" * 9_900, stderr="y" * 200
    ),
    "calls a flood failure": lie(output.ENDLESS, "output.endless", **_ended(FAILED)),
    "streams and keeps nothing": lie(streaming.MIXED, "streaming.same-as-result", exit_code=0),
    "calls a time-out failure": lie(
        deadlines.SLEEP,
        "deadlines.status",
        "deadlines.no-exit-code",
        "deadlines.scope",
        **_ended(FAILED, stdout="so far\n"),
    ),
    "gives a time-out an exit code": lie(
        deadlines.SLEEP,
        "deadlines.no-exit-code",
        **_ended(TIMED_OUT, stdout="so far\n", exit_code=124),
    ),
    "loses output on time-out": lie(deadlines.SLEEP, "deadlines.keeps-output", **_ended(TIMED_OUT)),
    "can't end a busy loop": lie(deadlines.BUSY, "deadlines.busy", **_ended(FAILED)),
    "is too early": lie(NOT_EARLY, "deadlines.not-early", **_ended(TIMED_OUT)),
    "lets signals be ignored": lie(deadlines.STUBBORN, "deadlines.stubborn", **_ended(FAILED)),
    "has no scratch": lie(scopes.LEAVE + "\nprint(open('mark').read())", "scopes.scratch"),
    "loses input files": lie(files.READ, "files.input", stdout="\n"),
    "changes input bytes": lie(files.READ_BINARY, "files.input-binary", stdout="00\n"),
    "loses output files": lie(files.WRITE, "files.output"),
    "takes files from anywhere": lie(
        files.WRITE_ELSEWHERE, "files.output-only-there", output_files=FILE
    ),
}

_HELD: list[Any] = []
_SERIAL = threading.Lock()
_THOUGHT_ABOUT = {programs.INPUT, output.ENDLESS, streaming.TICKS}
_LEAKING = {"print(1)", "raise SystemExit(3)"}


def release() -> None:
    """Let go of what leaking animals hold."""
    while _HELD:
        _HELD.pop()()


def _with_context(**parts: Any) -> Callable[[SandboxRequest], SandboxRequest]:
    def change(request: SandboxRequest) -> SandboxRequest:
        made = {name: part(request.context) for name, part in parts.items()}
        return replace(request, context=replace(request.context, **made))

    return change


def _leaks(hold: Callable[[], Callable[[], object]]) -> Any:
    def execute(true: Any, request: SandboxRequest, sink: Any) -> SandboxResult:
        if request.code in _LEAKING:
            _HELD.append(hold())
        return true(request, sink)

    return execute


def _hold_descriptor() -> Callable[[], object]:
    descriptor = os.open(os.devnull, os.O_RDONLY)
    return lambda: os.close(descriptor)


def _hold_thread() -> Callable[[], object]:
    event = threading.Event()
    thread = threading.Thread(target=event.wait, daemon=True)
    thread.start()
    return lambda: (event.set(), thread.join())


def _hold_child() -> Callable[[], object]:
    import subprocess  # noqa: PLC0415 - this animal alone needs it

    child = subprocess.Popen(["sleep", "60"])
    return lambda: (child.kill(), child.wait())


def _for(code: str | Callable[[str], bool], act: Any) -> Any:
    """Act on one program in place of the true execution."""

    def execute(true: Any, request: SandboxRequest, sink: Any) -> SandboxResult:
        chosen = code(request.code) if callable(code) else request.code == code
        return act(true, request, sink) if chosen else true(request, sink)

    return execute


def _deaf(_true: Any, _request: SandboxRequest, _sink: Any) -> SandboxResult:
    time.sleep(4)
    return SandboxResult()


def _thinks(true: Any, request: SandboxRequest, sink: Any) -> SandboxResult:
    try:
        return true(request, sink)
    finally:
        if request.code in _THOUGHT_ABOUT:
            time.sleep(3)


def _comes_back_late(true: Any, request: SandboxRequest, sink: Any) -> SandboxResult:
    result: SandboxResult = true(request, sink)
    if result.status is TIMED_OUT:
        time.sleep(0.5)
    return result


def _says_nothing(true: Any, request: SandboxRequest, sink: Any) -> SandboxResult:
    from harnest.sandbox import SandboxCancelledError  # noqa: PLC0415 - beside its use

    try:
        return true(request, sink)
    except SandboxCancelledError:
        return SandboxResult(exit_code=0)


def _talks_on(true: Any, request: SandboxRequest, sink: Any) -> SandboxResult:
    enough = threading.Event()

    def talk() -> None:
        while not enough.wait(0.02):
            sink("stdout", "tick")

    try:
        return true(request, sink)
    finally:
        talking = threading.Thread(target=talk)
        talking.start()
        _HELD.append(lambda: (enough.set(), talking.join()))


def _runs_all_the_same(true: Any, request: SandboxRequest, sink: Any) -> SandboxResult:
    import contextvars  # noqa: PLC0415 - this animal alone needs it

    return contextvars.Context().run(true, request, sink)


def _runs_when_cancelled(true: Any, request: SandboxRequest, sink: Any) -> SandboxResult:
    scope = control.current()
    if scope is not None and scope.cancelled.is_set():
        return SandboxResult(stdout="ran\n")
    return true(request, sink)


def _at_the_end(true: Any, request: SandboxRequest, sink: Any) -> SandboxResult:
    pieces: list[Any] = []
    result = true(request, lambda *piece: pieces.append(piece))
    for piece in pieces:
        sink(*piece)
    return result


def _shouting(true: Any, request: SandboxRequest, sink: Any) -> SandboxResult:
    return true(request, None if sink is None else lambda s, text: sink(s, text.upper()))


def _refuses_declared(true: Any, request: SandboxRequest, sink: Any) -> SandboxResult:
    if request.network_policy == SandboxNetworkPolicy.unrestricted():
        raise RuntimeError("not this one")
    return true(request, sink)


def _ignores_declared(true: Any, request: SandboxRequest, sink: Any) -> SandboxResult:
    if request.network_policy == SandboxNetworkPolicy.unrestricted():
        return SandboxResult(exit_code=0)
    return true(request, sink)


def _one_at_a_time(true: Any, request: SandboxRequest, sink: Any) -> SandboxResult:
    with _SERIAL:
        return true(request, sink)


def _touches_host(true: Any, request: SandboxRequest, sink: Any) -> SandboxResult:
    import sys  # noqa: PLC0415 - beside its use

    vars(sys)["harnest_conformance_canary"] = 1
    return true(request, sink)


def _at_the_same_time(_true: Any, _request: SandboxRequest, _sink: Any) -> SandboxResult:
    return SandboxResult(stdout="1.0 2.0\n", exit_code=0)


def _safe_names(request: SandboxRequest) -> SandboxRequest:
    renamed = [
        SandboxFile(
            f"safe{n}" if ".." in f.name or f.name[0] in "./" or "//" in f.name else f.name,
            f.content,
        )
        for n, f in enumerate(request.input_files)
    ]
    return replace(request, input_files=tuple(renamed))


def _close_late(self: Any) -> None:
    if self._running:
        time.sleep(3)
    MemoryProvider.close(self)


def _close_once(self: Any) -> None:
    if self._closed:
        raise RuntimeError("closed already")
    MemoryProvider.close(self)


def _close_for_now(self: Any) -> None:
    MemoryProvider.close(self)
    self._closed = False


def _close_and_keep(self: Any) -> None:
    kept = dict(self._kept)
    MemoryProvider.close(self)
    self._kept = kept
    _HELD.append(self._kept.clear)


def _prune_all(self: Any) -> SandboxPruneReport:
    self._kept.clear()
    return SandboxPruneReport()


def _modes(*modes: SandboxNetworkMode) -> SandboxProviderCapabilities:
    return SandboxProviderCapabilities(network_modes=frozenset(modes))


NONE, UNRESTRICTED = SandboxNetworkMode.NONE, SandboxNetworkMode.UNRESTRICTED
BEATEN = {scopes.BEATS: SandboxResult(stdout="0\n"), scopes.BACKGROUND: SandboxResult()}
DETACHED_ENDS = {deadlines.DETACHED: SandboxResult(status=TIMED_OUT)}
COUNT = iter(range(1_000_000))


def _fails(*names: str) -> frozenset[str]:
    return frozenset(names)


DEFECTS: dict[str, Animal] = {
    "returns text": Animal(
        fails=_fails("values.result-type", "values.exit-code-zero", "values.no-output"),
        answers={values.QUIET: "a text"},  # type: ignore[dict-item]
    ),
    "takes stderr for failure": Animal(
        fails=_fails("outcomes.stderr-is-no-failure"),
        result=lambda r: replace(r, status=FAILED) if r.stderr and r.exit_code == 0 else r,
    ),
    "cuts long code": Animal(
        fails=_fails("programs.large-code"),
        request=lambda r: replace(r, code=r.code[:1_000_000]),
    ),
    "drops NUL": Animal(
        fails=_fails("programs.nul-in-code"),
        request=lambda r: replace(r, code=r.code.replace("\0", "")),
    ),
    "replaces surrogates": Animal(
        fails=_fails("programs.surrogate-in-code"),
        request=lambda r: replace(r, code=r.code.encode("utf-8", "replace").decode()),
    ),
    "runs in the host": Animal(
        fails=_fails("programs.host-untouched"),
        execute=_for(programs.TOUCH, _touches_host),
        claims=frozenset({Feature.PROCESS}),
    ),
    "has a budget one too small": Animal(
        fails=_fails("output.limit-fits", "output.limit-keeps-output", "output.limit-both-streams"),
        budget_error=-1,
    ),
    "streams nothing": Animal(
        fails=_fails(
            "streaming.protocol",
            "streaming.same-as-result",
            "streaming.while-running",
            "streaming.sink-raises",
            "cancelling.output-stops",
        ),
        members={"execute_streaming": None},
    ),
    "streams something else": Animal(
        fails=_fails("streaming.same-as-result"),
        execute=_for(lambda code: "'é€'" in code, _shouting),
    ),
    "streams at the end": Animal(
        fails=_fails("streaming.while-running"),
        execute=_for(lambda code: "second" in code and "first" in code, _at_the_end),
    ),
    "ignores its sink": Animal(
        fails=_fails("streaming.sink-raises"),
        execute=_for(lambda code: "sleep(0.05)" in code, lambda *_: SandboxResult()),
    ),
    "ignores the scope": Animal(
        fails=_fails("deadlines.scope"),
        execute=_for(
            deadlines.SLEEP,
            lambda true, request, sink: (
                SandboxResult(stdout="so far\n", exit_code=0)
                if request.timeout_seconds == 60
                else true(request, sink)
            ),
        ),
    ),
    "waits for detached processes": Animal(
        fails=_fails("deadlines.detached"),
        answers={**BEATEN, deadlines.DETACHED: SandboxResult(status=FAILED)},
        claims=frozenset({Feature.DESCENDANTS}),
    ),
    "lets processes live on": Animal(
        fails=_fails("scopes.no-process-survives"),
        answers={**BEATEN, **DETACHED_ENDS, scopes.BEATS: SandboxResult(stdout="15\n")},
        claims=frozenset({Feature.DESCENDANTS}),
    ),
    "is deaf": Animal(
        fails=_fails(
            "cancelling.running", "cancelling.error", "cancelling.next-call", "closing.ends-running"
        ),
        execute=_for(cancelling.SLEEP, _deaf),
        slack_seconds=-8.0,
    ),
    "takes its time": Animal(
        fails=_fails(
            "programs.no-input", "output.endless", "streaming.sink-raises", "closing.ends-running"
        ),
        execute=_thinks,
        members={"close": _close_late},
        slack_seconds=-8.0,
    ),
    "comes back after a deadline": Animal(
        fails=_fails(
            "deadlines.status",
            "deadlines.no-exit-code",
            "deadlines.keeps-output",
            "deadlines.busy",
            "deadlines.scope",
            "deadlines.stubborn",
        ),
        execute=_comes_back_late,
        slack_seconds=-3.9,
    ),
    "calls cancellation success": Animal(
        fails=_fails("cancelling.error"), execute=_for(cancelling.SLEEP, _says_nothing)
    ),
    "runs what was cancelled before": Animal(
        fails=_fails("cancelling.before-start"),
        execute=_for("print('ran')", _runs_when_cancelled),
    ),
    "talks on": Animal(
        fails=_fails("cancelling.output-stops"), execute=_for(cancelling.TICKS, _talks_on)
    ),
    "runs what was cancelled in the queue": Animal(
        fails=_fails("cancelling.queued"), execute=_for(cancelling.LEAVE, _runs_all_the_same)
    ),
    "mixes up callers": Animal(
        fails=_fails("concurrency.own-output"),
        execute=_for(lambda code: "end=''" in code, lambda *_: SandboxResult(stdout="0")),
    ),
    "runs one at a time": Animal(
        fails=_fails("concurrency.overlap"),
        execute=_for(lambda code: "begin" in code, _one_at_a_time),
    ),
    "runs one session twice": Animal(
        fails=_fails("concurrency.identity-serial"),
        execute=_for(lambda code: "begin" in code, _at_the_same_time),
    ),
    "keeps too much": Animal(
        fails=_fails("scopes.execution-fresh", "scopes.invocation-of-invocation"), scope="session"
    ),
    "keeps nothing": Animal(
        fails=_fails(
            "scopes.session-kept",
            "scopes.session-identity",
            "scopes.invocation-kept",
            "concurrency.identity-serial",
            "offers.prune-spares-the-living",
        ),
        scope="execution",
        execute=_for(lambda code: "begin" in code, _at_the_same_time),
    ),
    "mixes up users": Animal(
        fails=_fails("scopes.session-of-user", "scopes.session-identity"),
        request=_with_context(user_id=lambda _: "u"),
    ),
    "mixes up agents": Animal(
        fails=_fails("scopes.session-of-agent"), request=_with_context(agent_name=lambda _: "a")
    ),
    "mixes up sessions": Animal(
        fails=_fails("scopes.session-of-session"),
        request=_with_context(session_id=lambda _: "s"),
    ),
    "makes up users": Animal(
        fails=_fails("scopes.session-identity"),
        request=_with_context(user_id=lambda context: context.user_id or "anybody"),
    ),
    "forgets invocations": Animal(
        fails=_fails("scopes.invocation-kept"),
        request=_with_context(invocation_id=lambda _: f"i{next(COUNT)}"),
    ),
    "mixes up invocations": Animal(
        fails=_fails("scopes.invocation-of-invocation"),
        request=_with_context(invocation_id=lambda _: "i"),
    ),
    "accepts any file name": Animal(fails=_fails("files.input-names"), request=_safe_names),
    "runs without the files": Animal(
        fails=_fails("files.input-not-lost"),
        request=lambda r: replace(r, input_files=()),
        without=frozenset({Feature.INPUT_FILES}),
    ),
    "follows links": Animal(
        fails=_fails("files.output-links"),
        answers={files.LINK: SandboxResult(output_files=FILE)},
        claims=frozenset({Feature.PROCESS}),
    ),
    "declares text": Animal(
        fails=_fails(
            "network.capabilities",
            "network.undeclared-refused",
            "network.none-declared",
            "network.none-holds",
        ),
        capabilities="none",
    ),
    "ignores policies": Animal(
        fails=_fails("network.undeclared-refused"),
        request=lambda r: replace(r, network_policy=None),
    ),
    "refuses what it declares": Animal(
        fails=_fails("network.declared-accepted"),
        capabilities=_modes(NONE, UNRESTRICTED),
        execute=_refuses_declared,
    ),
    "runs nothing with what it declares": Animal(
        fails=_fails("network.declared-accepted"),
        capabilities=_modes(NONE, UNRESTRICTED),
        execute=_ignores_declared,
    ),
    "declares too little": Animal(
        fails=_fails("network.none-declared", "network.none-holds"),
        capabilities=_modes(UNRESTRICTED),
    ),
    "reaches the host": Animal(
        fails=_fails("network.none-holds"),
        execute=_for(
            lambda code: "create_connection" in code, lambda *_: SandboxResult(stdout="reached\n")
        ),
    ),
    "bounds no processes": Animal(
        fails=_fails("bounds.processes"),
        answers={bounds.MANY: SandboxResult(stdout="64\n")},
        claims=frozenset({Feature.LIMIT_PROCESSES}),
    ),
    "bounds no memory": Animal(
        fails=_fails("bounds.memory"),
        answers={bounds.GREEDY: SandboxResult(stdout="had it all\n")},
        claims=frozenset({Feature.LIMIT_MEMORY}),
    ),
    "leaks descriptors": Animal(
        fails=_fails("leaks.descriptors"), execute=_leaks(_hold_descriptor)
    ),
    "leaks threads": Animal(fails=_fails("leaks.threads"), execute=_leaks(_hold_thread)),
    "leaks children": Animal(fails=_fails("leaks.children"), execute=_leaks(_hold_child)),
    "closes once": Animal(
        fails=_fails(
            "closing.twice",
            "closing.unused",
            "closing.refuses-after",
            "closing.ends-running",
            "offers.inventory-after-close",
        ),
        members={"close": _close_once},
    ),
    "opens again": Animal(fails=_fails("closing.refuses-after"), members={"close": _close_for_now}),
    "shows what it ran": Animal(
        fails=_fails("closing.repr"),
        members={"__repr__": lambda self: f"<{[r.code for r in self.requests]}>"},
    ),
    "keeps files after close": Animal(
        fails=_fails("offers.inventory-after-close"), members={"close": _close_and_keep}
    ),
    "lists nothing nameable": Animal(
        fails=_fails("offers.inventory"), members={"inventory": lambda self: []}
    ),
    "lists what has no name": Animal(
        fails=_fails("offers.inventory"),
        members={"inventory": lambda self: (SandboxResource(kind="files", resource_id=""),)},
    ),
    "says nothing of what it pruned": Animal(
        fails=_fails("offers.prune-spares-the-living"), members={"prune": lambda self: None}
    ),
    "prunes the living": Animal(
        fails=_fails("offers.prune-spares-the-living"), members={"prune": _prune_all}
    ),
    "finds nothing out": Animal(
        fails=_fails("offers.diagnosis"), members={"diagnose": lambda self: ()}
    ),
    "finds the same out twice": Animal(
        fails=_fails("offers.diagnosis"),
        members={"diagnose": lambda self: MemoryProvider.diagnose(self) * 2},
    ),
}

ZOO: dict[str, Animal] = {**LIES, **DEFECTS}
"""Every animal by its habit."""

if not Path("/proc/self/stat").exists():
    # Descriptors and children are counted through /proc; elsewhere those two checks see nothing.
    for _name in ("leaks descriptors", "leaks children"):
        del ZOO[_name]
