"""Every test of the runtime leaves this process as it found it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from harnest_ext.runtime.activation import active_set

if TYPE_CHECKING:
    from collections.abc import Iterator


def foreign_modules() -> set[str]:
    """Return the names of loaded modules of extensions and sandbox files."""
    own = "harnest.extensions._"
    return {
        name
        for name in sys.modules
        if name.startswith(("harnest.extensions.", "harnest_project_sandbox"))
        and not name.startswith(own)
    }


@pytest.fixture(autouse=True)
def _nothing_stays() -> Iterator[None]:
    yield
    assert active_set() is None
    assert foreign_modules() == set()
