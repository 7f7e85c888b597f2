"""The border to the SDK: one module, one series of versions, imported at the first use."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from harnest_extension_openshell.extension import (
    Connection,
    GatewayRefusedError,
    OpenShellUnavailableError,
)
from harnest_extension_openshell.lib.gateway.port import Exec, Phase
from harnest_extension_openshell.lib.gateway.sdk import SUPPORTED, connect, refuse_version

from .conftest import FOLDER

if TYPE_CHECKING:
    from pathlib import Path

FOREIGN = {"openshell", "grpc", "google"}


@pytest.mark.parametrize("version", ["0.1.0", "0.1.5", "0.1.99"])
def test_the_series_that_was_tried_is_used(version: str) -> None:
    """Every release of the series is taken."""
    refuse_version(version)


@pytest.mark.parametrize("version", ["0.2.0", "1.0", "0.10.1", "0", "2026.1", None])
def test_another_version_is_refused_with_what_to_install(version: str | None) -> None:
    """Nothing of it is touched, and the message says what is there and what is wanted."""
    with pytest.raises(OpenShellUnavailableError, match=r"openshell>=0\.1,<0\.2") as caught:
        refuse_version(version)
    assert str(version) in str(caught.value) or version is None
    assert caught.value.tier == "openshell"


def test_what_is_installed_is_of_the_series_and_has_what_is_used() -> None:
    """The private parts that one module relies on are there in this environment's release."""
    with connect(Connection(endpoint="127.0.0.1:1")) as gateway:
        with pytest.raises(GatewayRefusedError) as caught:
            gateway.version(1)
        assert caught.value.code in ("UNAVAILABLE", "DEADLINE_EXCEEDED")
        assert caught.value.may_be_done
    assert SUPPORTED == (0, 1)


def test_one_module_imports_the_sdk() -> None:
    """No other file of the extension imports openshell, gRPC or protobuf, by whatever means."""
    found: dict[str, set[str]] = {}
    for path in FOLDER.rglob("*.py"):
        if "_tests" in path.parts or "build" in path.parts:
            continue
        names = {name.split(".")[0] for name in _imported(path)} & FOREIGN
        if names:
            found[path.relative_to(FOLDER).as_posix()] = names
    assert found == {"lib/gateway/sdk.py": FOREIGN}


def _imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.add(node.module or "")
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = ast.unparse(node.func)
            if called.endswith(("import_module", "__import__")):
                names.add(str(node.args[0].value))
    return names


def test_declaring_imports_neither_the_sdk_nor_grpc() -> None:
    """A declaration and a backend that was not started cost none of it."""
    program = (
        "import json, sys\n"
        "from pathlib import Path\n"
        "import types\n"
        "package = types.ModuleType('harnest_extension_openshell')\n"
        f"package.__path__ = [{str(FOLDER)!r}]\n"
        "sys.modules[package.__name__] = package\n"
        "from harnest_extension_openshell.extension import OpenShellBackend, openshell\n"
        "openshell.sandbox()\n"
        "OpenShellBackend()\n"
        "print(json.dumps([n for n in ('openshell', 'grpc', 'google.protobuf') "
        "if n in sys.modules]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=300
    )
    assert json.loads(done.stdout) == []


def test_no_active_gateway_is_told_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without an endpoint the user's active gateway is taken; without one nothing is guessed."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("OPENSHELL_GATEWAY", raising=False)
    with pytest.raises(OpenShellUnavailableError, match="OPENSHELL_GATEWAY"):
        connect(Connection())
    monkeypatch.setenv("OPENSHELL_GATEWAY", "absent")
    with pytest.raises(OpenShellUnavailableError, match="no active gateway"):
        connect(Connection())


def test_the_active_gateway_is_found_where_the_sdk_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file that names it and the folder with its endpoint are the SDK's own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("OPENSHELL_GATEWAY", raising=False)
    folder = tmp_path / "openshell" / "gateways" / "mine"
    folder.mkdir(parents=True)
    (folder / "metadata.json").write_text('{"gateway_endpoint": "http://127.0.0.1:1"}')
    (tmp_path / "openshell" / "active_gateway").write_text("mine\n")
    with connect(Connection()) as gateway:
        assert "mine" not in repr(gateway)
        assert os.environ["XDG_CONFIG_HOME"] == str(tmp_path)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"endpoint": "nowhere"}, ValueError),
        ({"endpoint": 1}, ValueError),
        ({"endpoint": "http://a:1"}, ValueError),
        ({"endpoint": "a:0"}, ValueError),
        ({"endpoint": "a:65536"}, ValueError),
        ({"endpoint": "a:1/b"}, ValueError),
        ({"workspace": " "}, ValueError),
        ({"endpoint": "a:1", "cert_path": "/c"}, ValueError),
        ({"endpoint": "a:1", "token": 5}, TypeError),
        ({"token": "t"}, ValueError),
        ({"endpoint": "gateway.example.com:443", "token": "t"}, ValueError),
    ],
)
def test_a_connection_out_of_bounds_is_refused(
    options: dict[str, object], error: type[Exception]
) -> None:
    """Half a certificate, no port, credentials for somebody else's gateway: told at once."""
    with pytest.raises(error):
        Connection(**options)


@pytest.mark.parametrize("endpoint", ["[::1]:443", "127.0.0.1:1", "gateway_1.example.com:65535"])
def test_an_endpoint_is_a_host_and_a_port(endpoint: str) -> None:
    """A name, or an address of either kind."""
    assert Connection(endpoint=endpoint).endpoint == endpoint


def test_a_token_is_in_no_representation() -> None:
    """Who we are is shown nowhere."""
    assert "s3cret" not in repr(Connection(endpoint="127.0.0.1:1", token="s3cret"))


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"command": []}, "1 to 1024"),
        ({"command": ["x"] * 1025}, "1025"),
        ({"command": ["x" * 32769]}, "32769"),
        ({"command": ["x"], "stdin": b"x" * (1 << 20)}, "1048576"),
        ({"command": ["x"], "environment": {"A": "x" * (1 << 20)}}, "1048576"),
    ],
)
def test_a_command_that_a_gateway_would_refuse_is_not_sent(
    options: dict[str, object], match: str
) -> None:
    """Arguments, their number and the whole message are bounded before anything is sent."""
    with pytest.raises(ValueError, match=match):
        Exec(sandbox="a", **options)


def test_a_phase_of_a_later_gateway_is_unknown() -> None:
    """A number that is not known is no error, and not ready either."""
    assert Phase(42) is Phase.UNKNOWN
    assert Phase(2) is Phase.READY
