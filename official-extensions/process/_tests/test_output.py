from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from harnest_extension_process.lib.settings import PREFIX

from harnest.execution.local import workdir
from harnest.execution.local.capture import Capture
from harnest.sandbox.optional import OutputStream

from .support import request

if TYPE_CHECKING:
    from collections.abc import Callable

OUT, ERR = OutputStream.STDOUT, OutputStream.STDERR


def test_both_streams_are_kept_apart_and_in_order(make: Callable[..., Any]) -> None:
    """What goes to each stream arrives there, byte for byte."""
    code = "import sys\nfor n in range(3):\n print(n); print(-n, file=sys.stderr)"
    result = make().execute(request(code))
    assert (result.stdout, result.stderr) == ("0\n1\n2\n", "0\n-1\n-2\n")


@pytest.mark.parametrize("size", [1000, 1001])
def test_the_budget_is_exact(make: Callable[..., Any], size: int) -> None:
    """Output of exactly the budget is fine; one byte more ends the program, keeping the rest."""
    code = f"import sys; sys.stdout.write('x' * {size - 100}); sys.stderr.write('y' * 100)"
    result = make(max_output_bytes=1000).execute(request(code))
    if size == 1000:
        assert (result.status.value, dict(result.metadata["truncated"])) == ("succeeded", {})
    else:
        assert (result.status.value, result.exit_code) == ("output_limit_exceeded", None)
        assert result.metadata["reason"] == "output_limit"
        assert sum(result.metadata["truncated"].values()) == 1
    assert len(result.stdout) + len(result.stderr) == 1000


def test_a_flood_is_cut_and_its_program_ended(make: Callable[..., Any]) -> None:
    """Endless output ends before its deadline, with the part that fits."""
    result = make(max_output_bytes=10_000).execute(request("while True: print('flood')"))
    assert result.status.value == "output_limit_exceeded"
    assert result.stdout == ("flood\n" * 2000)[:10_000]


def test_fifty_megabytes_within_the_budget_arrive_exactly(make: Callable[..., Any]) -> None:
    """A large output is neither slow nor changed."""
    code = "import sys\nfor n in range(50): sys.stdout.write(chr(97 + n % 26) * 1_000_000)"
    result = make(max_output_bytes=60_000_000).execute(request(code))
    assert len(result.stdout) == 50_000_000
    assert result.stdout[::1_000_000] == "".join(chr(97 + n % 26) for n in range(50))


@pytest.mark.parametrize("text", ["é", "€", "😀"])
@pytest.mark.parametrize("pad", range(4))
def test_a_character_across_any_edge_is_whole(
    make: Callable[..., Any], text: str, pad: int
) -> None:
    """Characters of two to four bytes survive wherever a read ends."""
    code = (
        f"import os, time\ndata = ('x' * {pad} + {text!r} * 3).encode()\n"
        "for byte in data: os.write(1, bytes([byte])); time.sleep(0.001)"
    )
    assert make().execute(request(code)).stdout == "x" * pad + text * 3


def test_bad_bytes_are_replaced_and_a_cut_by_the_budget_is_not() -> None:
    """U+FFFD stands for what the program wrote wrongly, never for what the budget cut off."""
    wrong = Capture(100, None)
    wrong.feed(OUT, b"a\xff\xe2\x82")
    wrong.close()
    cut = Capture(3, None)
    cut.feed(OUT, "a€€".encode())
    cut.close()
    assert (wrong.text(OUT), cut.text(OUT)) == ("a\ufffd\ufffd", "a")
    assert cut.truncated() == {"stdout": 4}


def test_output_is_handed_on_while_the_program_runs(make: Callable[..., Any]) -> None:
    """The sink sees the first text before the program ends, and what it gets is the result."""
    seen: list[tuple[OutputStream, str]] = []
    provider = make()
    code = (
        "import os, time, sys\n"
        "print('first', flush=True)\n"
        "limit = time.monotonic() + 30\n"
        "while not os.path.exists('go') and time.monotonic() < limit: time.sleep(0.005)\n"
        "print('second', os.path.exists('go')); print('wrong', file=sys.stderr)"
    )

    def sink(stream: OutputStream, text: str) -> None:
        if not seen:
            for item in workdir.leftovers(PREFIX):
                if item.pid == os.getpid():
                    (item.path / "go").touch()
        seen.append((stream, text))

    result = provider.execute_streaming(request(code), sink)
    assert result.stdout == "first\nsecond True\n"
    assert "".join(text for stream, text in seen if stream is OUT) == result.stdout
    assert "".join(text for stream, text in seen if stream is ERR) == result.stderr == "wrong\n"


def test_a_sink_that_raises_ends_the_program(make: Callable[..., Any]) -> None:
    """The sink's own error comes out, and nothing goes on running."""

    class Full(Exception):
        """The reader has enough."""

    def sink(stream: OutputStream, text: str) -> None:
        raise Full

    code = "import time\nprint('x', flush=True)\ntime.sleep(60)"
    with pytest.raises(Full):
        make().execute_streaming(request(code), sink)
