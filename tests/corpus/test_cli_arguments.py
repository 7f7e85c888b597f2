"""The corpus of arguments, as a user types them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harnest_ext.errors import HarnestExtensionError
from harnest_ext.resolution import ResolutionRequest, resolve
from harnest_ext.resources import registry_folder
from harnest_ext.sources import NamedSource, classify
from harnest_ext.sources.finder import Finder
from harnest_ext.sources.settings import SourceSettings
from tests.support.commands import snapshot

if TYPE_CHECKING:
    from tests.support.commands import Command

pytestmark = pytest.mark.corpus


def entries() -> list[dict[str, Any]]:
    """Return the corpus's entries; none where there is no corpus."""
    folder = os.environ.get("HARNEST_CORPUS", "")
    path = Path(folder, "name", "cli-arguments.json")
    found: list[dict[str, Any]] = json.loads(path.read_text()) if folder else []
    return found


def look_up(text: str, folder: Path) -> None:
    """Do what an installation does with an argument before anything is opened."""
    source = classify(text, folder)
    assert isinstance(source, NamedSource)
    settings = SourceSettings(shipped=registry_folder(), cache=folder / "cache")
    with Finder(settings) as finder:
        resolve(ResolutionRequest(wanted=(source.requirement,)), finder)


needs_corpus = pytest.mark.skipif(
    not os.environ.get("HARNEST_CORPUS"), reason="HARNEST_CORPUS does not name a corpus"
)


@needs_corpus
@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry["what"])
def test_an_argument_is_judged_as_expected(entry: dict[str, Any], tmp_path: Path) -> None:
    """Accepted ones parse as a name; the others are refused by their kind, unseen by any index."""
    if entry["expected"] == "accept":
        assert isinstance(classify(entry["text"], tmp_path), NamedSource)
        return
    with pytest.raises(HarnestExtensionError) as caught:
        look_up(entry["text"], tmp_path)
    assert caught.value.kind == entry["error"]
    assert len(str(caught.value).encode()) <= 4096


@needs_corpus
@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry["what"])
def test_an_argument_through_the_command_line(
    entry: dict[str, Any], harnest: Command, agent: Path
) -> None:
    """A refusal has its kind in JSON and leaves the project as before; a good name is looked up."""
    before = snapshot(agent)
    arguments = ["extensions", "install", "--project", agent, "--no-index", "--json"]
    arguments += ["--dry-run"] if entry["expected"] == "accept" else []
    done = harnest(*arguments, "--", entry["text"], cwd=agent)
    if entry["expected"] == "accept":
        # Whether the registry of a checkout has this release, and its wheel, is no matter of it.
        assert done.code == 0 or done.error["kind"] in {"not-found", "hash-mismatch"}
    else:
        assert done.code != 0
        assert done.error["kind"] == entry["error"]
    assert snapshot(agent) == before
