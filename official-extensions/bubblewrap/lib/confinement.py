"""One kind of sandbox of this host: what is visible in it, and programs to be run in it."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from harnest.execution.local import Launcher, LocalProgram

from .allowed import HOME, allowed_view, check_unlinked
from .arguments import Box
from .interpreter import interpreter_view
from .tool import find_tool
from .view import system_view

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from harnest.execution.local import ConfinedRun

    from .tool import Tool
    from .view import View

__all__ = ["Confinement"]

_HIDDEN_FILES: Final = (
    "config.gz",
    "interrupts",
    "iomem",
    "ioports",
    "kallsyms",
    "kcore",
    "key-users",
    "keys",
    "kmsg",
    "kpagecgroup",
    "kpagecount",
    "kpageflags",
    "latency_stats",
    "mtrr",
    "pagetypeinfo",
    "sched_debug",
    "slabinfo",
    "timer_list",
    "timer_stats",
    "vmallocinfo",
    "zoneinfo",
)
_HIDDEN_FOLDERS: Final = ("acpi", "asound", "driver", "fs", "scsi")
"""What ``/proc`` tells about the host whoever asks, by names; kernels have some of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Confinement:
    """Sandboxes that differ only in what runs in them, and where.

    Attributes:
        tool: What makes them.
        view: What of this host is visible in them.
        python: Interpreter in them.
        network: Whether they have the host's network.
        tmp_bytes: Most bytes in their ``/tmp``.
        allowed: Real paths that were allowed beside the system; part of ``view``.
    """

    tool: Tool
    view: View
    python: str
    network: bool
    tmp_bytes: int
    allowed: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        *,
        python: str,
        allowed_paths: Sequence[str],
        network: bool,
        tmp_bytes: int,
        work: str | None = None,
    ) -> Self:
        """Look up on this host what such a sandbox needs; nothing is started in it yet.

        Args:
            python: Absolute path of an interpreter of this host, Python 3.8 or newer.
            allowed_paths: Real paths of this host that are visible in their places.
            network: As in the attributes, and so is the next.
            tmp_bytes: Likewise.
            work: Work directory of every program, as its real path; None if each gets a new one.

        Raises:
            Refusal: This host can't have such a sandbox.
            ValueError: A path can't be allowed.
        """
        system = system_view(network=network)
        allowed = allowed_view(allowed_paths, work=work)
        tool = find_tool()
        runtime = interpreter_view(python, shown=system, work=work)
        return cls(
            tool=tool,
            view=system.joined(runtime).joined(allowed),
            python=python,
            network=network,
            tmp_bytes=tmp_bytes,
            allowed=tuple(allowed_paths),
        )

    @contextlib.contextmanager
    def program(self, run: ConfinedRun) -> Iterator[LocalProgram]:
        """Prepare one program; what it needs to start is released with the block.

        Args:
            run: The program.

        Raises:
            LocalProgramError: An allowed path leads elsewhere by now.
            OSError: No descriptors are left.
        """
        check_unlinked(self.allowed)
        environment = self._environment() | dict(run.environment)
        with self.tool.launch(self._box(run.work, environment)) as launch:
            yield LocalProgram(
                code=run.code,
                argv=run.argv,
                work=HOME,
                environment=environment,
                limits=run.limits,
                python=self.python,
                stdin=run.stdin,
                launcher=Launcher(
                    prefix=launch.prefix,
                    descriptors=launch.descriptors,
                    directory=str(run.work),
                    contains=True,
                ),
            )

    def _box(self, work: Path, environment: Mapping[str, str]) -> Box:
        return Box(
            view=self.view,
            work=str(work),
            environment=environment,
            network=self.network,
            tmp_bytes=self.tmp_bytes,
            hidden_files=tuple(_existing(_HIDDEN_FILES)),
            hidden_folders=tuple(_existing(_HIDDEN_FOLDERS)),
        )

    def _environment(self) -> dict[str, str]:
        places = (os.path.dirname(self.python), "/usr/local/bin", "/usr/bin", "/bin")  # noqa: PTH120 - text is wanted
        return {
            "HOME": HOME,
            "LANG": "C.UTF-8",
            "PATH": os.pathsep.join(dict.fromkeys(places)),
            "TMPDIR": "/tmp",  # noqa: S108 - the sandbox's own
        }


def _existing(names: Sequence[str]) -> Iterator[str]:
    places = (f"/proc/{name}" for name in names)
    return (place for place in places if os.path.exists(place))  # noqa: PTH110 - text is at hand
