"""Metadata is JSON-like, bounded, and frozen through and through."""

from __future__ import annotations

import copy
import enum
import json
import pickle
from collections import OrderedDict, UserDict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnest.sandbox import SandboxResult, limits
from harnest.sandbox.metadata import (
    FrozenMetadata,
    freeze_metadata,
    sandbox_metadata_to_dict,
)

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


class Colour(enum.StrEnum):
    """A str that is more than a str."""

    RED = "red"


@given(st.dictionaries(st.text(), JSON, max_size=5))
def test_what_goes_in_comes_out_as_new_plain_data(data: dict[str, Any]) -> None:
    """Freezing and thawing gives the same JSON; pickled and copied metadata equals itself."""
    frozen = freeze_metadata(data)
    assert sandbox_metadata_to_dict(frozen) == data
    assert json.loads(json.dumps(sandbox_metadata_to_dict(frozen))) == data
    assert pickle.loads(pickle.dumps(frozen)) == frozen
    assert copy.deepcopy(frozen) == frozen
    assert hash(copy.copy(frozen)) == hash(frozen)


def test_frozen_metadata_can_not_be_changed_by_anyone() -> None:
    """Neither the given objects nor the stored ones let a later change through."""
    inner = {"n": [1, 2]}
    data = {"a": inner}
    metadata: Any = SandboxResult(metadata=data).metadata
    inner["n"].append(3)
    data["b"] = {"n": []}
    assert metadata == {"a": {"n": (1, 2)}}
    with pytest.raises(TypeError):
        metadata["a"] = 1
    with pytest.raises(TypeError):
        metadata["a"]["n"][0] = 9
    with pytest.raises(AttributeError):
        metadata._items = {}
    with pytest.raises(AttributeError):
        del metadata._items
    thawed = sandbox_metadata_to_dict(metadata)
    thawed["a"]["n"].append(3)
    assert metadata["a"]["n"] == (1, 2)


def test_any_mapping_is_taken_and_plain_types_are_kept() -> None:
    """Mappings of other types and subclasses of str, int and float become plain ones."""

    class Number(int):
        pass

    frozen = freeze_metadata(UserDict(a=OrderedDict(b=Colour.RED), c=Number(3)))
    assert type(frozen["a"]["b"]) is str
    assert type(frozen["c"]) is int
    assert frozen == {"a": {"b": "red"}, "c": 3}


@pytest.mark.parametrize(
    "data",
    [
        {1: "a"},
        {"a": {None: 1}},
        {"a": object()},
        {"a": b"x"},
        {"a": {1, 2}},
        {"a": 1j},
        [],
        "a",
        3,
    ],
)
def test_other_types_are_refused(data: Any) -> None:
    """A key that is no str, a value outside JSON, or no mapping at all is a TypeError."""
    with pytest.raises(TypeError, match="metadata"):
        freeze_metadata(data)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_are_finite(number: float) -> None:
    """JSON has no other numbers: a ValueError."""
    with pytest.raises(ValueError, match="finite"):
        freeze_metadata({"a": [number]})


def test_a_cycle_is_refused() -> None:
    """Metadata that contains itself is a ValueError, sharing without a cycle is fine."""
    ring: dict[str, Any] = {}
    ring["a"] = [ring]
    with pytest.raises(ValueError, match="contain itself"):
        freeze_metadata(ring)
    shared = {"x": 1}
    assert freeze_metadata({"a": shared, "b": [shared, shared]})["b"][1] == {"x": 1}


def nested(depth: int) -> dict[str, Any]:
    """Return mappings ``depth`` deep, the outermost counted."""
    data: dict[str, Any] = {}
    for _ in range(depth - 1):
        data = {"a": data}
    return data


def test_depth_is_bounded() -> None:
    """The deepest allowed passes, one more is a ValueError that names the bound."""
    freeze_metadata(nested(limits.METADATA_DEPTH))
    with pytest.raises(ValueError, match=str(limits.METADATA_DEPTH)):
        freeze_metadata(nested(limits.METADATA_DEPTH + 1))


@pytest.mark.parametrize("letter", ["a", "é", "\N{GRINNING FACE}"])
def test_size_is_bounded_in_bytes_of_json(letter: str) -> None:
    """The largest allowed passes, one byte more is a ValueError that names the bound."""
    room = limits.METADATA_BYTES - len('{"k":""}')
    width = len(letter.encode())
    fitting = letter * (room // width)
    freeze_metadata({"k": fitting})
    with pytest.raises(ValueError, match=str(limits.METADATA_BYTES)):
        freeze_metadata({"k": fitting + letter})


def test_escapes_count_as_they_are_written() -> None:
    """A control character takes six bytes of JSON."""
    with pytest.raises(ValueError, match=str(limits.METADATA_BYTES)):
        freeze_metadata({"k": "\x00" * (limits.METADATA_BYTES // 5)})


def test_shared_trees_do_not_multiply() -> None:
    """A small object that unfolds to 2**30 leaves is refused before it is unfolded."""
    tree: Any = ["x"]
    for _ in range(limits.METADATA_DEPTH - 3):
        tree = [tree, tree]
    with pytest.raises(ValueError, match=str(limits.METADATA_BYTES)):
        freeze_metadata({"a": tree})


def test_frozen_metadata_is_always_checked() -> None:
    """However one is made, it keeps the rules; freezing it again gives it back."""
    with pytest.raises(TypeError):
        FrozenMetadata({"a": object()})
    with pytest.raises(TypeError):
        FrozenMetadata([])  # type: ignore[arg-type]
    data = {"a": [1]}
    frozen = FrozenMetadata(data)
    data["a"].append(2)
    assert frozen == {"a": (1,)}
    assert freeze_metadata(frozen) is frozen
    with pytest.raises(TypeError):
        freeze_metadata(None)  # type: ignore[arg-type]
