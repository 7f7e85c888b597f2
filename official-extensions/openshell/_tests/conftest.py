"""What the tests of the OpenShell extension share: a gateway of this host, and backends on it."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

# A busy machine makes any example slow.
settings.register_profile("slow", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("slow")
HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent
SECONDS = 120
"""Deadline of what is not about deadlines."""
sys.path.insert(0, str(HERE))

if "harnest_extension_openshell" not in sys.modules:
    # This folder is what is tested, whatever is installed.
    package = types.ModuleType("harnest_extension_openshell")
    package.__path__ = [str(FOLDER)]
    sys.modules[package.__name__] = package

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gateway.containers import Stock
    from gateway.server import LocalGateway


@pytest.fixture(scope="session")
def daemon() -> None:
    """Skip where no daemon answers or the image is missing."""
    look = ["docker", "image", "inspect", "harnest-test/openshell"]
    try:
        found = subprocess.run(look, capture_output=True, timeout=120, check=False)
    except OSError:
        pytest.skip("there is no docker command")
    if found.returncode:
        pytest.skip("no Docker daemon answers, or it has no harnest-test/openshell")


@pytest.fixture(scope="session")
def stock(daemon: None) -> Iterator[Stock]:
    """Containers for sandboxes; all of them are removed in the end."""
    from gateway.containers import Stock  # noqa: PLC0415 - needs the path above

    with contextlib.closing(Stock()) as made:
        yield made


@pytest.fixture
def gateway(stock: Stock) -> Iterator[LocalGateway]:
    """A gateway without any sandbox; all that it made are ended after the test."""
    from gateway.server import LocalGateway  # noqa: PLC0415 - gRPC is slow to import

    with LocalGateway(stock) as made:
        yield made


@pytest.fixture
def config(gateway: LocalGateway) -> Callable[..., Any]:
    """Configurations of backends on the gateway."""
    from harnest_extension_openshell.extension import (  # noqa: PLC0415 - needs the above
        Connection,
        OpenShellConfig,
    )

    def make(**options: Any) -> OpenShellConfig:
        options.setdefault("connection", Connection(endpoint=gateway.endpoint))
        options.setdefault("timeout_seconds", SECONDS)
        options.setdefault("ready_seconds", SECONDS)
        return OpenShellConfig(**options)

    return make


@pytest.fixture
def backend(config: Callable[..., Any]) -> Callable[..., Any]:
    """Backends on the gateway."""
    from harnest_extension_openshell.extension import OpenShellBackend  # noqa: PLC0415 - likewise

    def make(**options: Any) -> OpenShellBackend:
        hooks = options.pop("hooks", None)
        return OpenShellBackend(config(**options), hooks=hooks)

    return make


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project's folder."""
    made = tmp_path / "project"
    made.mkdir()
    return made
