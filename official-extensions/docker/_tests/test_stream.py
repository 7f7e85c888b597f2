"""Bytes from the container, taken apart strictly, in whatever pieces they come."""

from __future__ import annotations

import itertools

import pytest
from harnest.extensions.docker.lib.limits import FRAME_BYTES
from harnest.extensions.docker.lib.pid1 import dns, wire
from harnest.extensions.docker.lib.pid1.files import parts_of
from harnest.extensions.docker.lib.run.incoming import IncomingFiles
from harnest.extensions.docker.lib.run.output import Collected
from harnest.extensions.docker.lib.run.program import Ending
from harnest.extensions.docker.lib.run.stream import Demultiplexer, FrameParser, StreamError
from hypothesis import given
from hypothesis import strategies as st

from harnest.sandbox import SandboxStatus
from harnest.sandbox.optional import OutputStream

KINDS = (wire.HELLO, wire.STDOUT, wire.STDERR, wire.FILE, wire.DATA, wire.EXIT)
frames = st.lists(st.tuples(st.sampled_from(KINDS), st.binary(max_size=40)), max_size=8)
cuts = st.lists(st.integers(min_value=0, max_value=400), max_size=12)


def pieces(data: bytes, at: list[int]) -> list[bytes]:
    """Cut *data* at the positions that lie in it."""
    places = [0, *sorted(min(place, len(data)) for place in at), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(places)]


@given(frames, cuts)
def test_frames_come_whole_from_any_pieces(sent: list[tuple[bytes, bytes]], at: list[int]) -> None:
    """Whatever the pieces, the frames are those that were sent, and nothing is left."""
    parser = FrameParser()
    data = b"".join(wire.pack(kind, payload) for kind, payload in sent)
    assert [frame for part in pieces(data, at) for frame in parser.feed(part)] == sent
    assert parser.whole


@given(st.lists(st.tuples(st.sampled_from((1, 2)), st.binary(max_size=40)), max_size=8), cuts)
def test_channels_come_apart_from_any_pieces(sent: list[tuple[int, bytes]], at: list[int]) -> None:
    """Standard output comes whole whatever the pieces; standard error is kept apart."""
    layer = Demultiplexer()
    data = b"".join(
        bytes((channel, 0, 0, 0)) + len(payload).to_bytes(4, "big") + payload
        for channel, payload in sent
    )
    out = b"".join(chunk for part in pieces(data, at) for chunk in layer.feed(part))
    assert out == b"".join(payload for channel, payload in sent if channel == 1)
    assert layer.diagnostics == b"".join(payload for channel, payload in sent if channel == 2)
    assert layer.whole


@given(st.binary(max_size=200), cuts)
def test_no_bytes_crash_the_layers(data: bytes, at: list[int]) -> None:
    """Any bytes are frames, an incomplete frame, or the one named error."""
    for layer in (FrameParser(), Demultiplexer()):
        try:
            for part in pieces(data, at):
                list(layer.feed(part))
        except StreamError:
            continue


@pytest.mark.parametrize(
    "data", [b"Z\0\0\0\0", b"O" + (FRAME_BYTES + 1).to_bytes(4, "big"), b"W\0\0\0\0"]
)
def test_a_wrong_frame_is_refused(data: bytes) -> None:
    """An unknown letter, a letter of the host's and a frame that is too large are errors."""
    with pytest.raises(StreamError):
        list(FrameParser().feed(data))


@pytest.mark.parametrize("header", [b"\3\0\0\0", b"\0\0\0\0", b"\1\1\0\0", b"\1\0\0\1"])
def test_an_unknown_channel_is_refused(header: bytes) -> None:
    """Only the two output channels exist, and their headers have zeros where Docker writes them."""
    with pytest.raises(StreamError):
        list(Demultiplexer().feed(header + b"\0\0\0\0"))


def test_an_end_inside_a_frame_is_noticed() -> None:
    """Neither layer calls an end in the middle of a frame whole."""
    parser, layer = FrameParser(), Demultiplexer()
    list(parser.feed(b"O\0\0\0\5abc"))
    list(layer.feed(b"\1\0\0\0\0\0\0\5abc"))
    assert not parser.whole
    assert not layer.whole


@given(st.binary(max_size=120), cuts)
def test_text_is_that_of_the_whole_bytes(data: bytes, at: list[int]) -> None:
    """Decoding piece by piece gives what decoding at once gives, and so do the pieces handed on."""
    handed: list[str] = []
    collected = Collected(OutputStream.STDOUT, lambda _stream, text: handed.append(text))
    for part in pieces(data, at):
        collected.add(part)
    assert collected.text() == data.decode("utf-8", "replace")
    assert "".join(handed) == collected.text()


def facts(**changes: object) -> dict[str, str]:
    """Return PID 1's last word, changed."""
    said = {
        "signal": 0,
        "exit": 0,
        "reason": "-",
        "oom_kill": 0,
        "pids_max": 0,
        "dropped_stdout": 0,
        "dropped_stderr": 0,
        "killed": 0,
        "microseconds": 5,
        **changes,
    }
    return {name: str(value) for name, value in said.items()}


@pytest.mark.parametrize(
    ("changes", "status", "code", "why"),
    [
        ({}, SandboxStatus.SUCCEEDED, 0, ""),
        ({"exit": 124}, SandboxStatus.FAILED, 124, ""),
        ({"exit": 137, "oom_kill": 1}, SandboxStatus.FAILED, 137, ""),
        ({"signal": 9}, SandboxStatus.FAILED, 137, "signal"),
        ({"signal": 9, "oom_kill": 1}, SandboxStatus.FAILED, 137, "out_of_memory"),
        ({"signal": 15, "oom_kill": 1}, SandboxStatus.FAILED, 143, "signal"),
        ({"oom_kill": 1}, SandboxStatus.SUCCEEDED, 0, ""),
        ({"pids_max": 3}, SandboxStatus.SUCCEEDED, 0, ""),
        ({"exit": 1, "pids_max": 3}, SandboxStatus.FAILED, 1, "pids_limit"),
        ({"reason": "deadline", "signal": 9}, SandboxStatus.TIMED_OUT, None, "deadline"),
        (
            {"reason": "output_limit", "signal": 9},
            SandboxStatus.OUTPUT_LIMIT_EXCEEDED,
            None,
            "output_limit",
        ),
        ({"reason": "cancel", "signal": 9}, SandboxStatus.CANCELLED, None, "cancelled"),
    ],
)
def test_the_outcome_follows_from_the_evidence(
    changes: dict[str, object], status: SandboxStatus, code: int | None, why: str
) -> None:
    """Status, exit code and reason are functions of what the kernel said."""
    ending = Ending.parse(facts(**changes))
    assert (ending.status, ending.code, ending.why) == (status, code, why)
    assert ending.clean == ("reason" not in changes)


@pytest.mark.parametrize("name", ["exit", "signal", "reason", "microseconds"])
def test_a_last_word_without_a_fact_is_refused(name: str) -> None:
    """Every fact of the last word must be there."""
    said = facts()
    del said[name]
    with pytest.raises(KeyError):
        Ending.parse(said)


@pytest.mark.parametrize(
    "name", ["", "/a", "a/", "a//b", ".", "..", "a/../b", "a\0", "a" * 513, "a/" * 17]
)
def test_names_that_lead_elsewhere_are_refused(name: str) -> None:
    """Only plain relative paths within the bounds name a file."""
    with pytest.raises(ValueError, match="name"):
        parts_of(name)


def head(name: bytes, size: int) -> bytes:
    """Return the head of a file."""
    return wire.FILE_HEAD.pack(size, len(name)) + name


@pytest.mark.parametrize(
    "heads",
    [
        [head(b"a", 11)],
        [head(b"a", 1), head(b"b", 1)],
        [head(b"a", 0), head(b"b", 0), head(b"c", 0)],
        [head(b"../a", 0)],
        [head(b"\xff", 0)],
        [head(b"a", 0)[:-1]],
        [b"short"],
    ],
)
def test_output_files_beyond_what_was_allowed_are_refused(heads: list[bytes]) -> None:
    """More files or bytes than allowed, a file before the last is whole, or a bad name: an error."""
    incoming = IncomingFiles(2, 10)
    for item in heads[:-1]:
        incoming.begin(item)
    with pytest.raises(StreamError):
        incoming.begin(heads[-1])


def test_content_beyond_its_promise_is_refused() -> None:
    """Content without a head, or more than the head said, is an error."""
    with pytest.raises(StreamError):
        IncomingFiles(2, 10).add(b"x")
    incoming = IncomingFiles(2, 10)
    incoming.begin(head(b"a", 1))
    incoming.add(b"x")
    with pytest.raises(StreamError):
        incoming.add(b"y")


@given(st.binary(max_size=60))
def test_any_packet_to_the_resolver_is_harmless(packet: bytes) -> None:
    """A packet is refused by name, or dropped; never an error, and never an answer to an answer."""
    answer = dns.refusal(packet)
    if answer is not None:
        assert answer[:2] == packet[:2]
        assert answer[2:4] == b"\x81\x83"


def test_an_unknown_name_is_refused_by_its_question() -> None:
    """The answer repeats the question and says that there is no such name."""
    question = b"\xab\xcd\1\0\0\1\0\0\0\0\0\0\4none\7example\0\0\1\0\1"
    answer = dns.refusal(question + b"additional")
    assert answer == b"\xab\xcd\x81\x83\0\1\0\0\0\0\0\0" + question[12:]
    assert dns.refusal(answer) is None
