"""Where an interpreter is installed: what has to be visible for it to run inside."""

from __future__ import annotations

import os
from pathlib import Path

from harnest.execution.local import Refusal, prefixes_of
from harnest.execution.local.installation import NAME_ANOTHER

from . import limits
from .view import View, covers

__all__ = ["interpreter_view"]


def interpreter_view(python: str, *, shown: View, work: str | None = None) -> View:
    """Return what has to be visible beside the system for an interpreter to run.

    Args:
        python: Its absolute path.
        shown: What is visible anyway.
        work: The work directory on the host; None if there is none yet.

    Raises:
        Refusal: It does not run, showing it would show a home or the whole host, or
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
        raise Refusal(
            "the interpreter lies in the work directory, where programs could replace it",
            NAME_ANOTHER,
        )
    return found


def _prefixes(python: str) -> list[str]:
    """Return the folders of its installation, and of its virtual environment."""
    return list(dict.fromkeys(os.path.abspath(prefix) for prefix in prefixes_of(python)))  # noqa: PTH100 - by text


def _refuse_open_prefix(prefix: str) -> None:
    """Refuse a prefix that is far more than a Python installation, as by ``--prefix=$HOME``."""
    homes = [os.path.expanduser("~"), "/home", "/root"]  # noqa: PTH111 - no error without a home
    if any(covers(os.path.realpath(prefix), os.path.realpath(home)) for home in homes):
        raise Refusal(
            "the interpreter's installation folder is a home or holds one, and programs would see "
            "all of it",
            NAME_ANOTHER,
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
