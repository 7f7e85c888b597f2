"""What the runtime refuses: one documented rule for each reason."""

from __future__ import annotations

from typing import Final

from harnest_ext.problem import Severity
from harnest_ext.rule import Rule

__all__ = [
    "ACTIVE_SET",
    "ALL",
    "CONFIG_VALUE",
    "CONTEXT_FAILED",
    "CYCLE",
    "EXPORTS",
    "FOREIGN_COPY",
    "HOST_RANGE",
    "IMPORT_FAILED",
    "MISSING_COPY",
    "MISSING_REQUIREMENT",
    "MODIFIED_COPY",
    "NOT_IN_LOCK",
    "OWNED",
    "PYTHON_RANGE",
    "RANGE",
    "REQUIRES_SKIPPED",
    "RUNTIME_STATE",
    "SANDBOX_CAPABILITY",
    "SANDBOX_EXPORT",
    "SANDBOX_FILE",
    "SANDBOX_IMPORT",
    "SHADOWED",
    "START_FAILED",
    "STOP_FAILED",
    "UNDECLARED_GRANT",
    "UNREADABLE",
]

MODIFIED_COPY: Final = Rule(
    id="load.modified",
    kind="modified",
    why="A copy that differs from what was checked and locked is not what was agreed to.",
    example="a file of extensions/rag/ edited by hand",
    fix="Restore it with 'harnest extensions sync', or link a checkout with 'harnest extensions "
    "install --link PATH' to work on it.",
)
MISSING_COPY: Final = Rule(
    id="load.missing",
    kind="missing",
    why="The lock names an extension whose files are not there.",
    example="a fresh clone without extensions/",
    fix="Run 'harnest extensions sync'.",
)
UNREADABLE: Final = Rule(
    id="load.unreadable",
    kind="load-failed",
    why="An extension whose manifest or files can't be read can't be checked.",
    example="extensions/rag/ without read permission",
    fix="Run 'harnest extensions doctor'; reinstall the extension.",
)
NOT_IN_LOCK: Final = Rule(
    id="load.not-in-lock",
    kind="load-failed",
    why="Only what the lock names was checked; other folders are not loaded.",
    example="a folder put into extensions/ by hand",
    fix="Install it with 'harnest extensions install PATH', or remove the folder.",
    severity=Severity.WARNING,
)
FOREIGN_COPY: Final = Rule(
    id="load.foreign",
    kind="load-failed",
    why="An entry of extensions/ that is no extension's folder is not loaded.",
    example="a file in extensions/",
    fix="Remove it from extensions/.",
    severity=Severity.WARNING,
)
SHADOWED: Final = Rule(
    id="load.shadowed",
    kind="load-failed",
    why="One name stands for one extension: the project's copy wins over the environment's.",
    example="docker in extensions/ and harnest-extension-docker in site-packages",
    fix="Nothing need be done; uninstall one of them to be rid of the note.",
    severity=Severity.WARNING,
)
HOST_RANGE: Final = Rule(
    id="load.host-range",
    kind="incompatible-harnest",
    why="The extension was not made for the running Harnest.",
    example="harnest>=2 on Harnest 1.0",
    fix="Install a release of the extension for this Harnest: 'harnest extensions upgrade'.",
)
PYTHON_RANGE: Final = Rule(
    id="load.python-range",
    kind="incompatible-python",
    why="The extension was not made for the running Python.",
    example="requires-python = '>=3.14' on Python 3.11",
    fix="Run another Python, or install a release of the extension for this one.",
)
MISSING_REQUIREMENT: Final = Rule(
    id="load.missing-requirement",
    kind="resolution-conflict",
    why="An extension that another one needs is not installed.",
    example="requires rag, and rag is not installed",
    fix="Install it with 'harnest extensions install NAME'.",
)
RANGE: Final = Rule(
    id="load.range",
    kind="resolution-conflict",
    why="An extension that another one needs is installed in a version that won't do.",
    example="requires rag>=1, and rag 0.9 is installed",
    fix="Run 'harnest extensions upgrade NAME'.",
)
CYCLE: Final = Rule(
    id="load.cycle",
    kind="resolution-conflict",
    why="Extensions that need each other in a ring have no order to load in.",
    example="a requires b, b requires a",
    fix="Uninstall one of the ring, and report it to its author.",
)
REQUIRES_SKIPPED: Final = Rule(
    id="load.requires-skipped",
    kind="load-failed",
    why="What a skipped extension was needed for can't work either.",
    example="rag was skipped, and search requires rag",
    fix="Mend the extension that was skipped first.",
)
IMPORT_FAILED: Final = Rule(
    id="load.import",
    kind="load-failed",
    why="The extension's own module raised when it was imported.",
    example="import of an SDK that is not installed",
    fix="Run 'harnest env sync' for missing packages; else report it to the extension's author. "
    "The exception's text is not shown, since it may hold secrets.",
)
EXPORTS: Final = Rule(
    id="load.exports",
    kind="load-failed",
    why="Exactly one object is the extension: its class is defined in extension.py and public.",
    example="two public instances of Extension in extension.py",
    fix="Report it to the extension's author.",
)
ACTIVE_SET: Final = Rule(
    id="load.active-set",
    kind="busy",
    why="A process has one set of extensions at a time: they are modules, and modules are global.",
    example="two agent projects opened at once",
    fix="Close the other AgentRuntime first, or use another process.",
)
OWNED: Final = Rule(
    id="runtime.owned",
    kind="busy",
    why="A started extension belongs to one running runtime.",
    example="two AgentRuntimes of one project running at once",
    fix="Share the running AgentRuntime, or close it first.",
)
START_FAILED: Final = Rule(
    id="runtime.start",
    kind="start-failed",
    why="The extension's start raised; what had been started was stopped again.",
    example="a server that start connects to is down",
    fix="Look at the line that is named, and at the extension's own logs and configuration. The "
    "exception's text is not shown, since it may hold secrets.",
)
STOP_FAILED: Final = Rule(
    id="runtime.stop",
    kind="stop-failed",
    why="Something that was to be released could not be released in time or raised.",
    example="a stop that waits for ever",
    fix="Look at its own logs; resources of it may be left behind.",
)
CONTEXT_FAILED: Final = Rule(
    id="runtime.context",
    kind="start-failed",
    why="The extension's create_context raised or returned what is no fresh context.",
    example="create_context returns the same object twice",
    fix="Report it to the extension's author.",
)
CONFIG_VALUE: Final = Rule(
    id="config.value",
    kind="project-invalid",
    why="A grant that is misspelt must not pass silently.",
    example="kind: Agnet",
    fix="Correct config.yaml; docs/reference lists its keys.",
)
UNDECLARED_GRANT: Final = Rule(
    id="config.grant",
    kind="project-invalid",
    why="A grant of a sandbox that nobody declares is a slip of the pen, or of a file's name.",
    example="sandboxes: [pyhton]",
    fix="Correct the name under 'sandboxes' in config.yaml, or declare the sandbox.",
    severity=Severity.WARNING,
)
SANDBOX_FILE: Final = Rule(
    id="sandbox.file",
    kind="project-invalid",
    why="A sandbox's name is the name of its file, and the file is the project's own.",
    example="sandbox/my-python.py, or a symbolic link",
    fix="Rename it to 1 to 47 letters, digits and '_', starting with a letter, or begin its name "
    "with '_' if it declares no sandbox.",
)
SANDBOX_EXPORT: Final = Rule(
    id="sandbox.export",
    kind="project-invalid",
    why="A sandbox file declares the sandbox of its own name.",
    example="sandbox/python.py that binds 'py' instead of 'python'",
    fix="Bind the declaration to a variable that is named like the file.",
)
SANDBOX_IMPORT: Final = Rule(
    id="sandbox.import",
    kind="load-failed",
    why="A sandbox file that raises declares nothing.",
    example="a misspelt option",
    fix="Run the file's declaration in a Python prompt to see the exception; its text is not "
    "shown here, since it may hold secrets.",
)
SANDBOX_CAPABILITY: Final = Rule(
    id="sandbox.capability",
    kind="load-failed",
    why="Only an extension that says so may run code for an agent.",
    example="a provider from an extension without 'sandbox.provider'",
    fix="Ask the extension's author to declare 'sandbox.provider' under 'capabilities'.",
)
RUNTIME_STATE: Final = Rule(
    id="runtime.state",
    kind="usage",
    why="A runtime is started once, used, and closed once.",
    example="an invocation after close()",
    fix="Open a new AgentRuntime.",
)

ALL: Final = tuple(value for _name, value in sorted(globals().items()) if isinstance(value, Rule))
