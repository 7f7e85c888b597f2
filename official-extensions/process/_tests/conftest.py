from __future__ import annotations

import importlib
import sys
import tempfile
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

FOLDER = Path(__file__).resolve().parent.parent

if "harnest_extension_process" not in sys.modules:
    # This folder is what is tested, whatever is installed.
    package = types.ModuleType("harnest_extension_process")
    package.__path__ = [str(FOLDER)]
    sys.modules[package.__name__] = package
if "harnest.extensions.process" not in sys.modules:
    # Likewise for workspaces, which look the tier up by the name that installed extensions have.
    extension = importlib.import_module("harnest_extension_process.extension")
    sys.modules["harnest.extensions.process"] = extension

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def make() -> Iterator[Callable[..., Any]]:
    """A provider of a declaration with these options; closed after the test."""
    from harnest_extension_process.extension import process  # noqa: PLC0415 - needs the above

    made: list[Any] = []

    def build(**options: Any) -> Any:
        options.setdefault("timeout_seconds", 60)
        made.append(process.sandbox(**options).build())
        return made[-1]

    yield build
    for provider in made:
        provider.close()


@pytest.fixture
def own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for temporary files of this test's own: whoever prunes elsewhere doesn't find them.

    It is this process's; others have to be told in ``TMPDIR``.
    """
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place
