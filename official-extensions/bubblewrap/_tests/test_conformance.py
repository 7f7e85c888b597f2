from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import FOLDER

COMMAND = "from harnest_ext.cli.main import main; main()"
NOBODY = 65534
OPTIONS = ("-q", "-p", "no:cacheprovider", "-W", "ignore")
ROOT = FOLDER.parent.parent


@pytest.mark.slow
@pytest.mark.usefixtures("host")
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
    assert provider["counts"]["passed"] >= 90
    assert workspace["counts"]["passed"] >= 55
    unsupported = [item["detail"] for item in checks if item["outcome"] == "unsupported"]
    assert all("not declared" not in detail for detail in unsupported)


def _interpreter() -> str | None:
    """An interpreter of this version that any user can start."""
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return shutil.which(name, path="/usr/bin:/usr/local/bin")


def _readable_by_others(path: Path) -> bool:
    return all(folder.stat().st_mode & 0o005 == 0o005 for folder in (path, *path.parents))


@pytest.mark.slow
@pytest.mark.usefixtures("host")
@pytest.mark.skipif(os.geteuid() != 0, reason="the tests run as an ordinary user anyway")
@pytest.mark.parametrize(
    "names",
    [
        ["files", "network", "kernel", "declaration", "view"],
        ["ending", "bounds"],
        ["workspace_suite"],
    ],
    ids="+".join,
)
def test_everything_holds_for_an_ordinary_user_too(names: list[str]) -> None:
    """The other tests of this folder, run as a user without any privilege."""
    python = _interpreter()
    packages = Path(pytest.__file__).parent.parent
    if python is None or not all(map(_readable_by_others, (ROOT, packages))):
        pytest.skip("no interpreter and packages that any user can read are here")
    base = Path("/tmp") / f"harnest-unprivileged-{os.getpid()}-{names[0]}"
    files = [f"{FOLDER}/_tests/test_{name}.py" for name in names]
    try:
        done = subprocess.run(
            [python, "-m", "pytest", *OPTIONS, f"--basetemp={base}", *files],
            user=NOBODY,
            group=NOBODY,
            extra_groups=[],
            cwd=ROOT,
            env={
                "PATH": "/usr/bin:/bin",
                "HOME": "/nonexistent",
                "LANG": "C.UTF-8",
                "PYTHONPATH": f"{ROOT}{os.pathsep}{packages}",
                "PYTHONDONTWRITEBYTECODE": "1",
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            },
            capture_output=True,
            check=False,
            text=True,
        )
    finally:
        shutil.rmtree(base, ignore_errors=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert " passed" in done.stdout.splitlines()[-1]
