"""Values of the contract exist only if they are valid, never change, and show nothing secret."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest

from harnest.sandbox import (
    SandboxBudget,
    SandboxContext,
    SandboxFile,
    SandboxNetworkPolicy,
    SandboxRequest,
    SandboxResult,
    SandboxStatus,
)

MIB = 1024 * 1024
SECRET = "hunter2-secret"

VALUES = [
    SandboxFile("a.txt", b"x"),
    SandboxContext("agent", "invocation", "user", "session"),
    SandboxRequest(
        "print(1)",
        7,
        input_files=[SandboxFile("a", b"")],
        metadata={"a": [1]},
        network_policy=SandboxNetworkPolicy.none(),
    ),
    SandboxResult("out", "err", metadata={"k": {"n": None}}, status="failed", exit_code=3),
    SandboxBudget(cpu=0.5),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_never_changes_and_travels(value: Any) -> None:
    """It is frozen and slotted, equal to its pickled and its deep copy, and usable as a key."""
    assert not hasattr(value, "__dict__")
    assert pickle.loads(pickle.dumps(value)) == value
    assert copy.deepcopy(value) == value
    assert hash(copy.deepcopy(value)) == hash(value)
    name = dataclasses.fields(value)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, name, getattr(value, name))


@pytest.mark.parametrize("name", ["", "  ", "\n", None, 3, b"a"])
def test_a_file_needs_a_name_and_a_media_type(name: Any) -> None:
    """A blank or foreign name or media type is a ValueError."""
    with pytest.raises(ValueError, match=r"^name must"):
        SandboxFile(name, b"")
    with pytest.raises(ValueError, match=r"^mime_type must"):
        SandboxFile("a", b"", name)


@pytest.mark.parametrize("content", [None, 3, bytearray(b"a"), memoryview(b"a"), ["a"]])
def test_a_files_content_is_bytes_or_text(content: Any) -> None:
    """Another type, mutable bytes included, is a TypeError."""
    with pytest.raises(TypeError, match=r"^content must"):
        SandboxFile("a", content)


def test_a_files_data_are_its_bytes_however_they_were_given() -> None:
    """Bytes are the content itself, text is base64 of it."""
    assert SandboxFile("a", b"\x00\xff").data == b"\x00\xff"
    assert SandboxFile("a", "AP8=").data == b"\x00\xff"
    assert SandboxFile("a", "").data == b""


@pytest.mark.parametrize("text", ["AP8", "AP8=\n", "A P8=", "AP_8", "é", "AAAA="])
def test_text_that_is_not_base64_is_refused_when_it_is_decoded(text: str) -> None:
    """Construction takes any text; reading it as bytes is a ValueError without the text in it."""
    file = SandboxFile("a", text)
    with pytest.raises(ValueError, match="not valid base64") as caught:
        _ = file.data
    assert text not in str(caught.value)
    assert caught.value.__context__ is None


def test_an_identity_takes_text_or_nothing() -> None:
    """Each of its four parts refuses another type."""
    for part in ("agent_name", "invocation_id", "user_id", "session_id"):
        assert getattr(SandboxContext(**{part: "x"}), part) == "x"
        with pytest.raises(TypeError, match=part):
            SandboxContext(**{part: 1})  # type: ignore[arg-type]


@pytest.mark.parametrize("code", ["", " \n\t", None, 1, b"print(1)"])
def test_a_request_needs_code(code: Any) -> None:
    """Blank code, or code that is no text, is a ValueError."""
    with pytest.raises(ValueError, match=r"^code must"):
        SandboxRequest(code)


@pytest.mark.parametrize("seconds", [0, -1, True, False, 1.0, "3", float("inf")])
def test_a_deadline_is_a_positive_int(seconds: Any) -> None:
    """Anything but None or a positive int is a ValueError."""
    with pytest.raises(ValueError, match=r"^timeout_seconds must"):
        SandboxRequest("x", timeout_seconds=seconds)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("context", None),
        ("context", {"agent_name": "a"}),
        ("network_policy", "none"),
        ("execution_id", 3),
        ("input_files", SandboxFile("a", b"")),
        ("input_files", {SandboxFile("a", b"")}),
        ("input_files", iter(())),
        ("input_files", ["a.txt"]),
        ("metadata", [("a", 1)]),
    ],
)
def test_a_request_refuses_other_types(field: str, value: Any) -> None:
    """Each typed field is a TypeError otherwise."""
    with pytest.raises(TypeError, match=field):
        SandboxRequest("x", **{field: value})


def test_input_files_become_a_tuple() -> None:
    """A list is taken and kept as a tuple, so that nobody changes it later."""
    files = [SandboxFile("a", b"")]
    request = SandboxRequest("x", input_files=files)
    files.clear()
    assert request.input_files == (SandboxFile("a", b""),)


def test_a_status_may_be_given_as_text() -> None:
    """Text becomes the member; unknown text is a ValueError."""
    assert SandboxResult(status="timed_out").status is SandboxStatus.TIMED_OUT
    for wrong in ("done", "", None, 3, []):
        with pytest.raises(ValueError, match="is not a valid SandboxStatus"):
            SandboxResult(status=wrong)  # type: ignore[arg-type]


def test_a_result_can_not_contradict_itself() -> None:
    """Success has exit code 0 or none; every other status takes any."""
    assert SandboxResult(exit_code=0).exit_code == 0
    for code in (1, -9, 137):
        with pytest.raises(ValueError, match="can't have exit code"):
            SandboxResult(exit_code=code)
        assert SandboxResult(status="failed", exit_code=code).exit_code == code
    assert SandboxResult(status="failed", exit_code=0).exit_code == 0


@pytest.mark.parametrize("code", [True, False, 1.0, "1", b"1"])
def test_an_exit_code_is_an_int(code: Any) -> None:
    """A bool or another type is a TypeError."""
    with pytest.raises(TypeError, match="exit_code"):
        SandboxResult(status="failed", exit_code=code)


@pytest.mark.parametrize("field", ["stdout", "stderr"])
def test_streams_are_text(field: str) -> None:
    """Bytes or None is a TypeError."""
    for value in (b"x", None, 3):
        with pytest.raises(TypeError, match=field):
            SandboxResult(**{field: value})


@pytest.mark.parametrize(
    "cpu", [0, 0.009, -1, True, "1", None, float("nan"), float("inf"), 10**400]
)
def test_a_budgets_cpu_is_a_finite_number(cpu: Any) -> None:
    """Below 0.01 CPU, a bool, or no finite number is a ValueError."""
    with pytest.raises(ValueError, match=r"^cpu must"):
        SandboxBudget(cpu=cpu)
    assert SandboxBudget(cpu=0.01).cpu == 0.01
    assert SandboxBudget(cpu=2).cpu == 2.0


@pytest.mark.parametrize(
    ("field", "least"), [("memory_bytes", 6 * MIB), ("pids", 1), ("scratch_bytes", 1)]
)
def test_a_budgets_sizes_are_ints_of_at_least_their_minimum(field: str, least: int) -> None:
    """The minimum is taken; less, a bool or a float is a ValueError."""
    assert getattr(SandboxBudget(**{field: least}), field) == least  # type: ignore[arg-type]
    for wrong in (least - 1, True, float(least), str(least), None):
        with pytest.raises(ValueError, match=field):
            SandboxBudget(**{field: wrong})  # type: ignore[arg-type]


def test_nothing_secret_is_shown() -> None:
    """The text of a value has no name, content, code, identity, output or metadata in it."""
    file = SandboxFile(SECRET, SECRET.encode())
    values = [
        file,
        SandboxFile("a", SECRET),
        SandboxContext("agent", SECRET, SECRET, SECRET),
        SandboxRequest(
            SECRET,
            context=SandboxContext("agent", SECRET, SECRET, SECRET),
            input_files=[file],
            execution_id=SECRET,
            metadata={SECRET: SECRET, "deep": [{SECRET: SECRET}]},
        ),
        SandboxResult(SECRET, SECRET, [file], {SECRET: SECRET}),  # type: ignore[arg-type]
    ]
    for value in [*values, values[3].metadata, values[4].metadata]:  # type: ignore[union-attr]
        assert SECRET not in repr(value)
        assert SECRET not in str(value)
    assert repr(values[2]) == "SandboxContext(agent_name='agent')"
