"""Which commands there are, where each lives, and its line in the list of commands.

Pure data, read without importing any command: a new command is one new row. The short help stands
here because a group's ``--help`` must not import all its commands to list them.
"""

from __future__ import annotations

from typing import Final

__all__ = ["COMMANDS", "GROUPS", "GROUP_EXAMPLES", "OTHER_WORDS"]

GROUPS: Final[dict[str, str]] = {
    "env": "Keep the Python environment in step with the extensions.",
    "extensions": "Install, check, list, upgrade and remove an agent's extensions.",
    "sandbox": "List and use the sandboxes that an agent project declares.",
}
"""Group name to its line in ``harnest --help``."""

GROUP_EXAMPLES: Final[dict[str, tuple[str, ...]]] = {
    "env": ("harnest env sync",),
    "extensions": (
        "harnest extensions search",
        "harnest extensions install docker",
        "harnest extensions list",
    ),
    "sandbox": ("harnest sandbox list", "harnest sandbox run python -c 'print(40*10)'"),
}
"""Group name to the examples in its own help."""

OTHER_WORDS: Final[dict[str, str]] = {
    "add": "install",
    "create": "init",
    "delete": "uninstall",
    "find": "search",
    "freeze": "lock",
    "info": "show",
    "ls": "list",
    "new": "init",
    "remove": "uninstall",
    "rm": "uninstall",
    "update": "upgrade",
    "validate": "check",
}
"""What other tools call a command, to the word that is meant here."""

_CLI: Final = "harnest_ext.cli"

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "completion": (f"{_CLI}.completion:command", "Print the shell's completion script."),
    "init": (f"{_CLI}.init:command", "Make a new agent project."),
    "quickstart": (f"{_CLI}.quickstart:command", "Run a program in a new project's sandbox."),
    "env sync": (f"{_CLI}.env.sync:command", "Install what the agent and extensions require."),
    "extensions build": (f"{_CLI}.extensions.build:command", "Build a reproducible wheel."),
    "extensions check": (f"{_CLI}.extensions.check:command", "Check a package by every rule."),
    "extensions doctor": (f"{_CLI}.extensions.doctor:command", "Find and mend what is wrong."),
    "extensions init": (f"{_CLI}.extensions.init:command", "Make a new extension."),
    "extensions install": (f"{_CLI}.extensions.install:command", "Install extensions."),
    "extensions list": (f"{_CLI}.extensions.list:command", "List the installed extensions."),
    "extensions lock": (f"{_CLI}.extensions.lock:command", "Resolve again, install nothing."),
    "extensions outdated": (f"{_CLI}.extensions.outdated:command", "List what could be newer."),
    "extensions pin": (f"{_CLI}.extensions.pin:pin", "Keep an extension at its version."),
    "extensions rollback": (f"{_CLI}.extensions.rollback:command", "Bring back what was before."),
    "extensions search": (f"{_CLI}.extensions.search:command", "Find extensions to install."),
    "extensions show": (f"{_CLI}.extensions.show:command", "Show all about one extension."),
    "extensions sync": (f"{_CLI}.extensions.sync:command", "Make extensions/ equal the lock."),
    "extensions test": (f"{_CLI}.extensions.test:command", "Run the conformance suites."),
    "extensions tree": (f"{_CLI}.extensions.tree:command", "Show which extension needs which."),
    "extensions uninstall": (f"{_CLI}.extensions.uninstall:command", "Remove extensions."),
    "extensions unpin": (f"{_CLI}.extensions.pin:unpin", "Let an extension be upgraded."),
    "extensions upgrade": (f"{_CLI}.extensions.upgrade:command", "Install newer versions."),
    "extensions verify": (f"{_CLI}.extensions.verify:command", "Hash every copy, report by file."),
    "sandbox doctor": (f"{_CLI}.sandbox.doctor:command", "Say which providers can run here."),
    "sandbox list": (f"{_CLI}.sandbox.list:command", "List the declared sandboxes."),
    "sandbox prune": (f"{_CLI}.sandbox.prune:command", "Remove what dead owners left behind."),
    "sandbox ps": (f"{_CLI}.sandbox.ps:command", "List what sandboxes have running."),
    "sandbox run": (f"{_CLI}.sandbox.run:command", "Run a program in a declared sandbox."),
}
"""Command path to ``(module:attribute, short help)``."""
