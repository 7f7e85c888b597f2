"""Every command and listing of the guides does what the page says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.journeys.conftest import docker_image
from tests.support.guide import Reader, listings

if TYPE_CHECKING:
    from tests.support.installation import Installation

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("tutorial/*.md"))]
PAGES += sorted((ROOT / "docs").glob("how-to/*.md"))
RUN = {"console", "python"}
GUIDES = [page for page in PAGES if any(i.info in RUN or i.file for i in listings(page))]


def cases() -> list:
    """Return the guides, those that need Docker marked so."""
    return [
        pytest.param(
            page,
            id=str(page.relative_to(ROOT)),
            marks=[pytest.mark.docker] * any(i.mark == "docker" for i in listings(page)),
        )
        for page in GUIDES
    ]


@pytest.mark.parametrize("page", cases())
def test_a_guide_works_as_written(page: Path, installation: Installation, clone: Path) -> None:
    """Done in order from an installed wheel, each step works and prints what the page shows."""
    blocks = listings(page)
    image = docker_image() if any(block.mark == "docker" for block in blocks) else ""
    if any(block.mark == "docker" for block in blocks) and not image:
        pytest.skip("no Docker daemon answers that has a Python image")
    reader = Reader(clone, installation.folder / "bin", image=image)
    for block in blocks:
        if not block.mark.startswith("skip"):
            reader.follow(block)


def test_guides_skip_only_with_a_reason() -> None:
    """A block that is not run says why, and a mark that nobody knows is a mistake."""
    marks = {block.mark for page in PAGES for block in listings(page) if block.mark}
    assert [m for m in marks if m not in {"docker", "fails"} and not m.startswith("skip, ")] == []
