"""``harnest sandbox doctor``: what each declared sandbox's provider really does on this host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from harnest.sandbox.optional import DiagnosisState, SandboxDiagnosis
from harnest_ext.cli.names import sandbox_names
from harnest_ext.cli.options import common, examples
from harnest_ext.cli.output import Table
from harnest_ext.cli.sandbox import rules
from harnest_ext.cli.sandbox.asking import NOT_OFFERED, Answer, ask
from harnest_ext.cli.sandbox.project import loaded
from harnest_ext.errors import LoadError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from harnest.sandbox.runtime import ManagedSandbox
    from harnest_ext.cli.output import Output

__all__ = ["command"]

Diagnoses = tuple[SandboxDiagnosis, ...]

TRIAL_CODE: Final = "print(6 * 7)"
TRIAL_SECONDS: Final = 30
"""Most seconds of the tiny program that ``--try`` runs, its sandbox's start included."""


@click.command(
    "doctor", epilog=examples("harnest sandbox doctor", "harnest sandbox doctor python --try")
)
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=sandbox_names)
@click.option("--try", "trial", is_flag=True, help="Run a tiny program in each, too.")
@common
def command(names: tuple[str, ...], *, trial: bool, project: Path | None, output: Output) -> int:
    """Say what the declared sandboxes' providers can do here, what not, and why.

    Exit code 1 if a sandbox can't be used at all: its file or provider is broken, or its tiny
    program did not run.
    """
    with loaded(project) as running:
        answers = list(ask(running, names, lambda managed: managed.diagnose()))
        trials = list(ask(running, names, _trial)) if trial else []
    output.result({"sandboxes": _shapes(answers, trials)}, _table(answers, trials))
    failures = [a.failure for a in (*answers, *trials) if a.failure is not None]
    for problem in dict.fromkeys(failures):
        output.note(problem.describe())
    return int(bool(failures))


def _trial(managed: ManagedSandbox) -> Diagnoses:
    request = managed.request(TRIAL_CODE, timeout_seconds=TRIAL_SECONDS)
    result = managed.execute(request, trigger="user")
    if result.stdout.split() != ["42"]:
        phase = result.metadata.get("phase")
        where = f" in phase {phase!r}" if phase else ""
        raise LoadError(
            rules.TRIAL.problem(
                f"The tiny program ended with status {result.status.value}{where}.",
                expected="it prints 42",
                got=f"exit code {result.exit_code}",
            )
        )
    detail = "A tiny program ran and printed what it should."
    return (SandboxDiagnosis(name="execution", state=DiagnosisState.OK, detail=detail),)


def _shapes(
    answers: Sequence[Answer[Diagnoses]], trials: Sequence[Answer[Diagnoses]]
) -> list[dict[str, object]]:
    tried = {trial.sandbox: trial for trial in trials}
    shapes = []
    for answer in answers:
        trial = tried.get(answer.sandbox)
        failure = answer.failure or (trial.failure if trial else None)
        found = (*(answer.value or ()), *(trial.value or () if trial else ()))
        shapes.append(
            {
                "name": answer.sandbox,
                "provider": answer.provider,
                "offered": answer.value is not None,
                "diagnoses": [_shape(diagnosis) for diagnosis in found],
                "error": failure.to_dict() if failure else None,
            }
        )
    return shapes


def _shape(diagnosis: SandboxDiagnosis) -> dict[str, object]:
    return {
        "name": diagnosis.name,
        "state": diagnosis.state.value,
        "detail": diagnosis.detail,
        "remedy": diagnosis.remedy,
    }


def _table(answers: Sequence[Answer[Diagnoses]], trials: Sequence[Answer[Diagnoses]]) -> Table:
    rows = []
    for answer in (*answers, *trials):
        if answer.failure is not None:
            rows.append((answer.sandbox, answer.provider, "usable", "no", answer.failure.message))
        elif answer.value is None:
            rows.append((answer.sandbox, answer.provider, "diagnosis", "unknown", NOT_OFFERED))
        for found in answer.value or ():
            told = _sentences(found.detail, found.remedy)
            rows.append((answer.sandbox, answer.provider, found.name, found.state.value, told))
    return Table(
        columns=("SANDBOX", "PROVIDER", "WHAT", "STATE", "DETAIL"),
        rows=tuple(rows),
        empty="No sandbox is declared: put a file sandbox/<name>.py into the project.",
    )


def _sentences(*texts: str) -> str:
    """Join texts that may or may not end like sentences."""
    return " ".join(
        text if text.endswith((".", "!", "?")) else f"{text}." for text in texts if text
    )
