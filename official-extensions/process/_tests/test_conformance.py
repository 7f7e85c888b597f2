from __future__ import annotations

import json
import subprocess
import sys

import pytest

from .conftest import FOLDER

COMMAND = "from harnest_ext.cli.main import main; main()"


@pytest.mark.slow
def test_all_suites_pass_and_what_the_host_denies_is_told_with_its_reason() -> None:
    """The command's own run: nothing fails, nothing is unsupported without a reason."""
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, "extensions", "test", str(FOLDER), "--json"],
        capture_output=True,
        check=False,
        text=True,
    )
    extension, provider, workspace = json.loads(done.stdout)["reports"]
    checks = [*extension["checks"], *provider["checks"], *workspace["checks"]]
    failed = {item["name"]: item["detail"] for item in checks if item["outcome"] == "failed"}
    assert failed == {}
    assert done.returncode == 0
    suites = [report["suite"] for report in (extension, provider, workspace)]
    assert suites == ["extension", "provider", "workspace"]
    assert provider["counts"]["passed"] >= 90
    assert workspace["counts"]["passed"] >= 55
    unsupported = [item["detail"] for item in checks if item["outcome"] == "unsupported"]
    assert all("not declared" not in detail for detail in unsupported)
