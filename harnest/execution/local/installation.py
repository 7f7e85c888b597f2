"""Where an interpreter is installed, as it says itself."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Final

from harnest.execution.local import limits
from harnest.execution.local.refusal import Refusal

__all__ = ["NAME_ANOTHER", "prefixes_of"]

NAME_ANOTHER: Final = "Name another interpreter with python=."
"""What to do about an interpreter that can't be used."""
_QUESTION: Final = (
    "import sys, json; print(json.dumps([sys.prefix, sys.exec_prefix, sys.base_prefix, "
    "sys.base_exec_prefix, sys.version_info[:2]]))"
)
_OLDEST: Final = [3, 8]


def prefixes_of(python: str) -> list[str]:
    """Return the folders of its installation and of its virtual environment, some of them twice.

    Args:
        python: Its absolute path.

    Raises:
        Refusal: It does not run on this host, or is older than Python 3.8.
    """
    if python == sys.executable:
        return [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix]
    try:
        done = subprocess.run(
            [python, "-I", "-c", _QUESTION],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            env={"LANG": "C.UTF-8"},
            timeout=limits.INTERPRETER_SECONDS,
        )
        *prefixes, version = json.loads(done.stdout[: limits.INTERPRETER_BYTES])
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        reason = f"the interpreter does not run on this host ({type(error).__name__})"
        raise Refusal(reason, NAME_ANOTHER) from None
    if version < _OLDEST:
        raise Refusal("the interpreter is older than Python 3.8", NAME_ANOTHER)
    return [str(prefix) for prefix in prefixes]
