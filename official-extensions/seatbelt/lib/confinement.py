"""One kind of sandbox of this host: what may be read in it, and programs to be run in it."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from harnest.execution.local import Launcher, LocalProgram, workdir

from .allowed import allowed_paths
from .interpreter import Interpreter
from .places import real_path
from .profile import Profile
from .settings import PREFIX
from .tool import TOOL, check_tool

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from harnest.execution.local import ConfinedRun

__all__ = ["Confinement"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Confinement:
    """Sandboxes that differ only in what runs in them, and where.

    Attributes:
        interpreter: Interpreter in them.
        allowed: Paths, as the kernel sees them, that their programs may read.
        network: Whether they may use the network.
    """

    interpreter: Interpreter
    allowed: tuple[str, ...]
    network: bool

    @classmethod
    def of(cls, *, python: str, allowed: Sequence[str], network: bool) -> Self:
        """Look up on this host what such a sandbox needs; nothing is started in it yet.

        Args:
            python: Absolute path of an interpreter, Python 3.8 or newer.
            allowed: Absolute paths that programs may read.
            network: As in the attributes.

        Raises:
            Refusal: This host can't have such a sandbox.
            ValueError: A path can't be allowed.
        """
        check_tool()
        return cls(
            interpreter=Interpreter.at(python), allowed=allowed_paths(allowed), network=network
        )

    def profile(self, work: str, scratch: str) -> Profile:
        """Return the profile of one sandbox.

        Args:
            work: Its work directory, as the kernel sees it.
            scratch: Its folder for temporary files, likewise.
        """
        return Profile(
            writable=(work, scratch),
            readable=tuple(dict.fromkeys((*self.interpreter.readable, *self.allowed))),
            links=self.interpreter.links,
            network=self.network,
        )

    @contextlib.contextmanager
    def program(self, run: ConfinedRun) -> Iterator[LocalProgram]:
        """Prepare one program; its profile and temporary files are removed with the block.

        Args:
            run: The program.

        Raises:
            OSError: No private folder can be made.
        """
        # Not in the work directory: a program that can write its profile chooses its successor's.
        private = workdir.make(PREFIX)
        try:
            scratch = private / "tmp"
            scratch.mkdir(mode=0o700)
            work = os.path.realpath(run.work)
            text = self.profile(real_path(work), real_path(str(scratch))).text()
            environment = self._environment(work, str(scratch)) | dict(run.environment)
            yield LocalProgram(
                code=run.code,
                argv=run.argv,
                work=work,
                environment=environment,
                limits=run.limits,
                python=self.interpreter.path,
                stdin=run.stdin,
                launcher=Launcher(
                    prefix=(TOOL, "-f", _written(private / "profile.sb", text)),
                    directory=work,
                    environment=environment,
                ),
            )
        finally:
            workdir.remove(private)

    def _environment(self, work: str, scratch: str) -> dict[str, str]:
        python = os.path.dirname(self.interpreter.path)  # noqa: PTH120 - text is wanted
        places = (python, "/usr/bin", "/bin", "/usr/sbin", "/sbin")
        return {
            "HOME": work,
            "LANG": "C.UTF-8",
            "PATH": os.pathsep.join(dict.fromkeys(places)),
            "TMPDIR": scratch,
        }


def _written(path: Path, text: str) -> str:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        file.write(os.fsencode(text))
    return str(path)
