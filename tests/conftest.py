"""What tests share: the command line, a scratch agent project, the unpacked corpus."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.support.commands import Command
from tests.support.packages import make_agent

if TYPE_CHECKING:
    from collections.abc import Callable

# A busy machine makes any example slow; time is measured in benchmarks, never in a test.
settings.register_profile("harnest", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("harnest")

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository's root."""
    return ROOT


@pytest.fixture(scope="session")
def harnest() -> Command:
    """The command line of this checkout, run as a process of its own."""
    return Command(environment=(("PYTHONPATH", str(ROOT)),))


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    """An agent project without extensions and sandboxes."""
    return make_agent(tmp_path)


@pytest.fixture(scope="session")
def corpus() -> Callable[[str], Path]:
    """Give the path of a case in the unpacked corpus; skips where there is none."""
    folder = os.environ.get("HARNEST_CORPUS", "")
    if not folder:
        pytest.skip("HARNEST_CORPUS does not name an unpacked corpus")
    return Path(folder).joinpath
