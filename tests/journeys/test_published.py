"""Extensions that were published before this host existed install and run as they are."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.packages import make_agent

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.commands import Command

pytestmark = [pytest.mark.index, pytest.mark.slow]

RELEASES = {"docker": "0.4.2", "hatchet": "0.2.2", "rag": "0.1.3"}
SANDBOX = '''"""A sandbox of the published docker extension."""

from harnest.extensions.docker import docker
from harnest.sandbox import SandboxNetworkPolicy

python = docker.sandbox(
    image="{image}", network_policy=SandboxNetworkPolicy.none(), timeout_seconds=20
)
'''
STARTED = """
import harnest.extensions.hatchet, harnest.extensions.rag
from harnest import context
from harnest_ext.runtime import AgentRuntime

with AgentRuntime(".") as runtime:
    for name, each in runtime.running.active.loaded.items():
        print(name, each.candidate.version, each.candidate.origin)
    with runtime.invocation(agent_name="assistant", user_id="ada"):
        assert context.extensions("hatchet") is harnest.extensions.hatchet.extension.context
        assert harnest.extensions.hatchet.extension.context.active
        harnest.extensions.hatchet.extension.context.continuations
"""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The published wheels, downloaded by the ordinary client; skips where no index answers."""
    folder = tmp_path_factory.mktemp("published")
    wanted = [f"harnest-extension-{name}=={version}" for name, version in RELEASES.items()]
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--dest"]
    asked = subprocess.run(
        [*command, str(folder), *wanted], capture_output=True, text=True, check=False, timeout=300
    )
    if asked.returncode:
        lines = asked.stderr.strip().splitlines()
        pytest.skip(f"no index gives the published wheels: {lines[-1] if lines else 'pip failed'}")
    return {
        name: next(folder.glob(f"harnest_extension_{name}-{version}-*.whl"))
        for name, version in RELEASES.items()
    }


def test_published_extensions_install_and_activate(
    harnest: Command, root: Path, wheels: dict[str, Path], tmp_path: Path
) -> None:
    """All three are taken from their wheels, started, and have contexts in an invocation."""
    project = make_agent(tmp_path)
    for name, wheel in wheels.items():
        done = harnest("extensions", "install", wheel, cwd=project)
        assert done.code == 0, f"{name}: {done.stderr}"
    done = subprocess.run(
        [sys.executable, "-c", STARTED],
        cwd=project,
        env=os.environ | {"PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    told = [line.split() for line in done.stdout.splitlines()]
    found = {name: version for name, version, origin in told if origin == "project"}
    assert found == RELEASES


@pytest.mark.docker
def test_the_published_docker_extension_executes(
    harnest: Command, wheels: dict[str, Path], image: str, tmp_path: Path
) -> None:
    """Output, exit status, deadline and refusals come through this runtime unchanged."""
    project = make_agent(tmp_path, sandboxes={"python": SANDBOX.format(image=image)})
    assert harnest("extensions", "install", wheels["docker"], cwd=project).code == 0

    def run(code: str, *more: str) -> tuple[int, str]:
        done = harnest("sandbox", "run", "python", "-c", code, *more, cwd=project)
        return done.code, done.stdout

    assert run("print(40*10)") == (0, "400\n")
    assert run("import sys; print('so'); sys.exit(7)") == (7, "so\n")
    assert run("import time; time.sleep(600)", "--timeout", "1")[0] == 124
    file = tmp_path / "a.txt"
    file.write_text("x")
    assert run("print(1)", "--input", str(file))[0] == 125
