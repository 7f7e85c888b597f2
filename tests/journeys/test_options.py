"""Options of the commands that no other journey takes, and what each command refuses."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from harnest_ext.store.writer_lock import writer_lock
from tests.support.commands import snapshot
from tests.support.packages import PackageSpec, make_folder, make_wheel
from tests.support.registries import make_registry
from tests.support.simple_index import SimpleIndex
from tests.support.waiting import LONG
from tests.support.web import answer, serve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.commands import Command
    from tests.support.web import Server


@pytest.fixture
def server() -> Iterator[Server]:
    """A web server of the test's own."""
    with serve() as server:
        yield server


def test_a_held_project_is_busy_after_the_wait_and_free_afterwards(
    harnest: Command, agent: Path, tmp_path: Path
) -> None:
    """Exit 3 after the wait; who waits longer is told of the other writer, and is next."""
    make_folder(tmp_path / "src", PackageSpec(name="weather"))
    command = ("extensions", "install", "../src/weather")
    with writer_lock(agent, wait=0.0):
        before = snapshot(agent)
        at_once = harnest(*command, "--wait", "0", "--json", cwd=agent)
        assert (at_once.code, at_once.error["kind"]) == (3, "busy")
        assert at_once.error["exit_code"] == 3
        assert harnest(*command, "--wait", "0.2", cwd=agent).code == 3
        for other in ("lock", "sync"):
            done = harnest("extensions", other, "--wait", "0", "--json", cwd=agent)
            assert (done.code, done.error["kind"]) == (3, "busy")
        assert harnest("extensions", "list", cwd=agent).code == 0
        assert snapshot(agent) == before
        waiting = subprocess.Popen(
            [*harnest.program, *command], cwd=agent, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert waiting.stderr is not None
        assert b"waiting" in waiting.stderr.readline().lower()
    out, _ = waiting.communicate(timeout=LONG)
    assert waiting.returncode == 0
    assert b"installed weather 1.0.0" in out


def test_pre_releases_come_only_when_they_are_asked_for(
    harnest: Command, agent: Path, tmp_path: Path
) -> None:
    """Passed over by default, taken with --pre or by a range that names one."""
    wheels = tmp_path / "wheels"
    make_wheel(wheels, PackageSpec(name="weather", version="1.0.0"))
    make_wheel(wheels, PackageSpec(name="weather", version="2.0.0rc1"))
    make_wheel(wheels, PackageSpec(name="snow", version="1.0.0b1"))
    looking = ("--find-links", "../wheels", "--no-index", "--dry-run", "--json")

    def version(*arguments: str) -> str:
        done = harnest("extensions", "install", *arguments, *looking, cwd=agent)
        assert done.code == 0, done.stdout
        return str(done.json["extensions"][0]["version"])

    assert version("weather") == "1.0.0"
    assert version("weather", "--pre") == "2.0.0rc1"
    assert version("weather>=2.0.0rc0") == "2.0.0rc1"
    refused = harnest("extensions", "install", "snow", *looking, cwd=agent)
    assert refused.error["rule"] == "resolution.prerelease"
    assert "--pre" in refused.error["remedy"]


def test_a_cooldown_passes_over_what_has_just_appeared(
    harnest: Command, agent: Path, tmp_path: Path, server: Server
) -> None:
    """A release of an index that is younger, or whose age is not told, waits."""
    index = SimpleIndex(server)
    wheel = make_wheel(tmp_path / "wheels", PackageSpec(name="weather"))
    index.add("harnest-extension-weather", wheel.name, wheel.read_bytes())
    looking = ("--index-url", index.url, "--dry-run", "--json")
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    young = harnest(
        "extensions", "install", "weather", "--cooldown", "7", *looking, cwd=agent, **cache
    )
    assert (young.code, young.error["rule"]) == (1, "resolution.cooldown")
    old = harnest("extensions", "install", "weather", *looking, cwd=agent, **cache)
    assert old.code == 0, old.stdout


def test_without_dependencies_what_is_missing_is_refused(
    harnest: Command, agent: Path, tmp_path: Path
) -> None:
    """--no-deps adds nothing unasked; naming the missing one too is the way."""
    make_folder(tmp_path / "src", PackageSpec(name="weather", requires=("rain",)))
    make_folder(tmp_path / "src", PackageSpec(name="rain"))
    alone = harnest(
        "extensions", "install", "../src/weather", "--no-deps", "--no-index", "--json", cwd=agent
    )
    assert (alone.code, alone.error["rule"]) == (1, "resolution.no-deps")
    both = ("../src/weather", "../src/rain", "--no-deps")
    assert harnest("extensions", "install", *both, cwd=agent).code == 0


def test_search_is_limited_and_asks_again_only_when_it_must(
    harnest: Command, agent: Path, tmp_path: Path, server: Server
) -> None:
    """--limit cuts and says of how many; --refresh asks the server again; --offline never asks."""
    specs = (PackageSpec(name=f"rain{letter}") for letter in "abc")
    folder = make_registry(tmp_path / "catalog", *specs)
    limited = harnest(
        "extensions", "search", "rain", "--registry", str(folder), "--limit", "2", "--json",
        cwd=agent,
    )  # fmt: skip
    assert limited.code == 0, limited.stdout
    assert [item["name"] for item in limited.json["extensions"]] == ["raina", "rainb"]
    assert limited.json["total"] == 3
    assert limited.json["extensions"][0]["trust"] == "community"
    server.routes["/catalog/harnest.json"] = answer(
        b'{"format": 1, "extensions": []}', "application/json", ETag='"1"'
    )
    url = f"{server.url}/catalog"
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    words = ("extensions", "search", "rain", "--registry", url, "--json")
    counts = []
    for more in ((), (), ("--refresh",)):
        assert harnest(*words, *more, cwd=agent, **cache).code == 0
        counts.append(len(server.asked))
    assert counts[0] == counts[1] < counts[2]
    offline = harnest(*words, "--offline", cwd=agent, **cache)
    assert offline.code == 0
    assert len(server.asked) == counts[2]


def test_a_new_extension_declares_what_it_was_told_to(harnest: Command, tmp_path: Path) -> None:
    """--capability reaches the manifest, --update tells what a newer template would change."""
    made = harnest(
        "extensions", "init", "rain", "--capability", "context.session", "--json", cwd=tmp_path
    )
    assert made.code == 0, made.stdout
    assert "context.session" in made.json["capabilities"]
    checked = harnest("extensions", "check", "rain", "--json", cwd=tmp_path)
    assert checked.code == 0, checked.stdout
    assert "context.session" in (tmp_path / "rain" / "extension.yaml").read_text()
    same = harnest("extensions", "init", "--update", "rain", "--json", cwd=tmp_path)
    assert (same.code, same.json["changes"]) == (0, [])


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(harnest: Command, tmp_path: Path, shell: str) -> None:
    """Each shell gets a script that calls back into harnest."""
    done = harnest("completion", shell, cwd=tmp_path)
    assert done.code == 0
    assert "_HARNEST_COMPLETE" in done.stdout


def test_quiet_changes_say_nothing(harnest: Command, agent: Path, tmp_path: Path) -> None:
    """With --quiet only refusals speak, and what was asked for is still told."""
    make_folder(tmp_path / "src", PackageSpec(name="weather"))
    for words in (
        ("install", "../src/weather"),
        ("pin", "weather"),
        ("unpin", "weather"),
        ("sync",),
        ("lock",),
        ("uninstall", "weather"),
        ("rollback", "weather"),
    ):
        done = harnest("extensions", *words, "--quiet", cwd=agent)
        assert (done.code, done.stdout, done.stderr) == (0, "", ""), words
    assert "weather" in harnest("extensions", "list", "--quiet", cwd=agent).stdout
    refused = harnest("extensions", "uninstall", "nothing", "--quiet", cwd=agent)
    assert refused.code == 1
    assert refused.stderr


REFUSALS = {
    "init in a folder that holds something": ("init .", 1, "init.occupied", "/demo"),
    "init with an image for no image": ("init new --image x", 2, "init.image", "--image"),
    "init with an odd image": (
        "init new --sandbox docker --image a\\b",
        2,
        "template.value",
        "image",
    ),
    "init with --project": ("init new --project .", 2, "usage.command-line", "harnest init"),
    "a new extension with a keyword's name": ("extensions init class", 1, "name.slug", "class"),
    "of a template that is none": ("extensions init x --template no", 1, "template.unknown", "no"),
    "with a capability that is none": (
        "extensions init x --capability no",
        2,
        "template.capability",
        "no",
    ),
    "update of what no template made": (
        "extensions init --update extensions",
        1,
        "template.no-record",
        "extensions",
    ),
    "neither name nor update": ("extensions init", 2, "usage.command-line", "harnest extensions"),
    "install of nothing": ("extensions install", 2, "usage.command-line", "harnest extensions"),
    "of an empty word": ("extensions install ''", 1, "source.empty", "SOURCE"),
    "of an option": ("extensions install -- -x", 2, "source.option", "-x"),
    "of a URL": (
        "extensions install https://a.example/c.whl",
        1,
        "source.url",
        "https://a.example/c.whl",
    ),
    "of a repository": ("extensions install git+https://a.example/c", 1, "source.vcs", "git+https"),
    "of a reference": (
        "extensions install a@https://b/c",
        1,
        "source.direct-reference",
        "a@https",
    ),
    "of an archive": ("extensions install ./a.tar.gz", 1, "source.archive", "./a.tar.gz"),
    "of a path of nothing": ("extensions install ./nope", 1, "source.missing-path", "./nope"),
    "of a folder without a package": (
        "extensions install ./docs",
        1,
        "layout.manifest-missing",
        "extension.yaml",
    ),
    "of another file": ("extensions install ./config.yaml", 1, "source.file-kind", "./config"),
    "of an extra": ("extensions install weather[x]", 1, "source.extras", "weather[x]"),
    "of a caret": ("extensions install weather^1.0", 1, "source.range", "weather^1.0"),
    "of an empty range": (
        "extensions install process>=1,<1",
        1,
        "resolution.empty-range",
        "process",
    ),
    "of a release that is none": (
        "extensions install process>=900 --no-index",
        1,
        "resolution.no-release",
        "process",
    ),
    "of a name nobody knows": (
        "extensions install wether --no-index",
        1,
        "source.unknown",
        "wether",
    ),
    "of a package that is no extension": (
        "extensions install requests --no-index",
        1,
        "source.not-an-extension",
        "requests",
    ),
    "link of a name": ("extensions install --link process", 2, "install.link", "process"),
    "from a registry that is no URL": (
        "extensions install process --registry ftp://x",
        2,
        "usage.command-line",
        "harnest ext",
    ),
    "from a registry that is not there": (
        "extensions install process --registry /no/where",
        2,
        "usage.command-line",
        "harnest ext",
    ),
    "from wheels that are not there": (
        "extensions install process --find-links /no/where",
        2,
        "usage.command-line",
        "harnest",
    ),
    "from an index that is no URL": (
        "extensions install process --index-url x",
        2,
        "usage.command-line",
        "harnest ext",
    ),
    "uninstall of what is not there": (
        "extensions uninstall wether",
        1,
        "project.not-installed",
        "wether",
    ),
    "show of what is not there": ("extensions show wether", 1, "project.not-installed", "wether"),
    "upgrade of nothing": ("extensions upgrade", 2, "usage.command-line", "harnest extensions"),
    "upgrade of what is not there": (
        "extensions upgrade wether",
        1,
        "project.not-installed",
        "wether",
    ),
    "pin of what is not there": ("extensions pin wether", 1, "project.not-installed", "wether"),
    "unpin of what is not there": ("extensions unpin wether", 1, "project.not-installed", "wether"),
    "rollback of what was never": ("extensions rollback wether", 1, "rollback.none", "wether"),
    "search for too many": ("extensions search --limit 0", 2, "usage.command-line", "harnest ext"),
    "check of nothing": ("extensions check nope", 1, "source.not-found", "nope"),
    "check of a file": ("extensions check config.yaml", 1, "source.kind", "config.yaml"),
    "build of nothing": ("extensions build nope", 1, "source.not-found", "nope"),
    "build of a file": ("extensions build config.yaml", 2, "build.not-a-folder", "config.yaml"),
    "test of nothing": ("extensions test nope", 2, "usage.command-line", "harnest extensions test"),
    "env sync without a lock": ("env sync --frozen", 1, "env.lock-missing", "pylock.harnest.toml"),
    "env sync for no Python": ("env sync --python ./nope", 2, "env.interpreter", "nope"),
    "env sync elsewhere": ("env sync ./docs", 1, "project.missing", "docs"),
    "a command that is none": ("extensions nope", 2, "usage.command-line", "harnest extensions"),
    "quickstart where something is": ("quickstart .", 1, "init.occupied", "/demo"),
    "a sandbox that is none": ("sandbox run nope -c 1", 125, "sandbox.unknown", "sandbox/nope.py"),
}


@pytest.mark.parametrize("about", REFUSALS)
def test_a_refusal_says_what_and_how_on(harnest: Command, agent: Path, about: str) -> None:
    """Exit code, rule and what it is about; a remedy; and the project is left as it was."""
    words, code, rule, path = REFUSALS[about]
    (agent / "docs").mkdir()
    (agent / "extensions").mkdir()
    (agent / "a.tar.gz").write_bytes(b"\x1f\x8b")
    before = snapshot(agent)
    arguments = ["" if word == "''" else word for word in words.split()]
    at = arguments.index("--") if "--" in arguments else len(arguments)
    done = harnest(*arguments[:at], "--json", *arguments[at:], cwd=agent)
    error = done.error
    assert (done.code, error["rule"]) == (code, rule), done.stdout
    assert error["exit_code"] == code
    assert path in error["path"]
    assert error["kind"]
    assert error["message"]
    assert error["remedy"]
    assert snapshot(agent) == before
    told = harnest(*arguments, cwd=agent)
    # What `check` finds is its answer.
    said = told.stdout if "check" in arguments else told.stderr
    assert told.code == code
    assert (told.stdout + told.stderr).strip() == said.strip()
    assert "Traceback" not in said
    assert f"[{rule}]" in said
    assert len(said.encode()) <= 4096
