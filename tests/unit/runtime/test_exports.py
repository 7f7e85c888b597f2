"""Which object of extension.py is the extension."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harnest_ext.errors import LoadError
from tests.support.packages import PackageSpec
from tests.support.projects import installed
from tests.support.runtimes import open_runtime

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "from harnest.extensions import Extension\n"
OWN = "class Own(Extension):\n    pass\n"


def project_of(parent: Path, source: str, **files: str) -> Path:
    """Return a project whose one extension has this source."""
    contents = {"extension.py": source} | {
        name.replace("__py", ".py").replace("__", "/"): t for name, t in files.items()
    }
    return installed(parent, [PackageSpec(name="alpha", files=contents)])


@pytest.mark.parametrize(
    "source",
    [
        HEAD + OWN + "extension = Own()\n",
        HEAD + OWN + "extension = Own()\nalpha = extension\nagain = alpha\n",
        HEAD + OWN + "extension = Own()\n_private = Own()\n",
        HEAD + "from typing import Any\nclass Own(Extension[Any]):\n    pass\nextension = Own()\n",
        HEAD + OWN + "class _Base(Own):\n    pass\nextension = Own()\n",
    ],
    ids=["plain", "aliases", "private-instance", "parameter", "private-class"],
)
def test_one_public_extension_and_its_aliases_are_fine(tmp_path: Path, source: str) -> None:
    """One instance of one public class is the extension, under as many names as it likes."""
    with open_runtime(project_of(tmp_path, source)) as runtime:
        [loaded] = runtime.running.active.loaded.values()
        assert type(loaded.extension).__name__ == "Own"


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (HEAD + "extension = 1\n", "is not an instance"),
        (HEAD + OWN + "extension = Own\n", "is not an instance"),
        (HEAD + "extension = Extension()\n", "not defined in extension.py"),
        (HEAD + "class _Own(Extension):\n    pass\nextension = _Own()\n", "own name"),
        (HEAD + OWN + "extension = Own()\ndel Own\n", "own name"),
        (HEAD + OWN + "extension = Own()\nother = Own()\n", "'other' is another"),
        (
            HEAD + OWN + "class Two(Extension):\n    pass\nextension = Own()\n",
            "'Two' is another",
        ),
        ("from .lib.own import Own\nextension = Own()\n", "not defined in extension.py"),
    ],
    ids=[
        "number",
        "class",
        "base",
        "private",
        "unbound-class",
        "second-instance",
        "second-class",
        "elsewhere",
    ],
)
def test_anything_else_is_refused(tmp_path: Path, source: str, reason: str) -> None:
    """A module whose exports are ambiguous is refused by what is wrong with it."""
    with pytest.raises(LoadError, match=reason) as caught:
        open_runtime(project_of(tmp_path, source, lib__own__py=HEAD + OWN)).start()
    assert caught.value.rule in {"load.exports", "load.import"}


def test_a_module_without_an_extension_is_refused(tmp_path: Path) -> None:
    """A copy whose lock was written around the manager is still held to the rule."""
    with pytest.raises(LoadError) as caught:
        open_runtime(project_of(tmp_path, "x = 1\n")).start()
    assert caught.value.rule == "load.exports"
