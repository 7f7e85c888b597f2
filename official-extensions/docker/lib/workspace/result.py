"""From a call to a task, and from what came of the task to a result."""

from harnest.execution import EngineResult, ExecutionCall

from ..run.task import Surroundings, Task, TaskKind, TaskResult

_KINDS = {"execute": TaskKind.PYTHON, "execute_command": TaskKind.SHELL}


def task_of(call: ExecutionCall, surroundings: Surroundings, output_bytes: int) -> Task:
    """Return the task of *call*."""
    return Task(
        kind=_KINDS[call.kind],
        text=call.text,
        stdin=call.stdin,
        output_bytes=output_bytes,
        surroundings=surroundings,
    )


def result_of(result: TaskResult, seconds: float) -> EngineResult:
    """Return the result; *seconds* is what it took where PID 1 did not measure it."""
    ending = result.ending
    took = seconds if ending.seconds is None else ending.seconds
    return EngineResult(
        stdout=result.stdout,
        stderr=result.stderr,
        exit_code=ending.code,
        timed_out=ending.reason == "deadline",
        memory_exceeded=ending.oom_kills > 0,
        truncated=any(ending.dropped.values()),
        execution_time_ms=max(1, round(took * 1000)),
    )


def queued_too_long(seconds: float) -> EngineResult:
    """Return the result of a call whose deadline passed before its program could begin."""
    return EngineResult(timed_out=True, execution_time_ms=max(1, round(seconds * 1000)))
