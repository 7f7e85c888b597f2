"""What is typed after ``install`` has one meaning, and a slip gets an answer."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from harnest_ext.errors import ExtensionNotFound, HarnestExtensionError, UsageError
from harnest_ext.sources import FolderSource, NamedSource, WheelSource, classify

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("text", "slug", "specifier", "bare"),
    [
        ("docker", "docker", "", True),
        ("harnest-extension-docker", "docker", "", False),
        ("Harnest_Extension.Docker", "docker", "", False),
        ("docker==0.4.2", "docker", "==0.4.2", True),
        ("docker >= 0.4, < 1", "docker", "<1,>=0.4", True),
        ("docker (>=0.4)", "docker", ">=0.4", True),
        ("my-tool~=1.2", "my_tool", "~=1.2", True),
        ("a.b", "a_b", "", True),
    ],
)
def test_names_and_requirements(
    tmp_path: Path, text: str, slug: str, specifier: str, bare: bool
) -> None:
    """Slugs, project names and ranges in any PEP 503 spelling name the same project."""
    source = classify(text, tmp_path)
    assert isinstance(source, NamedSource)
    assert (source.slug, source.bare) == (slug, bare)
    assert set(source.requirement.specifier.split(",")) == set(specifier.split(","))


@pytest.mark.parametrize(
    ("text", "kind", "rule"),
    [
        ("", "name-invalid", "source.empty"),
        ("   ", "name-invalid", "source.empty"),
        ("-r/etc/passwd", "usage", "source.option"),
        ("--index-url=x", "usage", "source.option"),
        ("https://example.org/x.whl", "unsupported-source", "source.url"),
        ("file:///etc/x.whl", "unsupported-source", "source.url"),
        ("git+https://example.org/x.git", "unsupported-source", "source.vcs"),
        ("docker @ https://example.org/x.whl", "metadata-policy", "source.direct-reference"),
        ("docker@file:///x.whl", "metadata-policy", "source.direct-reference"),
        ("d\u043ecker", "name-invalid", "source.name"),
        ("docker\u200b", "name-invalid", "source.name"),
        ("docker\n", "name-invalid", "source.name"),
        ("docker\x00", "name-invalid", "source.name"),
        ("docker[all]", "name-invalid", "source.extras"),
        ("docker; python_version>'3'", "name-invalid", "source.marker"),
        ("d" * 10_000, "name-invalid", "source.length"),
        ("harnest-extension-", "name-invalid", "source.name"),
        ("docker-", "name-invalid", "source.name"),
        ("docker_", "name-invalid", "source.name"),
        ("docker.>=1", "name-invalid", "source.name"),
        ("git@example.org:x/y.git", "unsupported-source", "source.vcs"),
        ("harnest", "not-an-extension", "source.not-an-extension"),
        ("class", "name-invalid", "source.name"),
        ("docker==not.a.version!", "version-invalid", "source.range"),
        ("docker 1 2 3", "version-invalid", "source.range"),
    ],
)
def test_what_is_no_source_is_refused_by_its_rule(
    tmp_path: Path, text: str, kind: str, rule: str
) -> None:
    """Each refusal has a stable kind and rule, a remedy, and stays within the message bound."""
    with pytest.raises(HarnestExtensionError) as caught:
        classify(text, tmp_path)
    assert (caught.value.kind, caught.value.rule) == (kind, rule)
    assert caught.value.remedy
    assert len(str(caught.value).encode()) <= 4096


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("docker^1.2", "docker>=1.2,<2"),
        ("docker^0.4.2", "docker>=0.4.2,<0.5"),
        ("docker@1.0", "docker==1.0"),
        ("docker@^1.0", "docker>=1.0,<2"),
        ("docker@latest", "'docker'"),
        ("docker=1.0", "docker==1.0"),
        ("docker:1.0", "docker==1.0"),
        ("docker 1.0", "docker==1.0"),
        ("docker~1.2.3", "docker>=1.2.3,<1.3"),
        ("docker=>1.0", "docker>=1.0"),
        ("docker@1.x", "docker==1.*"),
        ("docker@v1.0", "docker==1.0"),
    ],
)
def test_a_range_of_another_tool_is_translated(tmp_path: Path, text: str, meant: str) -> None:
    """The remedy holds what was probably meant, in PEP 440."""
    with pytest.raises(HarnestExtensionError) as caught:
        classify(text, tmp_path)
    assert caught.value.kind == "version-invalid"
    assert meant in caught.value.remedy


def test_paths_are_paths(tmp_path: Path) -> None:
    """Whatever exists, has a slash, is absolute or begins with a dot is a path."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "x-1.0-py3-none-any.whl").write_bytes(b"")
    for text in ("mine", "./mine", "mine/", str(tmp_path / "mine"), "."):
        assert isinstance(classify(text, tmp_path), FolderSource)
    assert classify("x-1.0-py3-none-any.whl", tmp_path) == WheelSource(
        path=tmp_path / "x-1.0-py3-none-any.whl"
    )


@pytest.mark.parametrize("text", ["./no", "no/where", "/no/where", "no.whl", "../no", "~/no"])
def test_a_missing_path_is_never_looked_up(tmp_path: Path, text: str) -> None:
    """A path that is not there is an error that says so."""
    with pytest.raises(ExtensionNotFound) as caught:
        classify(text, tmp_path)
    assert caught.value.rule == "source.missing-path"


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("x-1.0.tar.gz", "source.archive"),
        ("x.zip", "source.archive"),
        ("x.egg", "source.archive"),
        ("extension.py", "source.file-kind"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, name: str, rule: str) -> None:
    """Source archives and single files are no sources, and say why."""
    (tmp_path / name).write_bytes(b"")
    with pytest.raises(HarnestExtensionError) as caught:
        classify(name, tmp_path)
    assert (caught.value.kind, caught.value.rule) == ("unsupported-source", rule)


def test_a_folder_named_like_a_known_extension_needs_a_slash(tmp_path: Path) -> None:
    """Either could be meant, so neither is taken, and the remedy says how to write both."""
    (tmp_path / "docker").mkdir()
    with pytest.raises(UsageError) as caught:
        classify("docker", tmp_path, known={"docker"})
    assert "./docker" in caught.value.remedy
    assert isinstance(classify("./docker", tmp_path, known={"docker"}), FolderSource)
    assert isinstance(classify("docker", tmp_path), FolderSource)


def test_a_pipe_is_no_wheel(tmp_path: Path) -> None:
    """A special file is not opened."""
    os.mkfifo(tmp_path / "x.whl")
    with pytest.raises(HarnestExtensionError) as caught:
        classify("./x.whl", tmp_path)
    assert caught.value.rule == "source.file-kind"


def test_a_password_in_a_url_is_not_repeated(tmp_path: Path) -> None:
    """The refusal of a URL hides what stands before the host."""
    with pytest.raises(HarnestExtensionError) as caught:
        classify("https://me:hush@example.org/x.whl", tmp_path)
    assert "hush" not in str(caught.value)
