"""Make an authority, a server's and a client's certificates, for one test run on this machine."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
_DAYS = "2"
_USES = {
    "server": "subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth\n",
    "client": "extendedKeyUsage=clientAuth\n",
}


def make(folder: Path) -> dict[str, Path]:
    """Return a folder for each side, with ``ca.pem``, ``cert.pem`` and ``key.pem`` in it."""
    authority = folder / "authority"
    authority.mkdir(parents=True)
    ca, key = authority / "ca.pem", authority / "key.pem"
    _openssl(
        "req", "-x509", *_KEY, "-keyout", key, "-out", ca, "-days", _DAYS, "-subj", "/CN=tests"
    )
    return {side: _side(folder / side, ca, key) for side in _USES}


def _side(folder: Path, ca: Path, ca_key: Path) -> Path:
    folder.mkdir()
    request, uses = folder / "request.pem", folder / "uses.cnf"
    uses.write_text(_USES[folder.name])
    key = folder / "key.pem"
    _openssl("req", *_KEY, "-keyout", key, "-out", request, "-subj", f"/CN={folder.name}")
    signed = ("-CA", ca, "-CAkey", ca_key, "-CAcreateserial", "-days", _DAYS, "-extfile", uses)
    _openssl("x509", "-req", "-in", request, *signed, "-out", folder / "cert.pem")
    (folder / "ca.pem").write_bytes(ca.read_bytes())
    return folder


def _openssl(*arguments: str | Path) -> None:
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, timeout=30)
