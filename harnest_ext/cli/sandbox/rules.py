"""What the sandbox commands refuse, beyond what the runtime refuses."""

from __future__ import annotations

from typing import Final

from harnest_ext.rule import Rule

__all__ = [
    "ALL",
    "EXECUTION",
    "NOT_GRANTED",
    "OUTPUT_FILE",
    "OUTPUT_STREAM",
    "REFUSED",
    "TRIAL",
    "UNKNOWN",
    "UNSUPPORTED",
]

UNKNOWN: Final = Rule(
    id="sandbox.unknown",
    kind="not-found",
    why="A sandbox exists when a file sandbox/<name>.py declares it.",
    example="harnest sandbox run pyhton -c '...'",
    fix="'harnest sandbox list' shows the declared ones.",
)
NOT_GRANTED: Final = Rule(
    id="sandbox.grant",
    kind="not-found",
    why="Declaring a sandbox grants it to nobody.",
    example="sandbox/python.py, and no agent with 'python' under 'sandboxes'",
    fix="Add it to an agent's 'sandboxes' under 'spec.agents' in config.yaml.",
)
EXECUTION: Final = Rule(
    id="sandbox.execution",
    kind="sandbox-failed",
    why="The provider could not run the program. Its own message may hold secrets.",
    example="a Docker daemon that does not answer",
    fix="'harnest sandbox doctor' says what the provider can do here.",
)
UNSUPPORTED: Final = Rule(
    id="sandbox.unsupported",
    kind="sandbox-failed",
    why="A provider refuses what it can't do instead of doing less than was asked.",
    example="input files for a provider that takes none",
    fix="Leave it out, or declare the sandbox with another provider.",
)
REFUSED: Final = Rule(
    id="sandbox.refused",
    kind="sandbox-failed",
    why="The runtime holds an execution to the declaration and the agent's grants.",
    example="--agent with an agent that was not granted the sandbox",
    fix="Change config.yaml or the declaration.",
)
TRIAL: Final = Rule(
    id="sandbox.trial",
    kind="sandbox-failed",
    why="The program of 'harnest sandbox doctor --try' prints one line; nothing else is right.",
    example="an image without Python",
    fix="Run a program with 'harnest sandbox run' to see what it prints.",
)
OUTPUT_FILE: Final = Rule(
    id="sandbox.output-file",
    kind="io-error",
    why="A program names its output files itself; none may land outside of the given folder.",
    example="an output file named ../../.bashrc",
    fix="Save to another folder, or let the program name its files otherwise.",
)
OUTPUT_STREAM: Final = Rule(
    id="sandbox.output-stream",
    kind="io-error",
    why="A program whose output gets lost is ended: it would run for nobody.",
    example="harnest sandbox run python big.py > /full/disk/out.txt",
    fix="Make room where the output goes to, or send it elsewhere.",
)

ALL: Final = tuple(value for _name, value in sorted(globals().items()) if isinstance(value, Rule))
