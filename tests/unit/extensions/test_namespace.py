"""How modules of extensions behave for Python's own tools."""

from __future__ import annotations

import copy
import importlib
import importlib.resources
import importlib.util
import inspect
import linecache
import os
import pickle
import pkgutil
import py_compile
import sys
import traceback
import typing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import platformdirs
import pytest

from harnest.extensions import ExtensionImportError
from harnest.extensions._bytecode import cache_path
from tests.support.packages import PackageSpec
from tests.support.projects import installed, relock
from tests.support.runtimes import open_runtime

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = '''"""An extension made for a test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnest.extensions import Extension, ExtensionContext

from .lib.deep.values import DOUBLED, fail
from .tools import helper

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Point:
    x: int
    y: "Point | None" = None


class Shape(Extension[ExtensionContext]):
    """Has a method."""

    def corner(self, point: Point) -> Point:
        return point


shape = Shape()
extension = shape
'''
FILES = {
    "extension.py": SOURCE,
    "lib/deep/values.py": "DOUBLED = 4\n\n\ndef fail():\n    raise ValueError('here')\n",
    "tools/__init__.py": "from . import helper\n",
    "tools/helper.py": "from ..lib.deep import values\n\nHELP = values.DOUBLED\n",
}
SPEC = PackageSpec(name="shape", files=FILES)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one extension that has modules below it."""
    return installed(tmp_path, [SPEC])


@pytest.fixture
def module(project: Path) -> Iterator[Any]:
    """Its module, in a running runtime."""
    with open_runtime(project):
        yield importlib.import_module("harnest.extensions.shape")


def test_relative_imports_work_with_and_without_init_files(module: Any) -> None:
    """``lib`` is a namespace of its folder, ``tools`` a package."""
    assert module.DOUBLED == 4
    assert module.helper.HELP == 4
    assert module.helper.__name__ == "harnest.extensions.shape.tools.helper"
    assert sys.modules["harnest.extensions.shape.lib.deep.values"].DOUBLED == 4


def test_the_extensions_file_is_no_module_beside_it(module: Any) -> None:
    """It runs once: as ``<name>.extension`` it would take the singleton's place."""
    singleton = module.extension
    with pytest.raises(ExtensionImportError, match=r"is harnest\.extensions\.shape itself"):
        importlib.import_module("harnest.extensions.shape.extension")
    assert module.extension is singleton
    assert "harnest.extensions.shape.extension" not in sys.modules


def test_the_module_says_where_it_comes_from(module: Any, project: Path) -> None:
    """File, path, package and spec are those of an ordinary package."""
    folder = project / "extensions" / "shape"
    assert module.__file__ == str(folder / "extension.py")
    assert list(module.__path__) == [str(folder)]
    assert module.__package__ == module.__name__ == "harnest.extensions.shape"
    assert module.__spec__.origin == module.__file__
    assert importlib.util.find_spec("harnest.extensions.shape") is module.__spec__
    assert importlib.util.find_spec("harnest.extensions.shape.nothing") is None


def test_objects_are_pickled_and_copied_by_reference(module: Any) -> None:
    """Values of an extension's classes travel; the singleton stays one."""
    point = module.Point(1, module.Point(2))
    assert pickle.loads(pickle.dumps(point)) == point
    assert pickle.loads(pickle.dumps(module.Shape)) is module.Shape
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(module.extension, protocol)) is module.extension
    assert copy.copy(module.extension) is module.extension
    assert copy.deepcopy(module.extension) is module.extension


def test_inspection_and_annotations_work(module: Any) -> None:
    """Sources, files, signatures and type hints are found."""
    assert inspect.getsource(module.Shape).startswith("class Shape(Extension[ExtensionContext]):")
    assert inspect.getsourcefile(module.fail).endswith("lib/deep/values.py")
    assert inspect.getmodule(module.Shape) is module
    assert inspect.getdoc(module) == "An extension made for a test."
    assert typing.get_type_hints(module.Shape.corner) == {
        "point": module.Point,
        "return": module.Point,
    }
    assert typing.get_type_hints(module.Point)["x"] is int


def test_tracebacks_and_debuggers_see_the_lines(module: Any) -> None:
    """A frame's file and line lead to the source."""
    linecache.clearcache()
    with pytest.raises(ValueError, match="here") as caught:
        module.fail()
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert last.line == "raise ValueError('here')"
    assert linecache.getline(module.__file__, 18) == "class Point:\n"
    assert module.fail.__code__.co_firstlineno == 4


def test_package_data_is_found(module: Any) -> None:
    """importlib.resources reads what lies beside the modules."""
    folder = importlib.resources.files(module)
    assert folder.joinpath("README.md").read_text() == "# shape\n"
    assert sorted(each.name for each in pkgutil.iter_modules(module.__path__)) == [
        "extension",
        "tools",
    ]


def test_reloading_is_refused(module: Any) -> None:
    """Of the extension and of its submodules; both stay as they are."""
    before = module.extension
    for each in (module, module.helper, sys.modules["harnest.extensions.shape.lib.deep.values"]):
        with pytest.raises(ExtensionImportError, match="can't be reloaded"):
            importlib.reload(each)
        with pytest.raises(ExtensionImportError, match="can't be reloaded"):
            each.__spec__.loader.exec_module(each)
    assert module.extension is before
    assert sys.modules["harnest.extensions.shape"] is module


def test_a_missing_submodule_is_an_ordinary_import_error(module: Any) -> None:
    """Names that are not there raise what Python raises."""
    assert module.DOUBLED == 4
    with pytest.raises(ModuleNotFoundError, match=r"harnest\.extensions\.shape\.absent"):
        importlib.import_module("harnest.extensions.shape.absent")


def test_byte_code_in_the_copy_is_never_executed(project: Path, tmp_path: Path) -> None:
    """A planted ``__pycache__`` that Python itself would prefer is not read."""
    folder = project / "extensions" / "shape"
    for name in ("extension", "tools/helper", "lib/deep/values"):
        source = folder / f"{name}.py"
        evil = tmp_path / "evil.py"
        evil.write_text("raise SystemExit('byte code was executed')\n")
        target = importlib.util.cache_from_source(str(source))
        py_compile.compile(
            str(evil),
            cfile=target,
            doraise=True,
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        )
    with open_runtime(project):
        assert importlib.import_module("harnest.extensions.shape").DOUBLED == 4


def test_loading_writes_nothing_into_the_project(project: Path) -> None:
    """Compiled code goes into the user's own cache, not beside the sources."""
    before = sorted(project.rglob("*"))
    with open_runtime(project):
        pass
    assert sorted(project.rglob("*")) == before


def test_changed_sources_are_compiled_anew(project: Path) -> None:
    """The private cache is keyed by content: an upgrade takes effect whatever its times say."""
    source = project / "extensions" / "shape" / "lib" / "deep" / "values.py"
    times = (1_000_000_000, 1_000_000_000)
    for value in (4, 6):
        source.write_text(FILES["lib/deep/values.py"].replace("4", str(value), 1))
        os.utime(source, times)
        relock(project, [SPEC])
        with open_runtime(project):
            module = importlib.import_module("harnest.extensions.shape")
        assert value == module.DOUBLED


def test_release_forgets_every_module(project: Path) -> None:
    """No module, attribute or finder of the set stays."""
    meta = list(sys.meta_path)
    with open_runtime(project):
        assert "harnest.extensions.shape.tools.helper" in sys.modules
    assert [n for n in sys.modules if n.startswith("harnest.extensions.shape")] == []
    assert sys.meta_path == meta


@pytest.mark.parametrize("cache", ["", "/somewhere/else", "relative", " "])
def test_compiled_code_is_kept_in_the_users_cache_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: str
) -> None:
    """Where other programs of this system keep what they can make again."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", cache and f"{tmp_path}{cache}" if "/" in cache else cache)
    monkeypatch.chdir(tmp_path)
    kept = cache_path("/any/source.py")
    assert kept is not None
    folder = platformdirs.user_cache_path("harnest", appauthor=False) / "bytecode"
    assert Path(kept).is_relative_to(folder)
