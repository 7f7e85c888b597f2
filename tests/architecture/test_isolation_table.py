"""The table of guarantees names proofs that exist, for every tier and guarantee."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from harnest_ext.conformance import workspace_checks

ROOT = Path(__file__).resolve().parents[2]
TIERS = ("process", "docker", "bubblewrap", "seatbelt", "openshell")
ROW = re.compile(r"\| (?P<promise>.*?) ?\| (?P<tier>\w+) \| (?P<by>.+?) \| (?P<proof>.+?) \|")


def rows() -> list[tuple[str, str, str]]:
    """Return tier, mechanism and proof of each row."""
    text = (ROOT / "docs/explanation/isolation.md").read_text("utf-8")
    return [(m["tier"], m["by"], m["proof"]) for m in ROW.finditer(text) if m["tier"] in TIERS]


def test_every_guarantee_has_a_row_for_each_tier() -> None:
    """The tiers come in one order, guarantee by guarantee."""
    tiers = [tier for tier, _, _ in rows()]
    assert len(tiers) > len(TIERS)
    assert tiers == list(TIERS) * (len(tiers) // len(TIERS))


@pytest.mark.parametrize("tier", TIERS)
def test_what_is_guaranteed_is_proved_by_tests_that_exist(tier: str) -> None:
    """A check of the suite or a test of the tier's extension; or it says that it was not proved."""
    checks = {check.name for check in workspace_checks()}
    folder = ROOT / "official-extensions" / tier / "_tests"
    for name, mechanism, proof in rows():
        references = re.findall(r"`([^`]+)`", proof)
        if name != tier or mechanism == "*not guaranteed*":
            continue
        assert references or proof.endswith("not proved here"), (mechanism, proof)
        for reference in references:
            file, _, test = reference.partition("::")
            found = test in _tests_of(folder / file) if test else file in checks
            assert found, f"{tier}: there is no {reference}"


def _tests_of(path: Path) -> set[str]:
    return {
        node.name for node in ast.parse(path.read_bytes()).body if isinstance(node, ast.FunctionDef)
    }
