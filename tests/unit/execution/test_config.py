"""What a workspace is configured with is checked before anything is started."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from pathlib import Path
from typing import Any

import pytest

from harnest.execution import TIERS, UnsupportedPromiseError, WorkspaceConfig, limits

NUMBERS = (
    "timeout_seconds",
    "max_memory_mb",
    "max_cpu_seconds",
    "max_file_size_mb",
    "max_output_bytes",
)


def test_defaults_are_the_documented_ones() -> None:
    """A tier alone makes a configuration."""
    config = WorkspaceConfig(tier="docker")
    assert (config.timeout_seconds, config.max_memory_mb) == (30, 512)
    assert (config.max_cpu_seconds, config.max_file_size_mb) == (60, 100)
    assert (config.allowed_paths, config.network_enabled) == ((), None)
    assert (config.file_tools, config.shell, config.directory) == ("host", "/bin/sh", None)
    assert (config.max_output_bytes, config.limit_address_space) == (1 << 20, False)


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("value", [0, -1, True, False, 1.0, "1", None, 1 << 70])
def test_numbers_are_positive_ints_in_bounds(name: str, value: object) -> None:
    """Neither bools nor floats are ints; the message names the field."""
    with pytest.raises(ValueError, match=name):
        WorkspaceConfig(tier="process", **{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("tier", ["", "Docker", "vm", None, 3, "extension:", "extension:A", "x:y"])
def test_a_tier_is_a_known_one_or_one_of_an_extension(tier: Any) -> None:
    """A misspelt tier is refused at once, with those that there are."""
    with pytest.raises(ValueError, match="bubblewrap, docker, process, seatbelt"):
        WorkspaceConfig(tier=tier)


def test_each_tier_can_be_named() -> None:
    """The four tiers, and one of another extension."""
    assert [WorkspaceConfig(tier=tier).tier_name for tier in TIERS] == list(TIERS)
    assert WorkspaceConfig(tier="extension:acme_vm").tier_name == "acme_vm"


def test_openshell_is_named_as_what_it_is() -> None:
    """It is a backend of its own, and the message says which."""
    with pytest.raises(ValueError, match="OpenShell is a backend of its own"):
        WorkspaceConfig(tier="openshell")


@pytest.mark.parametrize("value", ["/usr", b"/usr", Path("/usr"), {"/usr"}, 3])
def test_allowed_paths_are_a_sequence(value: Any) -> None:
    """A bare string is no sequence of paths."""
    with pytest.raises(TypeError, match="allowed_paths"):
        WorkspaceConfig(tier="docker", allowed_paths=value)


def test_allowed_paths_are_real_and_there(tmp_path: Path) -> None:
    """Links are resolved, doubles left out; what is missing, or everything, is refused."""
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    config = WorkspaceConfig(tier="docker", allowed_paths=[tmp_path / "link", str(real)])
    assert config.allowed_paths == (str(real.resolve()),)
    (tmp_path / "root").symlink_to("/")
    for wrong in (tmp_path / "missing", tmp_path / "root", "/", "a\0b", ""):
        with pytest.raises(ValueError, match="allowed_paths"):
            WorkspaceConfig(tier="docker", allowed_paths=[wrong])
    with pytest.raises(TypeError, match="allowed_paths"):
        WorkspaceConfig(tier="docker", allowed_paths=[b"/usr"])  # type: ignore[list-item]


@pytest.mark.parametrize(
    "options",
    [
        {"tier": "process", "allowed_paths": ("/usr",)},
        {"tier": "process", "file_tools": "backend"},
        {"tier": "seatbelt", "file_tools": "backend"},
        {"tier": "process", "image": "python:3"},
        {"tier": "extension:process", "allowed_paths": ("/usr",)},
        {"tier": "extension:seatbelt", "file_tools": "backend"},
        {"tier": "extension:bubblewrap", "image": "python:3"},
    ],
)
def test_a_promise_that_a_tier_never_keeps_is_refused(options: dict[str, Any]) -> None:
    """The error is a ValueError too, and says what to do."""
    with pytest.raises(UnsupportedPromiseError, match=r"Take|take") as caught:
        WorkspaceConfig(**options)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("network_enabled", 1),
        ("network_enabled", "no"),
        ("file_tools", "both"),
        ("limit_address_space", 1),
        ("shell", "sh"),
        ("shell", ""),
        ("shell", "/bin/\udcff"),
        ("python", "python3"),
        ("python", "/a\0b"),
        ("image", "a b"),
        ("image", ""),
        ("directory", "/nonexistent"),
        ("directory", "/"),
        ("directory", ""),
        ("directory", "/etc/passwd"),
    ],
)
def test_other_values_are_checked(name: str, value: object) -> None:
    """The message names the field."""
    with pytest.raises(ValueError, match=name):
        WorkspaceConfig(tier="docker", **{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "value",
    [{"1A": "x"}, {"A-B": "x"}, {"A": "\0secret"}, {"A": 1}, {"A": "secret" * 10_000}, {3: "x"}],
)
def test_environment_is_checked_and_its_values_are_never_shown(value: Any) -> None:
    """Neither the error nor the representation tells a value."""
    with pytest.raises(ValueError, match="environment") as caught:
        WorkspaceConfig(tier="process", environment=value)
    assert "secret" not in str(caught.value)
    assert "secret" not in repr(WorkspaceConfig(tier="process", environment={"A": "secret"}))


def test_a_configuration_can_not_be_changed() -> None:
    """Neither itself nor the mapping it was given."""
    given = {"A": "1"}
    config = WorkspaceConfig(tier="process", environment=given)
    given["A"] = "2"
    assert dict(config.environment) == {"A": "1"}
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.tier = "docker"  # type: ignore[misc]
    with pytest.raises(TypeError):
        config.environment["A"] = "3"  # type: ignore[index]


def test_too_many_entries_are_refused() -> None:
    """Each list has its bound."""
    names = {f"A{n}": "" for n in range(limits.ENVIRONMENT_ENTRIES + 1)}
    with pytest.raises(ValueError, match=str(limits.ENVIRONMENT_ENTRIES)):
        WorkspaceConfig(tier="process", environment=names)
    paths = ["/usr"] * (limits.ALLOWED_PATHS + 1)
    with pytest.raises(ValueError, match=str(limits.ALLOWED_PATHS)):
        WorkspaceConfig(tier="docker", allowed_paths=paths)


def test_a_configuration_is_copied_pickled_hashed_and_varied(tmp_path: Path) -> None:
    """Each way gives an equal one, still unchangeable, that shows no value of a variable."""
    config = WorkspaceConfig(
        tier="docker", allowed_paths=[tmp_path], directory=tmp_path, environment={"A": "hidden"}
    )
    ways = (copy.copy, copy.deepcopy, dataclasses.replace, lambda c: pickle.loads(pickle.dumps(c)))
    for way in ways:
        again = way(config)
        assert again == config
        assert hash(again) == hash(config)
        assert "hidden" not in repr(again)
        assert dict(again.environment) == {"A": "hidden"}
        with pytest.raises(AttributeError):
            again.environment._items = {}  # type: ignore[union-attr]
        with pytest.raises(AttributeError):
            del again.environment._items  # type: ignore[union-attr]
    varied = dataclasses.replace(config, timeout_seconds=7)
    assert (varied.timeout_seconds, varied.environment) == (7, config.environment)
    facts = dataclasses.asdict(config)
    assert WorkspaceConfig(**facts) == config
    assert "hidden" not in repr(facts)
