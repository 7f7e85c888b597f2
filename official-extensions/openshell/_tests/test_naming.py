from __future__ import annotations

import os
import re

import pytest
from harnest_extension_openshell.lib.naming import MANAGED, Identity, owner_alive, sandbox_name
from hypothesis import given
from hypothesis import strategies as st

LABEL = re.compile(r"[a-z](?:-?[a-z0-9])*")
TEXT = st.text(min_size=1, max_size=300)


@given(TEXT, TEXT)
def test_a_name_fits_the_gateway_whatever_the_session_is_called(owner: str, session: str) -> None:
    """A sandbox's name is a DNS label of at most 19 characters without a double hyphen."""
    name = sandbox_name(owner, session)
    assert len(name) <= 19
    assert LABEL.fullmatch(name)
    assert name == sandbox_name(owner, session)


@given(TEXT, TEXT, TEXT)
def test_two_sessions_with_a_common_prefix_have_two_names(start: str, one: str, two: str) -> None:
    """The name is a hash of the whole session id, not of its beginning."""
    same = one == two
    assert (sandbox_name("o", start + one) == sandbox_name("o", start + two)) is same


def test_parts_of_an_identity_can_not_be_shifted() -> None:
    """Owner and session are told apart wherever the text between them is cut."""
    assert sandbox_name("ab", "c") != sandbox_name("a", "bc")


def test_an_owner_knows_its_own_sandbox_by_its_labels() -> None:
    """Same owner and session own it; only the object that made it has made it."""
    made = Identity(owner="o", session="s")
    labels = made.labels()
    again = Identity(owner="o", session="s")
    assert again.owns(labels)
    assert not again.made(labels)
    assert made.made(labels)
    for other in (Identity(owner="p", session="s"), Identity(owner="o", session="t")):
        assert not other.owns(labels)
    assert not made.owns({**labels, MANAGED: "somebody"})
    assert not made.owns({})


def test_labels_fit_the_gateway_and_hold_no_plain_identity() -> None:
    """A label's value has at most 63 characters; owner and session stand in none."""
    labels = Identity(owner="owner@" + "x" * 500, session="secret-session").labels()
    assert max(map(len, labels.values())) <= 63
    assert not any("owner@" in value or "secret-session" in value for value in labels.values())


def test_whether_a_maker_lives_is_told_by_its_process() -> None:
    """This process lives; another with its number and another start does not."""
    labels = Identity(owner="o", session="s").labels()
    assert owner_alive(labels) is True
    assert owner_alive({**labels, "harnest.dev/process": f"{os.getpid()}-1"}) is False
    assert owner_alive({**labels, "harnest.dev/host": "another"}) is None
    assert owner_alive({}) is None


@pytest.mark.parametrize("field", ["owner", "session"])
def test_an_identity_without_a_part_is_refused(field: str) -> None:
    """Blank parts are nobody's."""
    parts = {"owner": "o", "session": "s", field: " "}
    with pytest.raises(ValueError, match=field):
        Identity(**parts)
