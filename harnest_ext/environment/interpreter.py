"""The Python that packages are installed for: asked what it is, never guessed from its path."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from harnest_ext import limits
from harnest_ext.environment import rules
from harnest_ext.errors import IncompatibleExtension, UsageError
from harnest_ext.store.reading import is_folder

__all__ = ["Interpreter", "find_interpreter"]

_QUESTION = """
import json, os, platform, sys, sysconfig
marker = os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
print(json.dumps({
    "executable": sys.executable,
    "prefix": sys.prefix,
    "version": platform.python_version(),
    "managed": sys.prefix == sys.base_prefix and os.path.isfile(marker),
}))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """One Python.

    Attributes:
        executable: Its program.
        prefix: Folder of its environment.
        version: Its version, three numbers and a possible suffix.
        externally_managed: Whether it belongs to a package manager of the system (PEP 668).
    """

    executable: Path
    prefix: Path
    version: str
    externally_managed: bool

    @property
    def is_ours(self) -> bool:
        """Whether it is the environment that runs Harnest."""
        return os.path.realpath(self.prefix) == os.path.realpath(sys.prefix)

    def check_installable(self) -> None:
        """Refuse an environment that is not ours to change.

        Raises:
            IncompatibleExtension: rule ``env.externally-managed``.
        """
        if self.externally_managed:
            raise IncompatibleExtension(
                rules.EXTERNALLY_MANAGED.problem(
                    "This Python belongs to the system's package manager.",
                    path=str(self.executable),
                )
            )


def find_interpreter(path: Path | None) -> Interpreter:
    """Return the Python at ``path``: a program or a virtual environment; None for our own.

    Raises:
        UsageError: rule ``env.interpreter``: it is no Python, or does not answer.
    """
    program = Path(sys.executable) if path is None else path
    if is_folder(program):
        program /= "bin/python"
    try:
        asked = subprocess.run(
            [program, "-I", "-c", _QUESTION],
            capture_output=True,
            check=True,
            stdin=subprocess.DEVNULL,
            timeout=limits.INTERPRETER_SECONDS,
        )
        told = json.loads(asked.stdout)
        return Interpreter(
            executable=Path(told["executable"]),
            prefix=Path(told["prefix"]),
            version=str(told["version"]),
            externally_managed=bool(told["managed"]),
        )
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        raise UsageError(
            rules.INTERPRETER.problem(
                f"This is not a Python that answers: {why}.", path=str(program)
            )
        ) from None
