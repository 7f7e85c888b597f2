"""Agent projects with installed extensions: real copies, a real lock, real sandbox files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnest_ext.identity import Slug
from harnest_ext.package.digest import digest_of_folder
from harnest_ext.store import LockedExtension, LockedSource, LockFile, SourceKind, render_lock
from tests.support.packages import PackageSpec, make_agent, make_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

__all__ = ["SANDBOX_FILE", "echo_extension", "extension", "installed", "relock"]

_PROVIDER = '''"""A provider in memory, made for a test: it runs no Python, it obeys four words."""

from __future__ import annotations

import os
import sys

from harnest.extensions import Extension
from harnest.sandbox import (
    Sandbox,
    SandboxFile,
    SandboxNetworkMode,
    SandboxProviderCapabilities,
    SandboxResult,
    SandboxStatus,
    control,
)
from harnest.sandbox.optional import (
    DiagnosisState,
    OutputStream,
    SandboxDiagnosis,
    SandboxPruneReport,
    SandboxResource,
)


class Provider:
    """Obeys ``echo TEXT``, ``exit N``, ``wait``, ``fail TEXT``, ``who`` and ``copy``."""

    sandbox_capabilities = SandboxProviderCapabilities(
        network_modes=frozenset({SandboxNetworkMode.NONE})
    )

    def __init__(self):
        self.closed = 0

    def execute(self, request):
        word, _, rest = request.code.partition(" ")
        if word == "echo":
            return SandboxResult(stdout=rest + "\\n", exit_code=0)
        if word == "exit":
            return SandboxResult(
                status=SandboxStatus.FAILED if int(rest) else SandboxStatus.SUCCEEDED,
                exit_code=int(rest),
            )
        if word == "who":
            who = request.context
            parts = (who.agent_name, who.user_id, who.session_id, who.invocation_id)
            return SandboxResult(stdout="/".join(map(str, parts)), exit_code=0)
        if word == "wait":
            return self._wait(request)
        if word == "copy":
            return SandboxResult(output_files=request.input_files, exit_code=0)
        if word == "flood":
            return SandboxResult(stdout="x" * 10, status=SandboxStatus.OUTPUT_LIMIT_EXCEEDED)
        if word == "leave":
            return SandboxResult(output_files=(SandboxFile(rest, b"gotcha"),), exit_code=0)
        raise RuntimeError(rest)

    def _wait(self, request):
        with control.execute(request.timeout_seconds) as scope:
            recorder = sys.modules.get("tests.support.recorder")
            if recorder:
                recorder.WAITING.set()
            if os.environ.get("TEST_BEGUN"):
                open(os.environ["TEST_BEGUN"], "w").close()
            note = os.environ.get("TEST_WAITING")
            try:
                if note:
                    open(note, "w").close()
                while True:
                    scope.check()
                    scope.cancelled.wait(0.01)
            finally:
                if note:
                    os.unlink(note)

    def execute_streaming(self, request, on_output):
        result = self.execute(request)
        if result.stdout:
            on_output(OutputStream.STDOUT, result.stdout)
        return result

    def inventory(self):
        return (
            SandboxResource(
                kind="slot", resource_id="s1", owner="a test", owner_alive=False, age_seconds=61.0
            ),
        )

    def prune(self):
        return SandboxPruneReport(removed=self.inventory())

    def diagnose(self):
        return (SandboxDiagnosis(name="memory", state=DiagnosisState.OK, detail="it is there"),)

    def close(self):
        self.closed += 1


class EchoExtension(Extension):
    """Declares sandboxes with a provider in memory."""

    def sandbox(self, **options):
        return Sandbox.provider(Provider, name="echo", **options)


extension = EchoExtension()
echo = extension
'''

SANDBOX_FILE = '''"""A sandbox made for a test."""

from harnest.extensions.echo import echo

{name} = echo.sandbox(timeout_seconds={timeout})
'''


def extension(name: str, body: str = "", **fields: object) -> PackageSpec:
    """Return a package whose ``extension.py`` has ``body`` before the usual end.

    Args:
        name: Slug of the extension.
        body: Source of the class's body, indented by four spaces; empty for none.
        fields: Further fields of the :class:`PackageSpec`.
    """
    title = name.title().replace("_", "")
    source = (
        '"""An extension made for a test."""\n\nfrom harnest.extensions import Extension\n\n\n'
        f'class {title}(Extension):\n    """Made for a test."""\n\n{body}\n\n'
        f"extension = {title}()\n{name} = extension\n"
    )
    files = {"extension.py": source, **fields.pop("files", {})}  # type: ignore[dict-item]
    return PackageSpec(name=name, files=files, **fields)  # type: ignore[arg-type]


def echo_extension(**fields: object) -> PackageSpec:
    """Return an extension that provides sandboxes in memory."""
    defaults: dict[str, object] = {"capabilities": ("sandbox.provider",)}
    return PackageSpec(
        name="echo",
        files={"extension.py": _PROVIDER},
        **{**defaults, **fields},  # type: ignore[arg-type]
    )


def installed(
    parent: Path,
    specs: Iterable[PackageSpec] = (),
    *,
    sandboxes: Mapping[str, str] | None = None,
    name: str = "demo",
) -> Path:
    """Write an agent project with these extensions installed and return its folder.

    Args:
        parent: Where the project's folder is made.
        specs: The extensions.
        sandboxes: Sandbox name to the source of its file.
        name: Name of the project.
    """
    project = make_agent(parent, name, sandboxes=sandboxes)
    (project / "extensions").mkdir()
    specs = tuple(specs)
    for spec in specs:
        make_folder(project / "extensions", spec)
    relock(project, specs)
    return project


def relock(project: Path, specs: Iterable[PackageSpec]) -> None:
    """Write the lock of a project as an installation of these packages would."""
    entries = {
        Slug(spec.name): LockedExtension(
            name=Slug(spec.name),
            version=spec.version,
            source=LockedSource(kind=SourceKind.FOLDER, location=f"../{spec.name}"),
            digest=digest_of_folder(project / "extensions" / spec.name).digest,
            requires=spec.requires,
            dependencies=spec.dependencies,
            capabilities=spec.capabilities,
            host_range=spec.harnest,
            requires_python=spec.requires_python,
        )
        for spec in specs
    }
    (project / "harnest-extensions.lock").write_bytes(render_lock(LockFile(entries=entries)))
