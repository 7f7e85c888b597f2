"""Where an interpreter is installed: what has to be visible for it to run inside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from . import limits
from .view import View, covers

__all__ = ["InterpreterError", "interpreter_view"]

_QUESTION: Final = (
    "import sys, json; print(json.dumps([sys.prefix, sys.exec_prefix, sys.base_prefix, "
    "sys.base_exec_prefix, sys.version_info[:2]]))"
)


class InterpreterError(Exception):
    """An interpreter can't be shown to programs; the text is the reason, without the path."""


def interpreter_view(python: str, *, shown: View, work: str | None = None) -> View:
    """Return what has to be visible beside the system for an interpreter to run.

    Args:
        python: Its absolute path.
        shown: What is visible anyway.
        work: The work directory on the host; None if there is none yet.

    Raises:
        InterpreterError: It does not run, showing it would show a home or the whole host, or
            programs could put something else in its place.
    """
    prefixes = _prefixes(python)
    for prefix in prefixes:
        _refuse_open_prefix(prefix)
    folders = [(os.path.realpath(p), p) for p in prefixes if not shown.shows(p)]
    view = View(read_only=tuple(sorted(set(folders), key=lambda entry: entry[1])))
    found = view.joined(_links_to(python, shown.joined(view)))
    if work is not None and any(covers(work, source) for source, _ in found.read_only):
        # A link in its place would show the next sandbox whatever it leads to.
        raise InterpreterError(
            "the interpreter lies in the work directory, where programs could replace it"
        )
    return found


def _prefixes(python: str) -> list[str]:
    """Return the folders of its installation, and of its virtual environment."""
    if python == sys.executable:
        found = [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix]
    else:
        found = _asked(python)
    return list(dict.fromkeys(os.path.abspath(prefix) for prefix in found))  # noqa: PTH100 - by text


def _asked(python: str) -> list[str]:
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
        raise InterpreterError(
            f"the interpreter does not run on this host ({type(error).__name__})"
        ) from None
    if version < [3, 8]:
        raise InterpreterError("the interpreter is older than Python 3.8")
    return [str(prefix) for prefix in prefixes]


def _refuse_open_prefix(prefix: str) -> None:
    """Refuse a prefix that is far more than a Python installation, as by ``--prefix=$HOME``."""
    homes = [os.path.expanduser("~"), "/home", "/root"]  # noqa: PTH111 - no error without a home
    if any(covers(os.path.realpath(prefix), os.path.realpath(home)) for home in homes):
        raise InterpreterError(
            "the interpreter's installation folder is a home or holds one, and programs would see "
            "all of it"
        )


def _links_to(python: str, visible: View) -> View:
    """Return the links on the way to its file that lie where nothing is visible."""
    links: list[tuple[str, str]] = []
    place = python
    for _ in range(limits.LINKS):
        if not Path(place).is_symlink():
            break
        text = os.readlink(place)  # noqa: PTH115 - its text
        if not visible.shows(place):
            links.append((text, place))
        place = os.path.normpath(os.path.join(os.path.dirname(place), text))  # noqa: PTH118, PTH120 - by text
    if visible.shows(place):
        return View(links=tuple(links))
    return View(read_only=((os.path.realpath(place), place),), links=tuple(links))
