from __future__ import annotations

from typing import Any

import pytest
from harnest_extension_process.extension import (
    ProcessLimits,
    ProcessScope,
    extension,
    process,
    process_sandbox,
)

from harnest.execution.local.bounds import bounds_memory
from harnest.execution.local.report import Reporter
from harnest.sandbox import Sandbox, SandboxNetworkPolicy
from harnest.sandbox.optional import (
    SandboxDiagnosingProvider,
    SandboxInventoryProvider,
    SandboxPruningProvider,
    SandboxStreamingProvider,
)


def test_declaring_starts_nothing_and_carries_its_bounds() -> None:
    """A declaration is a portable Sandbox; its deadline and policy travel with every request."""
    policy = SandboxNetworkPolicy.unrestricted()
    declared = process.sandbox(network_policy=policy, timeout_seconds=7, python="/not/there")
    assert isinstance(declared, Sandbox)
    assert (declared.backend, declared.timeout_seconds, declared.network_policy) == (
        "process",
        7,
        policy,
    )
    assert extension is process
    assert process_sandbox(timeout_seconds=7).timeout_seconds == 7


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"timeout_seconds": 0}, ValueError),
        ({"timeout_seconds": True}, ValueError),
        ({"timeout_seconds": 1.5}, ValueError),
        ({"max_output_bytes": 0}, ValueError),
        ({"max_output_bytes": (1 << 30) + 1}, ValueError),
        ({"max_scopes": 0}, ValueError),
        ({"scope": "forever"}, ValueError),
        ({"python": "python3"}, ValueError),
        ({"python": 3}, TypeError),
        ({"environment": ["A=1"]}, TypeError),
        ({"environment": {"A B": "1"}}, ValueError),
        ({"environment": {"A": 1}}, ValueError),
        ({"environment": {"A": "\0"}}, ValueError),
        ({"environment": {"A": "x" * 8193}}, ValueError),
        ({"environment": {f"A{n}": "" for n in range(65)}}, ValueError),
        ({"inherit": "PATH"}, TypeError),
        ({"inherit": ["1A"]}, ValueError),
        ({"limits": {"cpu_seconds": 1}}, TypeError),
        ({"network_policy": "none"}, TypeError),
    ],
)
def test_an_option_out_of_bounds_is_refused_at_once(
    options: dict[str, Any], error: type[Exception]
) -> None:
    """Nothing waits for the first execution to be found wrong."""
    with pytest.raises(error):
        process.sandbox(**options)


@pytest.mark.parametrize(
    "options",
    [
        {"cpu_seconds": 0},
        {"file_bytes": 0},
        {"open_files": 15},
        {"processes": 0},
        {"address_space_bytes": 1},
        {"cpu_seconds": 1.0},
    ],
)
def test_a_limit_out_of_bounds_is_refused(options: dict[str, Any]) -> None:
    """Limits are whole numbers within their bounds."""
    with pytest.raises(ValueError, match=next(iter(options))):
        ProcessLimits(**options)


def test_secrets_stay_out_of_representations() -> None:
    """A declaration and what it builds show no environment."""
    declared = process.sandbox(environment={"TOKEN": "s3cret"})
    provider = declared.build()
    assert "s3cret" not in repr(declared) + repr(provider) + repr(vars(provider))
    provider.close()


def test_the_provider_offers_streaming_inventory_prune_and_diagnosis() -> None:
    """Commands find these by protocol; what is promised is there."""
    provider = process.sandbox(scope=ProcessScope.EXECUTION).build()
    for protocol in (
        SandboxDiagnosingProvider,
        SandboxInventoryProvider,
        SandboxPruningProvider,
        SandboxStreamingProvider,
    ):
        assert isinstance(provider, protocol)
    names = {item.name: item.state.value for item in provider.diagnose()}
    assert names["memory-limit"] == ("ok" if bounds_memory() else "unavailable")
    assert names["security-boundary"] == "unavailable"
    assert names["interpreter"] == "ok"
    provider.close()


@pytest.mark.parametrize(
    "data",
    [
        b"started 1\nstarted 2\n",
        b"started -1\n",
        b"ended exit 0 1 2\n",
        b"ended well 0 1 2 3\n",
        b"ended exit x 1 2 3\n",
        b"refused\n",
        b"hello\n",
        b"x" * 5000,
    ],
)
def test_a_forged_report_is_no_report(data: bytes) -> None:
    """Anything but the supervisor's lines is refused."""
    with pytest.raises(ValueError, match=r"report|number"):
        Reporter().feed(data)


def test_a_report_may_arrive_in_any_pieces() -> None:
    """Lines are put together again wherever they were cut."""
    reporter = Reporter()
    for byte in b"started 42\nended exit 256 12 3 0\n":
        assert reporter.end is None
        reporter.feed(bytes([byte]))
    assert reporter.pid == 42
    assert reporter.end is not None
    assert (reporter.end.exit_code, reporter.end.signal, reporter.end.killed) == (1, 0, 3)
