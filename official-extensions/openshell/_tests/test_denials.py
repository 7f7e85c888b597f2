from __future__ import annotations

import json

import pytest
from harnest_extension_openshell.lib.denials import merged, of_line, of_output
from harnest_extension_openshell.lib.gateway.port import LogLine


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "[sandbox] NET:OPEN [MED] DENIED /usr/bin/curl(64) -> httpbin.org:443 [policy:-]",
            "/usr/bin/curl -> httpbin.org:443",
        ),
        ("DENIED /opt/my tool/run(1) -> a.b:80", "/opt/my tool/run -> a.b:80"),
        (
            "HTTP:POST [MED] DENIED POST http://api.example.com/v1/keys [policy:api engine:l7]",
            "POST http://api.example.com/v1/keys",
        ),
        ("NET:OPEN [INFO] ALLOWED /usr/bin/curl(64) -> a.b:443", ""),
        ("UNDENIED nothing", ""),
        ("", ""),
        ("DENIED /x\n/y(1) -> a.b:1", "/x /y -> a.b:1"),
    ],
)
def test_a_line_of_the_log_tells_what_was_refused(text: str, told: str) -> None:
    """Connections have an arrow, requests have none; other lines say nothing."""
    assert of_line(LogLine(time=0.0, text=text)) == told


@pytest.mark.parametrize(
    "text",
    [
        "curl: (56) CONNECT tunnel failed, response 403",
        "curl: (56) Received HTTP code 403 from proxy after CONNECT",
        "OSError: Tunnel connection failed: 403 Forbidden",
    ],
)
def test_a_refused_connect_is_a_denial(text: str) -> None:
    """What common clients print when the proxy refuses is understood, on either stream."""
    (told,) = of_output(b"", text.encode())
    assert "CONNECT" in told
    assert of_output(text.encode(), b"") == (told,)


def test_structured_answers_are_read_wherever_they_stand() -> None:
    """An answer of the proxy that a program printed among other things is read as JSON."""
    answer = {"error": "policy_denied", "host": "a.b", "port": 443, "binary": "/usr/bin/curl"}
    text = f'before {json.dumps(answer)} after {{ not json "policy_denied" }}'
    assert of_output(text.encode()) == ("/usr/bin/curl -> a.b:443",)
    detail = {"error": "policy_denied", "detail": "GET /x is not permitted"}
    assert of_output(json.dumps(detail).encode()) == ("GET /x is not permitted",)


def test_the_vague_denial_is_told_only_where_nothing_better_is_known() -> None:
    """A line of the log names host and program; the failed CONNECT is the same event."""
    vague = of_output(b"Tunnel connection failed: 403 Forbidden")
    assert merged(("/a -> b:1",), vague) == ("/a -> b:1",)
    assert merged((), vague) == vague
    assert merged((), ()) == ()


def test_denials_are_bounded_and_free_of_control_characters() -> None:
    """However much a program prints, at most 64 short lines come of it."""
    flood = "".join(
        json.dumps({"error": "policy_denied", "host": f"h{n}\n\x1b[31m" + "x" * 400}) + "\n"
        for n in range(500)
    )
    told = of_output(flood.encode())
    assert len(told) == 64
    assert max(map(len, told)) <= 300
    assert all(text.isprintable() for text in told)
