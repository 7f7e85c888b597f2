"""Which sandbox a newcomer's first program runs in, and why: Docker where it really works."""

from __future__ import annotations

import importlib.util
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harnest_ext import limits
from harnest_ext.cli.daemon import Daemon
from harnest_ext.cli.provision import provide
from harnest_ext.errors import HarnestExtensionError
from harnest_ext.scaffold import DEFAULT_IMAGE, create_agent

if TYPE_CHECKING:
    from harnest.sandbox import SandboxResult
    from harnest_ext.cli.output import Output
    from harnest_ext.scaffold import AgentScaffold

__all__ = ["PROGRAM", "Choice", "choose", "first_run"]

PROGRAM = "print(40*10)"
"""The newcomer's first program."""
_PRINTS = "400\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A sandbox and the reason for it.

    Attributes:
        sandbox: Extension that provides it.
        image: Image for docker; None for process.
        reason: Half a sentence that goes after "because".
    """

    sandbox: str
    image: str | None = None
    reason: str


def choose(output: Output, *, wanted: str | None, image: str | None) -> Choice:
    """Return what to use.

    Args:
        output: Is told what takes time.
        wanted: ``docker`` or ``process`` if the user said so.
        image: Image if the user named one.
    """
    if wanted == "process":
        return Choice(sandbox="process", reason="you asked for it")
    if wanted == "docker":
        return Choice(sandbox="docker", image=image or DEFAULT_IMAGE, reason="you asked for it")
    if importlib.util.find_spec("docker") is None:
        return Choice(
            sandbox="process",
            reason="the Python package 'docker' is not installed here (docker>=7.1,<8)",
        )
    daemon = Daemon.at_hand()
    objection = daemon.objection()
    if objection:
        return Choice(sandbox="process", reason=objection)
    found = _image(daemon, image, output)
    if found is None:
        return Choice(
            sandbox="process",
            reason=f"the Docker daemon has no Python image, and {image or DEFAULT_IMAGE} could "
            f"not be pulled within {limits.QUICKSTART_PULL_SECONDS} s",
        )
    return _tried(found, output)


def first_run(made: AgentScaffold) -> SandboxResult:
    """Run the first program in a new project's sandbox.

    Raises:
        HarnestExtensionError: The project can't be opened.
        RuntimeError: The sandbox could not run it.
    """
    # Imported here: `quickstart --help` needs no runtime.
    from harnest_ext.runtime import AgentRuntime  # noqa: PLC0415

    with (
        AgentRuntime(made.folder) as runtime,
        runtime.invocation(agent_name="assistant", user_id="newcomer", session_id="first") as call,
    ):
        return call.sandbox("python").execute(PROGRAM)


def _image(daemon: Daemon, wanted: str | None, output: Output) -> str | None:
    try:
        there = daemon.images()
    except (OSError, ValueError):
        return None
    name = wanted or DEFAULT_IMAGE
    others = [] if wanted else _pythons(there)
    local = [image for image in (name, *others) if image in there]
    if local:
        return local[0]
    output.note(f"Pulling the image {name} (at most {limits.QUICKSTART_PULL_SECONDS} s) ...")
    return name if daemon.pull(name, limits.QUICKSTART_PULL_SECONDS) else None


def _pythons(images: tuple[str, ...]) -> list[str]:
    """Return the images whose last name is ``python``."""
    return [image for image in images if image.rpartition(":")[0].split("/")[-1] == "python"]


def _tried(image: str, output: Output) -> Choice:
    """Choose docker if the whole way works in a project that is thrown away again."""
    with tempfile.TemporaryDirectory(prefix="harnest-quickstart-") as folder:
        try:
            made = create_agent(Path(folder) / "trial", sandbox="docker", image=image)
            provide(made, output)
            result = first_run(made)
        except (HarnestExtensionError, RuntimeError, ValueError) as error:
            output.detail(f"The trial in Docker failed: {error}")
            reason = f"a trial in Docker failed ({type(error).__name__})"
            return Choice(sandbox="process", reason=reason)
    if result.stdout != _PRINTS:
        return Choice(sandbox="process", reason=f"a trial in Docker ended as {result.status.value}")
    return Choice(
        sandbox="docker",
        image=image,
        reason=f"a Docker daemon answers and the image {image} is there",
    )
