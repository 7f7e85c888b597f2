"""``harnest sandbox run``: a program in a declared sandbox, as one of the project's agents."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harnest_ext.cli.names import sandbox_names
from harnest_ext.cli.options import common, examples, failure_exit
from harnest_ext.cli.sandbox import results, rules
from harnest_ext.cli.sandbox.program import input_files, program_text
from harnest_ext.cli.sandbox.project import find_folder, refusals_told
from harnest_ext.errors import LoadError
from harnest_ext.runtime import AgentRuntime

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnest.sandbox import SandboxFile, SandboxResult
    from harnest_ext.cli.output import Output
    from harnest_ext.problem import Problem
    from harnest_ext.runtime.running import Running

__all__ = ["command"]

_POLITE = (signal.SIGTERM, signal.SIGHUP)
"""Signals that ask for an end: of a service manager, and of a terminal that is closed."""
_SIGNALLED = 128
"""Added to a signal's number, the exit status that shells give."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    """What the command line asks for."""

    name: str
    code: str
    files: tuple[SandboxFile, ...]
    timeout: int | None
    agent: str | None
    user: str
    session: str


@click.command(
    "run",
    epilog=examples(
        "harnest sandbox run python -c 'print(40*10)'",
        "harnest sandbox run python script.py --input data.csv --output out",
        "echo 'print(1)' | harnest sandbox run python - --timeout 5 --json",
    ),
)
@click.argument("name", shell_complete=sandbox_names)
@click.argument("file", required=False)
@click.option("-c", "code", metavar="CODE", help="The program's text.")
@click.option("--agent", metavar="NAME", help="Agent to run as. Default: the only one that may.")
@click.option("--user", metavar="ID", default="local", show_default=True, help="Whom it is for.")
@click.option("--session", metavar="ID", help="Conversation it belongs to. Default: a new one.")
@click.option(
    "--timeout", type=click.IntRange(min=1), metavar="SECONDS", help="Shorten the deadline."
)
@click.option(
    "--input",
    "inputs",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Give the program a file; may be repeated.",
)
@click.option(
    "--output",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Save what it leaves under outputs/.",
)
@click.option("--skip-broken", is_flag=True, help="Go on without what can't be loaded.")
@common
@failure_exit(results.HARNEST_FAILED)
def command(  # noqa: PLR0913 - one parameter per option of the command line
    name: str,
    *,
    file: str | None,
    code: str | None,
    agent: str | None,
    user: str,
    session: str | None,
    timeout: int | None,
    inputs: tuple[Path, ...],
    folder: Path | None,
    skip_broken: bool,
    project: Path | None,
    output: Output,
) -> int:
    """Run a Python program, FILE or - or -c CODE, in the sandbox NAME.

    The exit status is the program's; 124 for the deadline, 123 for the output limit, 125 for
    Harnest's own failures, 130 for Ctrl-C, 141 when the output's reader has gone.
    """
    job = _Job(
        name=name,
        code=program_text(code, file),
        files=input_files(inputs),
        timeout=timeout,
        agent=agent,
        user=user,
        session=session or f"cli-{os.getpid()}",
    )
    with _terminable():
        try:
            return _answer(job, find_folder(project), folder, output, skip_broken=skip_broken)
        except BrokenPipeError:
            return results.READER_LEFT


def _answer(
    job: _Job, project: Path, folder: Path | None, output: Output, *, skip_broken: bool
) -> int:
    with refusals_told():
        result = _execute(job, project, output, skip_broken=skip_broken)
        saved = results.save_files(result.output_files, folder) if folder else []
    if result.output_files and not folder:
        output.note(f"harnest: {len(result.output_files)} output files; --output DIR saves them.")
    results.tell_outcome(output, result)
    if output.as_json:
        output.result(results.shape(result, saved))
    return results.exit_status(result)


def _execute(job: _Job, folder: Path, output: Output, *, skip_broken: bool) -> SandboxResult:
    with AgentRuntime(folder, on_broken="skip" if skip_broken else "raise") as runtime:
        for problem in runtime.notes if skip_broken else ():
            output.warn(problem.message)
        agent = job.agent or _only_agent(runtime.running, job.name)
        with runtime.invocation(
            agent_name=agent, user_id=job.user, session_id=job.session
        ) as invocation:
            invocation.sandbox(job.name)
            managed = runtime.running.pool.get(agent, job.name)
            declared = managed.declaration.timeout_seconds
            if job.timeout and declared and job.timeout > declared:
                output.note(f"harnest: the sandbox's own deadline of {declared} s stays.")
            request = managed.request(job.code, input_files=job.files, timeout_seconds=job.timeout)
            if output.as_json:
                return managed.execute(request, trigger="user")
            return managed.execute_streaming(
                request,
                lambda stream, text: results.pass_through(output, stream, text),
                trigger="user",
            )


def _only_agent(running: Running, sandbox: str) -> str:
    agents = [a.name for a in running.config.agents.values() if sandbox in a.sandboxes]
    if len(agents) == 1:
        return agents[0]
    if agents:
        raise click.UsageError(
            f"Several agents have the sandbox {sandbox!r}: name one with --agent "
            f"({', '.join(agents)})."
        )
    raise LoadError(_nobody_has(running, sandbox))


def _nobody_has(running: Running, sandbox: str) -> Problem:
    if sandbox in running.catalog.broken:
        return running.catalog.broken[sandbox]
    if sandbox in running.catalog.declared:
        return rules.NOT_GRANTED.problem(
            f"No agent is granted the sandbox {sandbox!r}.", path="config.yaml"
        )
    return rules.UNKNOWN.problem(
        f"The project declares no sandbox {sandbox!r}.",
        path=f"sandbox/{sandbox}.py",
        got=", ".join(running.catalog.declared) or "no sandbox at all",
    )


@contextmanager
def _terminable() -> Iterator[None]:
    # A polite end must clean up like Ctrl-C does: the default action would leave things behind.
    def stop(signum: int, frame: object) -> None:
        del frame
        raise SystemExit(_SIGNALLED + signum)

    # One that is ignored, as under nohup, stays so.
    heeded = [each for each in _POLITE if signal.getsignal(each) is not signal.SIG_IGN]
    before = {each: signal.signal(each, stop) for each in heeded}
    try:
        yield
    finally:
        for each, handler in before.items():
            # None: a handler that was not set from Python, which can't be put back.
            signal.signal(each, signal.SIG_DFL if handler is None else handler)
