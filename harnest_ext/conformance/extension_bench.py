"""What a check of the extension suite works with: the package, and the facts of one run of it."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harnest_ext import limits
from harnest_ext.conformance.checks import Broken
from harnest_ext.conformance.scratch import ScratchProject
from harnest_ext.host import Host
from harnest_ext.package import check_package

if TYPE_CHECKING:
    from harnest_ext.package import CheckReport

__all__ = ["ExtensionBench"]


@dataclass(frozen=True, kw_only=True)
class ExtensionBench:
    """One extension under test.

    Attributes:
        path: Its folder or wheel.
        secret: A text that is planted as a credential and must not come out anywhere.
    """

    path: Path
    secret: str = field(default_factory=lambda: f"planted-{secrets.token_hex(8)}", repr=False)

    @cached_property
    def report(self) -> CheckReport:
        """What every static rule says about it."""
        return check_package(self.path, host=Host())

    @cached_property
    def scratch(self) -> ScratchProject:
        """A project with it installed, whose credentials are the planted secret."""
        plain = ScratchProject(extension=self.path)
        return ScratchProject(extension=self.path, credentials={plain.name(): self.secret})

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What one run of it in an interpreter of its own did.

        Raises:
            Broken: The interpreter ended without telling.
            HarnestExtensionError: It can't be installed.
        """
        with tempfile.TemporaryDirectory(prefix="harnest-conformance-") as folder:
            project = self.scratch.make(Path(folder))
            name = str(self.scratch.name())
            command = [sys.executable, "-m", "harnest_ext.conformance.probe"]
            try:
                done = subprocess.run(
                    [*command, str(project), name, self.secret],
                    capture_output=True,
                    cwd=project,
                    env={**os.environ, "HARNEST_CONFORMANCE": self.secret},
                    timeout=limits.PROBE_SECONDS,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                raise Broken(f"its run took more than {limits.PROBE_SECONDS} s") from None
        try:
            facts = json.loads(done.stdout.splitlines()[-1])
        except (ValueError, IndexError):
            raise Broken(f"its run ended with exit code {done.returncode}") from None
        return dict(facts)

    def fact(self, name: str) -> Any:
        """Return a fact.

        Raises:
            Broken: The run did not come so far; the text says what ended it.
        """
        if name not in self.facts:
            raise Broken(f"its run ended before that: {self.facts.get('failure', 'by itself')}")
        return self.facts[name]
