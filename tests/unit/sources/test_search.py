"""Searching finds by name and summary, keeps what it was told, and works without the network."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from harnest_ext import limits
from harnest_ext.sources.finder import Finder
from harnest_ext.sources.search import search
from harnest_ext.sources.settings import IndexSetting, RegistrySetting, SourceSettings
from tests.support.packages import PackageSpec, make_wheel
from tests.support.registries import make_registry, offer_registry
from tests.support.simple_index import SimpleIndex
from tests.support.web import answer, serve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harnest_ext.sources.search import SearchResult
    from tests.support.commands import Command
    from tests.support.web import Server


@pytest.fixture
def server() -> Iterator[Server]:
    """A server on loopback."""
    with serve() as running:
        yield running


@pytest.fixture
def settings(tmp_path: Path, server: Server) -> SourceSettings:
    """A shipped registry, one behind a URL, and an index, each with something of its own."""
    shipped = make_registry(
        tmp_path / "shipped", PackageSpec(name="docker", capabilities=("sandbox.provider",))
    )
    (shipped / "extensions" / "docker.toml").write_text(
        (shipped / "extensions" / "docker.toml").read_text().replace("community", "official")
    )
    other = make_registry(
        tmp_path / "other",
        PackageSpec(name="weather"),
        PackageSpec(name="weather", version="2.0.0rc1"),
        PackageSpec(name="docker", version="9.0.0"),
    )
    index = SimpleIndex(server)
    for name in ("weather_maps", "docker"):
        spec = PackageSpec(name=name, version="3.0.0")
        wheel = make_wheel(tmp_path / "up", spec)
        index.add(spec.project, wheel.name, wheel.read_bytes())
    index.add_library("requests", "1.0")
    return SourceSettings(
        shipped=shipped,
        registries=(RegistrySetting(name="other", location=offer_registry(server, other)),),
        index=IndexSetting(url=index.url, told_by="test"),
        cache=tmp_path / "cache",
        time_to_live=limits.SEARCH_SECONDS,
        old_will_do=True,
    )


def find(settings: SourceSettings, query: str = "", limit: int = 20) -> SearchResult:
    """Search with connections of this call alone."""
    with Finder(settings) as finder:
        return search(finder, query, limit=limit)


def test_everything_that_can_be_installed_is_listed_once(settings: SourceSettings) -> None:
    """Each name as the first place has it, with its trust; ordinary packages are none."""
    result = find(settings)
    assert [(item.slug, item.version, item.trust) for item in result.found] == [
        ("docker", "1.0.0", "official"),
        ("weather", "1.0.0", "community"),
        ("weather_maps", "3.0.0", "index"),
    ]
    assert result.found[0].capabilities == ("sandbox.provider",)
    assert (result.total, result.warnings) == (3, ())


def test_names_come_before_summaries(settings: SourceSettings) -> None:
    """An exact name first, then beginnings, then the rest; case and separators do not matter."""
    assert [item.slug for item in find(settings, "Weather").found] == ["weather", "weather_maps"]
    assert [item.slug for item in find(settings, "weather-maps").found] == ["weather_maps"]
    assert [item.slug for item in find(settings, "harnest-extension-docker").found] == ["docker"]
    assert [item.slug for item in find(settings, "docker things").found] == ["docker"]


def test_more_matches_than_asked_for_are_counted(settings: SourceSettings) -> None:
    """The limit bounds what is shown and what the index is asked about."""
    result = find(settings, limit=1)
    assert (len(result.found), result.total) == (1, 3)


def test_nothing_found_proposes_close_names(settings: SourceSettings) -> None:
    """A typing error is no dead end."""
    result = find(settings, "dokcer")
    assert (result.found, result.close) == ((), ("docker",))


def test_a_second_search_asks_nothing(settings: SourceSettings, server: Server) -> None:
    """Answers are kept for ten minutes; --refresh asks again, by ETag where there is one."""
    find(settings)
    asked = len(server.asked)
    find(settings)
    assert len(server.asked) == asked
    find(replace(settings, time_to_live=0.0))
    repeated = server.asked[asked:]
    assert repeated[0].headers["if-none-match"] == '"1"'


def test_without_a_network_old_answers_are_shown_with_a_warning(
    settings: SourceSettings, server: Server
) -> None:
    """Offline by wish or by fate, the same is found, and every old answer is named."""
    before = find(settings).found
    late = replace(settings, time_to_live=0.0)
    offline = find(replace(late, offline=True))
    assert offline.found == before
    assert {problem.rule for problem in offline.warnings} == {"search.old-answer"}
    server.routes = dict.fromkeys(server.routes, answer(status=503))
    failing = find(late)
    assert failing.found == before
    assert {problem.rule for problem in failing.warnings} == {"search.old-answer"}


def test_a_place_that_fails_is_left_out_with_a_warning(
    settings: SourceSettings, server: Server
) -> None:
    """A broken registry and an index of the wrong kind do not keep the rest from being found."""
    server.routes["/catalog/harnest.json"] = answer(b"<html>", "application/json")
    server.routes["/simple/"] = answer(b"x", "image/png")
    result = find(settings)
    assert [item.slug for item in result.found] == ["docker"]
    assert [problem.rule for problem in result.warnings] == ["search.left-out"] * 2


def test_an_entry_that_cannot_be_read_is_told(settings: SourceSettings, tmp_path: Path) -> None:
    """The others of its registry are found; one warning names the file, its line, and how many."""
    other = make_registry(tmp_path / "folder", PackageSpec(name="rain"))
    (other / "extensions" / "broken.toml").write_text('slug = "broken"\nnonsense\n')
    (other / "extensions" / "worse.toml").write_bytes(b"\xff")
    place = RegistrySetting(name="folder", location=str(other))
    result = find(replace(settings, registries=(place,), index=None))
    assert [item.slug for item in result.found] == ["docker", "rain"]
    (warning,) = result.warnings
    assert warning.rule == "search.broken-entry"
    assert (warning.path, warning.line) == (str(other / "extensions" / "broken.toml"), 2)
    assert "and 1 more" in warning.message


def test_a_folder_that_is_no_registry_is_told(settings: SourceSettings, tmp_path: Path) -> None:
    """A wrong path does not look like a registry without entries."""
    place = RegistrySetting(name="folder", location=str(tmp_path / "nowhere"))
    result = find(replace(settings, registries=(place,), index=None))
    assert [item.slug for item in result.found] == ["docker"]
    assert [warning.rule for warning in result.warnings] == ["search.left-out"]


def test_an_index_too_long_to_list_is_asked_for_the_very_name(
    settings: SourceSettings, server: Server
) -> None:
    """Of a public index with hundreds of thousands of projects, the name itself is found."""
    server.routes["/simple/"] = answer(b"x" * (limits.INDEX_LIST_BYTES + 1), "text/html")
    result = find(settings, "weather-maps")
    assert [(item.slug, item.trust) for item in result.found] == [("weather_maps", "index")]
    assert result.warnings == ()
    assert [item.slug for item in find(settings, "weather").found] == ["weather"]


def test_through_the_command_line(
    settings: SourceSettings, harnest: Command, agent: Path, tmp_path: Path
) -> None:
    """The command lists what ships and what its options name, as text and as one JSON object."""
    place = settings.registries[0].location
    options = ("--registry", place, "--no-index")
    cache = {"XDG_CACHE_HOME": str(tmp_path / "home")}
    shown = harnest("extensions", "search", "weather", *options, cwd=agent, **cache)
    assert shown.code == 0, shown.stderr
    assert shown.stdout.splitlines()[1].split()[:3] == ["weather", "1.0.0", "community"]
    done = harnest("extensions", "search", "weather", *options, "--json", cwd=tmp_path, **cache)
    (found,) = done.json["extensions"]
    assert found == {
        "name": "weather",
        "project": "harnest-extension-weather",
        "version": "1.0.0",
        "trust": "community",
        "summary": "Does weather things.",
        "source": f"registry {place}",
        "documentation": "",
        "capabilities": [],
    }
    assert (done.json["total"], done.json["warnings"]) == (1, [])
    offline = harnest("extensions", "search", "weather", *options, "--offline", cwd=agent, **cache)
    assert offline.stdout == shown.stdout
