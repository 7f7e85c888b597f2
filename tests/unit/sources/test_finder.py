"""Names are looked up place by place, and nobody takes over a name that an earlier place owns."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harnest_ext.errors import ExtensionNotFound, InvalidExtension, SourceError
from harnest_ext.identity import Slug
from harnest_ext.manifest import ExtensionRequirement
from harnest_ext.resolution import ResolutionRequest, resolve
from harnest_ext.sources.configured import SourceOptions, source_settings
from harnest_ext.sources.finder import Finder
from harnest_ext.sources.index.configured import configured_index
from harnest_ext.sources.settings import IndexSetting, RegistrySetting, SourceSettings
from tests.support.packages import PackageSpec, make_wheel
from tests.support.registries import make_registry, offer_registry
from tests.support.simple_index import SimpleIndex
from tests.support.web import answer, serve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.commands import Command
    from tests.support.web import Server


@pytest.fixture
def server() -> Iterator[Server]:
    """A server on loopback."""
    with serve() as running:
        yield running


def offer(index: SimpleIndex, folder: Path, spec: PackageSpec, **stated: str) -> Path:
    """Put a package's wheel on an index."""
    wheel = make_wheel(folder, spec)
    index.add(spec.project, wheel.name, wheel.read_bytes(), **stated)
    return wheel


def chosen(settings: SourceSettings, *wanted: str) -> dict[str, tuple[str, str]]:
    """Return version and kind of place of what is chosen, having fetched it."""
    request = ResolutionRequest(wanted=tuple(map(ExtensionRequirement.parse, wanted)))
    with Finder(settings) as finder:
        answer = resolve(request, finder).selected
        for item in answer.values():
            assert finder.fetch(item.candidate).is_file()
    return {n: (s.candidate.version, s.candidate.origin.kind.value) for n, s in answer.items()}


def test_a_name_of_the_shipped_registry_is_never_taken_from_elsewhere(
    tmp_path: Path, server: Server
) -> None:
    """A higher version in another registry, a folder or the index does not win."""
    shipped = make_registry(tmp_path / "shipped", PackageSpec(name="docker"))
    other = make_registry(tmp_path / "other", PackageSpec(name="docker", version="2.0.0"))
    make_wheel(tmp_path / "links", PackageSpec(name="docker", version="3.0.0"))
    index = SimpleIndex(server)
    offer(index, tmp_path / "up", PackageSpec(name="docker", version="99.0.0"))
    settings = SourceSettings(
        shipped=shipped,
        registries=(RegistrySetting(name="other", location=str(other)),),
        find_links=(tmp_path / "links",),
        index=IndexSetting(url=index.url, told_by="test"),
        cache=tmp_path / "cache",
    )
    assert chosen(settings, "docker") == {"docker": ("1.0.0", "registry")}
    with pytest.raises(ExtensionNotFound):
        chosen(settings, "docker>=99")
    assert server.asked == []


def test_who_wants_the_index_says_so(tmp_path: Path, server: Server) -> None:
    """A name given as index-only comes from the index, whatever registries say."""
    shipped = make_registry(tmp_path / "shipped", PackageSpec(name="docker"))
    index = SimpleIndex(server)
    offer(index, tmp_path / "up", PackageSpec(name="docker", version="99.0.0"))
    settings = SourceSettings(
        shipped=shipped,
        index=IndexSetting(url=index.url, told_by="test"),
        index_only=frozenset({Slug("docker")}),
        cache=tmp_path / "cache",
    )
    assert chosen(settings, "docker") == {"docker": ("99.0.0", "index")}


def test_the_first_place_that_has_a_name_decides(tmp_path: Path, server: Server) -> None:
    """Registries in their order, then folders of wheels, then the index; each for its own names."""
    first = make_registry(tmp_path / "first", PackageSpec(name="a"))
    second = make_registry(
        tmp_path / "second", PackageSpec(name="a", version="2.0.0"), PackageSpec(name="b")
    )
    for name in ("b", "c"):
        make_wheel(tmp_path / "links", PackageSpec(name=name, version="2.0.0"))
    index = SimpleIndex(server)
    for name in ("c", "d"):
        offer(index, tmp_path / "up", PackageSpec(name=name, version="3.0.0"))
    settings = SourceSettings(
        registries=(
            RegistrySetting(name="first", location=str(first)),
            RegistrySetting(name="second", location=offer_registry(server, second)),
        ),
        find_links=(tmp_path / "links",),
        index=IndexSetting(url=index.url, told_by="test"),
        cache=tmp_path / "cache",
    )
    assert chosen(settings, "a", "b", "c", "d") == {
        "a": ("1.0.0", "registry"),
        "b": ("1.0.0", "registry"),
        "c": ("2.0.0", "find-links"),
        "d": ("3.0.0", "index"),
    }


def test_a_name_can_be_tied_to_one_registry(tmp_path: Path) -> None:
    """Then no other place is asked, and a registry that is not configured is told by name."""
    first = make_registry(tmp_path / "first", PackageSpec(name="a"))
    second = make_registry(tmp_path / "second", PackageSpec(name="a", version="2.0.0"))
    registries = tuple(RegistrySetting(name=p.name, location=str(p)) for p in (first, second))
    tied = SourceSettings(registries=registries, registry_of=((Slug("a"), "second"),))
    assert chosen(tied, "a") == {"a": ("2.0.0", "registry")}
    lost = SourceSettings(registries=registries, registry_of=((Slug("a"), "third"),))
    with pytest.raises(ExtensionNotFound) as caught:
        chosen(lost, "a")
    assert (caught.value.rule, caught.value.expected) == ("source.registry-name", "first, second")


def test_an_unknown_name_proposes_close_ones(tmp_path: Path) -> None:
    """Typing errors and other separators; what can be installed at all; how to name an index."""
    settings = SourceSettings(shipped=make_registry(tmp_path, PackageSpec(name="docker")))
    for text in ("dokcer", "doc_ker", "dockr"):
        with pytest.raises(ExtensionNotFound) as caught:
            chosen(settings, text)
        assert caught.value.kind == "not-found"
        assert "Did you mean docker?" in caught.value.remedy
    with pytest.raises(ExtensionNotFound) as caught:
        chosen(settings, "weather_forecast")
    assert "--index-url" in caught.value.remedy


def test_an_ordinary_package_is_told_as_one(tmp_path: Path, server: Server) -> None:
    """By its fame, by being installed here, or by the index, which is asked for nothing more."""
    index = SimpleIndex(server)
    index.add_library("obscure", "1.0")
    settings = SourceSettings(index=IndexSetting(url=index.url, told_by="t"), cache=tmp_path)
    for name in ("requests", "pytest", "json", "obscure"):
        with pytest.raises(ExtensionNotFound) as caught:
            chosen(settings, name)
        assert caught.value.kind == "not-an-extension"
        assert "env sync" in caught.value.remedy
    assert "/simple/obscure/" in server.paths
    assert not any(path.startswith("/files/") for path in server.paths)


def test_a_broken_registry_is_told_and_not_passed_over(tmp_path: Path) -> None:
    """An entry that is wrong stops the look-up: the next place could be somebody else's."""
    broken = make_registry(tmp_path / "broken", PackageSpec(name="a"))
    entry = broken / "extensions" / "a.toml"
    entry.write_text(entry.read_text().replace('trust = "community"', 'trust = "best"'))
    good = make_registry(tmp_path / "good", PackageSpec(name="a"))
    registries = tuple(RegistrySetting(name=p.name, location=str(p)) for p in (broken, good))
    with pytest.raises(SourceError) as caught:
        chosen(SourceSettings(registries=registries), "a")
    assert caught.value.rule == "registry.entry"
    assert "trust" in str(caught.value)


def test_a_wheel_that_is_not_the_promised_one_is_refused(tmp_path: Path, server: Server) -> None:
    """Other bytes in a registry's folder, behind its URL, or on an index: never handed out."""
    folder = make_registry(tmp_path / "folder", PackageSpec(name="a"))
    url = offer_registry(server, folder)
    (wheel,) = (folder / "wheels").iterdir()
    wheel.write_bytes(wheel.read_bytes()[:-1] + b"x")
    server.routes[f"/catalog/wheels/{wheel.name}"] = server.routes["/catalog/harnest.json"]
    index = SimpleIndex(server)
    offer(index, tmp_path / "up", PackageSpec(name="a"), sha256="0" * 64)
    for settings in (
        SourceSettings(registries=(RegistrySetting(name="f", location=str(folder)),)),
        SourceSettings(registries=(RegistrySetting(name="u", location=url),), cache=tmp_path),
        SourceSettings(index=IndexSetting(url=index.url, told_by="t"), cache=tmp_path),
    ):
        with pytest.raises(SourceError) as caught:
            chosen(settings, "a")
        assert caught.value.kind == "hash-mismatch"


def test_offline_only_what_is_kept_is_found(tmp_path: Path, server: Server) -> None:
    """After one look-up the same release is there without the network; another one is refused."""
    index = SimpleIndex(server)
    offer(index, tmp_path / "up", PackageSpec(name="a"))
    online = SourceSettings(index=IndexSetting(url=index.url, told_by="t"), cache=tmp_path / "c")
    chosen(online, "a")
    asked = len(server.asked)
    offline = SourceSettings(
        index=IndexSetting(url=index.url, told_by="t"), cache=tmp_path / "c", offline=True
    )
    assert chosen(offline, "a") == {"a": ("1.0.0", "index")}
    with pytest.raises(SourceError) as caught:
        chosen(offline, "b")
    assert caught.value.kind == "offline"
    assert len(server.asked) == asked


def test_a_damaged_wheel_in_the_cache_is_fetched_anew(tmp_path: Path, server: Server) -> None:
    """What is kept is verified each time."""
    index = SimpleIndex(server)
    offer(index, tmp_path / "up", PackageSpec(name="a"))
    settings = SourceSettings(index=IndexSetting(url=index.url, told_by="t"), cache=tmp_path / "c")
    chosen(settings, "a")
    (kept,) = (tmp_path / "c" / "wheels").rglob("*.whl")
    good = kept.read_bytes()
    kept.write_bytes(good[:-1] + b"x")
    chosen(settings, "a")
    assert kept.read_bytes() == good


def test_a_closed_cache_is_no_obstacle(tmp_path: Path, server: Server) -> None:
    """Where nothing can be kept, wheels go through a folder of the process."""
    (tmp_path / "c").write_text("not a folder")
    index = SimpleIndex(server)
    offer(index, tmp_path / "up", PackageSpec(name="a"))
    settings = SourceSettings(index=IndexSetting(url=index.url, told_by="t"), cache=tmp_path / "c")
    assert chosen(settings, "a") == {"a": ("1.0.0", "index")}


def test_a_release_for_another_python_is_not_downloaded(tmp_path: Path, server: Server) -> None:
    """What the page states decides before any file is fetched."""
    spec = PackageSpec(name="a", version="2.0.0", requires_python=">=9")
    index = SimpleIndex(server)
    offer(index, tmp_path / "up", PackageSpec(name="a"))
    wheel = offer(index, tmp_path / "up", spec)
    name = make_wheel(tmp_path / "up", PackageSpec(name="a")).name
    page = "".join(
        f'<a data-requires-python="{python}" href="../../files/{file.name}#sha256={digest}">x</a>'
        for file, python, digest in (
            (tmp_path / "up" / name, "&gt;=3", _digest(tmp_path / "up" / name)),
            (wheel, "&gt;=9", _digest(wheel)),
        )
    )
    server.routes["/simple/harnest-extension-a/"] = answer(page.encode(), "text/html")
    settings = SourceSettings(index=IndexSetting(url=index.url, told_by="t"), cache=tmp_path / "c")
    assert chosen(settings, "a") == {"a": ("1.0.0", "index")}
    assert f"/files/{wheel.name}" not in server.paths


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_settings_come_from_project_command_line_and_tools(tmp_path: Path) -> None:
    """Registries of the command line stand first, those of the project start from its folder."""
    (tmp_path / "pyproject.toml").write_text(
        '[tool.harnest]\nindex-url = "https://index.example/simple"\n'
        '[tool.harnest.registries]\nours = "../ours"\nnet = "https://registry.example/r"\n'
    )
    options = SourceOptions(
        registries=("mine",), find_links=(Path("links"),), registry_of=((Slug("a"), "../x"),)
    )
    settings = source_settings(tmp_path, options, cwd=Path("/there"))
    assert [(item.name, item.location) for item in settings.registries] == [
        ("/there/mine", "/there/mine"),
        ("ours", str(tmp_path.parent / "ours")),
        ("net", "https://registry.example/r"),
        ("../x", str(tmp_path.parent / "x")),
    ]
    assert settings.find_links == (Path("/there/links"),)
    assert settings.index == IndexSetting(
        url="https://index.example/simple", told_by="[tool.harnest] index-url"
    )
    given = source_settings(
        tmp_path, SourceOptions(index_url="https://other.example/"), cwd=Path("/there")
    )
    assert given.index is not None
    assert given.index.told_by == "--index-url"


@pytest.mark.parametrize("text", ["[tool.harnest]\nregistries = 3\n", "not toml", "a = [" * 2000])
def test_a_project_file_that_cannot_be_used_is_refused(tmp_path: Path, text: str) -> None:
    """Where extensions come from must be told without doubt."""
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(InvalidExtension) as caught:
        source_settings(tmp_path, SourceOptions(), cwd=tmp_path)
    assert caught.value.kind == "project-invalid"


def test_the_index_of_pip_and_uv_is_found(tmp_path: Path) -> None:
    """Variables before files, pip before uv; extra indexes are none; credentials are not shown."""
    pip = tmp_path / "pip.conf"
    pip.write_text(
        "[global]\nextra-index-url = https://extra.example/\n"
        "[install]\nindex-url = https://u:hush@pip.example/simple\n"
    )
    uv = tmp_path / "uv.toml"
    uv.write_text(
        '[[index]]\nurl = "https://first.example/"\n'
        '[[index]]\nurl = "https://uv.example/"\ndefault = true\n'
    )
    nowhere = {"XDG_CONFIG_HOME": str(tmp_path), "PIP_CONFIG_FILE": "/dev/null"}
    both = {"PIP_CONFIG_FILE": str(pip), "UV_CONFIG_FILE": str(uv)}
    found = configured_index({}, both)
    assert found is not None
    assert (found.url, found.told_by) == ("https://u:hush@pip.example/simple", str(pip))
    assert "hush" not in repr(found)
    only_uv = configured_index({}, nowhere | {"UV_CONFIG_FILE": str(uv)})
    assert only_uv is not None
    assert only_uv.url == "https://uv.example/"
    variable = configured_index({}, both | {"UV_DEFAULT_INDEX": "name=https://v.example/"})
    assert variable is not None
    assert (variable.url, variable.told_by) == ("https://v.example/", "UV_DEFAULT_INDEX")
    of_project = configured_index({"uv": {"index-url": "https://p.example/"}}, both)
    assert of_project is not None
    assert of_project.url == "https://p.example/"


def test_installing_through_the_command_line(
    tmp_path: Path, server: Server, harnest: Command, agent: Path
) -> None:
    """Folder and URL of registries and an index give copies, each recorded with its place."""
    first = make_registry(tmp_path / "first", PackageSpec(name="a", requires=("b",)))
    second = make_registry(tmp_path / "second", PackageSpec(name="b", requires=("c",)))
    index = SimpleIndex(server)
    offer(index, tmp_path / "up", PackageSpec(name="c"))
    done = harnest(
        "extensions",
        "install",
        "a",
        *("--registry", first, "--registry", offer_registry(server, second)),
        *("--index-url", index.url),
        cwd=agent,
        XDG_CACHE_HOME=str(tmp_path / "cache"),
    )
    assert done.code == 0, done.stderr
    assert {path.name for path in (agent / "extensions").iterdir()} >= {"a", "b", "c"}
    lock = (agent / "harnest-extensions.lock").read_text()
    assert 'kind = "registry", location = "../first"' in lock
    assert f'kind = "registry", location = "{server.url}/catalog"' in lock
    assert f'kind = "index", location = "{index.url}"' in lock


def test_a_registry_that_says_less_than_its_wheel_is_refused(
    tmp_path: Path, harnest: Command, agent: Path
) -> None:
    """What was resolved is what the entry says; a wheel that demands more is not installed."""
    registry = make_registry(tmp_path / "r", PackageSpec(name="a", requires=("b",)))
    entry = registry / "extensions" / "a.toml"
    entry.write_text(entry.read_text().replace('requires = ["b"]\n', ""))
    done = harnest("extensions", "install", "a", "--registry", registry, "--json", cwd=agent)
    assert done.code == 1
    assert (done.error["kind"], done.error["rule"]) == (
        "registry-mismatch",
        "install.entry-differs",
    )
    assert not (agent / "extensions" / "a").exists()
