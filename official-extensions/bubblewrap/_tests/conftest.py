from __future__ import annotations

import importlib
import sys
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

FOLDER = Path(__file__).resolve().parent.parent

if "harnest_extension_bubblewrap" not in sys.modules:
    # This folder is what is tested, whatever is installed.
    package = types.ModuleType("harnest_extension_bubblewrap")
    package.__path__ = [str(FOLDER)]
    sys.modules[package.__name__] = package
if "harnest.extensions.bubblewrap" not in sys.modules:
    # Likewise for workspaces, which look the tier up by the name that installed extensions have.
    extension = importlib.import_module("harnest_extension_bubblewrap.extension")
    sys.modules["harnest.extensions.bubblewrap"] = extension

from .support import Room  # noqa: E402 - needs the above

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs the fixture :func:`host`: ``HARNEST_REQUIRE_BUBBLEWRAP`` counts for it."""
    for item in items:
        if item.path.is_relative_to(FOLDER) and "host" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.bubblewrap)


@pytest.fixture(scope="session")
def host() -> None:
    """Skip where this host has no sandbox of this kind; the reason is the extension's own."""
    from harnest_extension_bubblewrap.lib.tool import find_tool  # noqa: PLC0415 - likewise

    from harnest.execution.local import Refusal  # noqa: PLC0415 - likewise

    try:
        find_tool()
    except Refusal as refusal:
        pytest.skip(str(refusal))


@pytest.fixture
def open_room(host: None, tmp_path: Path) -> Iterator[Callable[..., Room]]:
    """Opens workspaces with the given options; closed after the test."""
    made: list[Room] = []

    def build(**options: Any) -> Room:
        directory = tmp_path / f"work{len(made)}"
        directory.mkdir(mode=0o700)
        made.append(Room.open(directory.resolve(), **options))
        return made[-1]

    yield build
    for room in made:
        room.engine.close()


@pytest.fixture
def room(open_room: Callable[..., Room]) -> Room:
    """A workspace with every default."""
    return open_room()


@pytest.fixture
def make(host: None) -> Iterator[Callable[..., Any]]:
    """A provider of a declaration with these options; closed after the test."""
    from harnest_extension_bubblewrap.extension import bubblewrap  # noqa: PLC0415 - see above

    made: list[Any] = []

    def build(**options: Any) -> Any:
        options.setdefault("timeout_seconds", 60)
        made.append(bubblewrap.sandbox(**options).build())
        return made[-1]

    yield build
    for provider in made:
        provider.close()
