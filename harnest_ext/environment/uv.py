"""`uv` as a port: solve requirements into a PEP 751 lock, and install such a lock.

The only module that starts it. It is started as a list of arguments in the project's folder, so
that the project's own configuration of uv counts; what it says is passed on without credentials.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.environment import rules
from harnest_ext.errors import SourceError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from harnest_ext.environment.interpreter import Interpreter

__all__ = ["NoSolution", "Uv", "find_uv"]

_USER = re.compile(r"//[^/@\s]+@")
_LOCKS = ("--preview-features", "pylock")


class NoSolution(Exception):
    """The requirements exclude each other, or name something that is not there.

    Args:
        said: What uv said, without credentials.
    """

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self.said = said


@dataclass(frozen=True, slots=True, kw_only=True)
class Uv:
    """One way of running it.

    Attributes:
        program: Its executable.
        folder: Where it is run.
        python: For which Python.
        index_url: Package index in place of the one that uv is configured with; may hold
            credentials; empty for uv's own.
        offline: Whether it may ask nothing over the network.
    """

    program: Path
    folder: Path
    python: Interpreter
    index_url: str = ""
    offline: bool = False

    def lock(
        self,
        requirements: Iterable[str],
        constraints: Iterable[str],
        excludes: Iterable[str],
        target: Path,
        *,
        upgrade: bool = False,
    ) -> None:
        """Solve requirements for every platform and write the lock.

        Args:
            requirements: PEP 508 texts.
            constraints: PEP 508 texts that bound versions without asking for anything.
            excludes: Names that are left out, whoever requires them.
            target: File of the lock; the versions in one that is there are kept where they will
                do. Files beside it are made.
            upgrade: Whether newer versions are taken all the same.

        Raises:
            NoSolution: There is none.
            SourceError: uv failed.
        """
        inputs = {"requirements": requirements, "constraints": constraints, "excludes": excludes}
        files = {}
        for name, lines in inputs.items():
            files[name] = target.with_name(f"{name}.txt")
            files[name].write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        version = ".".join(self.python.version.split(".")[:2])
        self._run(
            "pip", "compile", *_LOCKS, "--format", "pylock.toml", "--universal", "--no-header",
            "--quiet", "--python-version", version, "--constraints", files["constraints"],
            "--excludes", files["excludes"], "--output-file", target,
            *(["--upgrade"] if upgrade else []), files["requirements"],
        )  # fmt: skip

    def install(self, lock: Path, *, dry_run: bool) -> str:
        """Install what a lock names, each file checked against its hash; remove nothing.

        Returns:
            What uv said: a line for each package that changes.

        Raises:
            SourceError: uv failed.
        """
        return self._run(
            "pip", "install", *_LOCKS, *(["--dry-run"] if dry_run else []), "--requirements", lock
        )

    def _run(self, *arguments: str | Path) -> str:
        command = [self.program, *arguments, "--python", self.python.executable, "--no-progress"]
        command += ["--color", "never", *(["--offline"] if self.offline else [])]
        try:
            done = subprocess.run(
                command,
                cwd=self.folder,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                timeout=limits.ENVIRONMENT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise SourceError(
                rules.SLOW.problem(
                    "uv did not finish in time.", expected=f"{limits.ENVIRONMENT_SECONDS:g} s"
                )
            ) from None
        said = _USER.sub("//***@", done.stderr.decode("utf-8", "replace")).strip()
        if done.returncode:
            raise self._failure(said)
        return said

    def _environment(self) -> dict[str, str]:
        own = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
        return own | ({"UV_DEFAULT_INDEX": self.index_url} if self.index_url else {})

    @staticmethod
    def _failure(said: str) -> Exception:
        lines = tuple(line.strip() for line in said.splitlines() if line.strip())
        details = lines[-limits.EXPLANATION_LINES :]
        if "network was disabled" in said:
            problem = rules.OFFLINE.problem("A package is not in the cache.", got=" ".join(details))
            return SourceError(problem)
        if "No solution found" in said:
            return NoSolution(said)
        return SourceError(rules.FAILED.problem("uv failed.", got="; ".join(details)))


def find_uv() -> Path:
    """Return uv's program: the one installed beside Harnest, or else one on ``PATH``.

    Raises:
        UsageError: rule ``env.uv``: there is none.
    """
    from pathlib import Path  # noqa: PLC0415 - at run time it is needed here alone

    try:
        from uv import find_uv_bin  # noqa: PLC0415 - the package may have been taken away

        return Path(find_uv_bin())
    except (ImportError, FileNotFoundError):
        found = shutil.which("uv")
    if found is None:
        raise UsageError(rules.UV_MISSING.problem("uv is not installed."))
    return Path(found)
