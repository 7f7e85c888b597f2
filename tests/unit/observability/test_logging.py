"""Events of agents and extensions are ordinary log records with their attributes."""

from __future__ import annotations

import logging

import pytest

from harnest.logging import get_logger


def told(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    """Return the records of agents; Python's own come whenever it collects what others left."""
    return [record for record in caplog.records if record.name.startswith("harnest.agent")]


def test_an_event_goes_to_the_agents_logger_with_its_attributes(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Name, level, text and attributes, bound ones first; dotted names through a mapping."""
    log = get_logger("docker.pool", extension="docker").bind(topology=7)
    with caplog.at_level("DEBUG", "harnest.agent"):
        log.info("pool.filled", size=3, extension="other", **{"harnest.docker.count": 2})
    (record,) = told(caplog)
    assert record.name == "harnest.agent.docker.pool"
    assert (record.levelname, record.getMessage()) == ("INFO", "pool.filled")
    facts = vars(record)
    assert (facts["size"], facts["extension"], facts["topology"]) == (3, "other", 7)
    assert facts["harnest.docker.count"] == 2


def test_binding_leaves_the_logger_as_it_was(caplog: pytest.LogCaptureFixture) -> None:
    """Two loggers bound from one don't see each other's attributes."""
    log = get_logger("a")
    log.bind(x=1)
    with caplog.at_level("DEBUG", "harnest.agent"):
        log.warning("plain")
    assert not hasattr(told(caplog)[0], "x")


@pytest.mark.parametrize("name", ["debug", "info", "warning", "error", "critical"])
def test_each_level_has_its_method(name: str, caplog: pytest.LogCaptureFixture) -> None:
    """The record has the level of the method, and names the line that called it."""
    with caplog.at_level("DEBUG", "harnest.agent"):
        getattr(get_logger("a"), name)("event")
        get_logger("a").log(getattr(logging, name.upper()), "event")
    assert [record.levelname for record in told(caplog)] == [name.upper()] * 2
    assert {record.filename for record in told(caplog)} == {"test_logging.py"}
    assert {record.funcName for record in told(caplog)} == {"test_each_level_has_its_method"}


def test_an_exception_is_logged_with_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    """``exception`` is an error with what is being handled."""
    with caplog.at_level("DEBUG", "harnest.agent"):
        try:
            {}["key"]
        except KeyError:
            get_logger("a").exception("failed")
    (record,) = told(caplog)
    assert record.levelname == "ERROR"
    assert record.exc_info is not None
    assert record.exc_info[0] is KeyError


@pytest.mark.parametrize("name", ["name", "message", "args", "levelname", "asctime", "exc_info"])
def test_an_attribute_never_overwrites_a_field_of_the_record(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A name that records use for themselves gets the prefix ``agent.``."""
    with caplog.at_level("DEBUG", "harnest.agent"):
        get_logger("a", **{name: "bound"}).info("event")
        get_logger("a").info("event", **{name: "given"})
    assert [vars(record)[f"agent.{name}"] for record in told(caplog)] == ["bound", "given"]
    assert [record.getMessage() for record in told(caplog)] == ["event"] * 2


def test_an_event_is_text_and_no_format(caplog: pytest.LogCaptureFixture) -> None:
    """Percent signs stand for themselves."""
    with caplog.at_level("DEBUG", "harnest.agent"):
        get_logger("a").info("100%s done %d")
    assert told(caplog)[0].getMessage() == "100%s done %d"


def test_a_level_that_is_off_costs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """Below the logger's level no record is made."""
    with caplog.at_level("WARNING", "harnest.agent"):
        get_logger("a").info("event")
    assert told(caplog) == []


@pytest.mark.parametrize("name", ["", " ", None, 3])
def test_a_logger_needs_a_name(name: str) -> None:
    """A blank name would be the parent of all: a ValueError."""
    with pytest.raises(ValueError, match="name"):
        get_logger(name)
