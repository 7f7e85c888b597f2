from __future__ import annotations

import json
import subprocess
import sys

import pytest

from .conftest import FOLDER

COMMAND = "from harnest_ext.cli.main import main; main()"


@pytest.mark.slow
def test_both_suites_pass_and_what_the_host_denies_is_told_with_its_reason() -> None:
    """The command's own run: nothing fails, nothing is unsupported without a reason."""
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, "extensions", "test", str(FOLDER), "--json"],
        capture_output=True,
        check=False,
        text=True,
    )
    extension, provider = json.loads(done.stdout)["reports"]
    checks = [*extension["checks"], *provider["checks"]]
    failed = {item["name"]: item["detail"] for item in checks if item["outcome"] == "failed"}
    assert failed == {}
    assert done.returncode == 0
    assert (extension["suite"], provider["suite"]) == ("extension", "provider")
    assert provider["counts"]["passed"] >= 90
    unsupported = [item["detail"] for item in checks if item["outcome"] == "unsupported"]
    assert all("not declared" not in detail for detail in unsupported)
