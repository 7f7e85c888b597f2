"""One program's bounds, what PID 1 said of its end, and the outcome that follows from the evidence."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from harnest.sandbox import SandboxFile, SandboxStatus

_STOPPED = {
    "deadline": SandboxStatus.TIMED_OUT,
    "output_limit": SandboxStatus.OUTPUT_LIMIT_EXCEEDED,
    "cancel": SandboxStatus.CANCELLED,
}
_UNWRITTEN = "input_files"
_SIGKILL = 9
_SIGNAL_BASE = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What is sent to PID 1."""

    code: bytes = field(repr=False)
    output_bytes: int
    input_files: tuple[SandboxFile, ...] = ()
    most_files: int = 0
    most_file_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a program ended, by evidence that it could not touch.

    Attributes:
        reason: why it was stopped: ``deadline``, ``output_limit``, ``cancel``; ``input_files`` if it was
            not begun for want of them; empty if it ended by itself.
        signal: the signal that ended the main process, 0 for none.
        exit_code: its own exit status.
        oom_kills: processes that the kernel killed for memory during the run.
        pids_hits: refused forks during the run.
        gone: whether PID 1 itself is gone.
        dropped: bytes that were not kept, by stream.
        killed: processes that were left and were killed.
        files_refused: output files that were not taken.
        seconds: duration, None if nobody measured it.
        spoiled: whether the program moved what is mounted in its container.
    """

    reason: str = ""
    signal: int = 0
    exit_code: int = 0
    oom_kills: int = 0
    pids_hits: int = 0
    gone: bool = False
    dropped: Mapping[str, int] = field(default_factory=dict)
    killed: int = 0
    files_refused: int = 0
    seconds: float | None = None
    spoiled: bool = False

    @classmethod
    def parse(cls, facts: Mapping[str, str]) -> "Ending":
        """Return the ending in PID 1's last word; KeyError or ValueError if it makes no sense."""
        reason = facts["reason"]
        return cls(
            reason="" if reason == "-" else reason,
            signal=int(facts["signal"]),
            exit_code=int(facts["exit"]),
            oom_kills=int(facts["oom_kill"]),
            pids_hits=int(facts["pids_max"]),
            dropped={name: int(facts[f"dropped_{name}"]) for name in ("stdout", "stderr")},
            killed=int(facts["killed"]),
            files_refused=int(facts.get("files_refused", "0")),
            seconds=int(facts["microseconds"]) / 1_000_000,
            spoiled=facts.get("spoiled", "0") != "0",
        )

    @property
    def status(self) -> SandboxStatus:
        """The outcome. An exit status or signal of the program's own is never read as ours."""
        if self.reason in _STOPPED:
            return _STOPPED[self.reason]
        if self.reason or self.gone or self.signal or self.exit_code:
            return SandboxStatus.FAILED
        return SandboxStatus.SUCCEEDED

    @property
    def code(self) -> int | None:
        """The exit code to report: 128 + signal for a signal, None if the program was stopped."""
        if self.reason:
            return None
        if self.gone:
            return _SIGNAL_BASE + _SIGKILL
        return _SIGNAL_BASE + self.signal if self.signal else self.exit_code

    @property
    def why(self) -> str:
        """The reason to report, empty for none."""
        if self.reason:
            return {"cancel": "cancelled"}.get(self.reason, self.reason)
        if self.oom_kills and (self.gone or self.signal == _SIGKILL):
            return "out_of_memory"
        if self.pids_hits and self.status is SandboxStatus.FAILED:
            return "pids_limit"
        return "signal" if self.signal else ""

    @property
    def notes(self) -> dict[str, int]:
        """Evidence that did not decide the outcome."""
        notes = {}
        if self.oom_kills and self.why != "out_of_memory":
            notes["oom_killed_processes"] = self.oom_kills
        if self.pids_hits:
            notes["refused_forks"] = self.pids_hits
        if self.files_refused:
            notes["refused_output_files"] = self.files_refused
        return notes

    @property
    def clean(self) -> bool:
        """Whether the container may be met again: nothing was stopped or moved, and PID 1 is there."""
        return self.reason in ("", _UNWRITTEN) and not self.gone and not self.spoiled
