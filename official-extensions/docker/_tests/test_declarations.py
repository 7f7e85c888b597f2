"""Declarations are checked completely, and nothing is contacted."""

from __future__ import annotations

import copy
import json
import math
import os
import pickle
from pathlib import Path
from typing import Any

import pytest
from harnest.extensions.docker import (
    DockerNetwork,
    DockerReadiness,
    DockerScope,
    DockerService,
    docker,
)

from harnest.sandbox import (
    Sandbox,
    SandboxBudget,
    SandboxNetworkPolicy,
    SandboxPolicyUnsupportedError,
)

ERRORS = {
    "value": ValueError,
    "type": TypeError,
    "policy-unsupported": SandboxPolicyUnsupportedError,
}


def service(**options: Any) -> DockerService:
    """Declare a service that is right but for *options*."""
    return docker.service(**{"name": "queue", "image": "redis:7", **options})


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({}, ValueError),
        ({"image": "a", "docker_path": "b"}, ValueError),
        ({"image": " "}, ValueError),
        ({"image": "a b"}, ValueError),
        ({"image": 7}, ValueError),
        ({"docker_path": "/"}, ValueError),
        ({"docker_path": "//"}, ValueError),
        ({"image": "a", "volumes": {}}, TypeError),
        ({"image": "a", "privileged": True}, TypeError),
        ({"image": "a", "budget": SandboxBudget(pids=1)}, ValueError),
        ({"image": "a", "timeout_seconds": 0}, ValueError),
        ({"image": "a", "timeout_seconds": True}, ValueError),
        ({"image": "a", "timeout_seconds": 1.0}, ValueError),
        ({"image": "a", "timeout_seconds": None}, ValueError),
        ({"image": "a", "max_output_bytes": 0}, ValueError),
        ({"image": "a", "max_output_bytes": (1 << 30) + 1}, ValueError),
        ({"image": "a", "max_scopes": 0}, ValueError),
        ({"image": "a", "max_scopes": False}, ValueError),
        ({"image": "a", "warm": -1}, ValueError),
        ({"image": "a", "warm": 65}, ValueError),
        ({"image": "a", "max_concurrency": 0}, ValueError),
        ({"image": "a", "scope": "execution"}, TypeError),
        ({"image": "a", "budget": {"cpu": 1}}, TypeError),
        ({"image": "a", "files": True}, TypeError),
        ({"image": "a", "tmp_exec": 1}, TypeError),
        ({"image": "a", "runtime": "../runc"}, ValueError),
        ({"image": "a", "base_url": "/var/run/docker.sock"}, ValueError),
        ({"image": "a", "network_policy": "none"}, TypeError),
        ({"image": "a", "services": "queue"}, TypeError),
        ({"image": "a", "services": ["queue"]}, TypeError),
        ({"image": "a", "network": DockerNetwork()}, ValueError),
        ({"image": "a", "network": True}, TypeError),
        ({"image": "a", "options": {"stateful": True}}, ValueError),
        ({"image": "a", "options": {"optimize_data_file": 0}}, ValueError),
        ({"image": "a", "options": {"privileged": True}}, ValueError),
        ({"image": "a", "options": []}, TypeError),
        ({"image": "a", "options": {"error_retry_attempts": 1.0}}, ValueError),
        (
            {"image": "a", "network_policy": SandboxNetworkPolicy.allowlist("a.example")},
            SandboxPolicyUnsupportedError,
        ),
        (
            {
                "image": "a",
                "network_policy": SandboxNetworkPolicy.unrestricted(block_private_networks=True),
            },
            SandboxPolicyUnsupportedError,
        ),
    ],
)
def test_a_wrong_sandbox_is_refused(options: dict[str, Any], error: type[Exception]) -> None:
    """Every option is checked for its type and bounds when a sandbox is declared."""
    with pytest.raises(error):
        docker.sandbox(**options)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"name": "Queue"}, ValueError),
        ({"name": "q-"}, ValueError),
        ({"name": "1q"}, ValueError),
        ({"name": "a" * 64}, ValueError),
        ({"name": "queue\n"}, ValueError),
        ({"name": "sandbox"}, ValueError),
        ({"name": "localhost"}, ValueError),
        ({"name": None}, ValueError),
        ({"aliases": ["sandbox"]}, ValueError),
        ({"aliases": [f"a{n}" for n in range(17)]}, ValueError),
        ({"aliases": {"a"}}, TypeError),
        ({"ports": [65_536]}, ValueError),
        ({"ports": list(range(1, 34))}, ValueError),
        ({"ports": ["6379"]}, ValueError),
        ({"ports": 6379}, TypeError),
        ({"environment": {f"E{n}": "" for n in range(65)}}, ValueError),
        ({"environment": {"a-b": ""}}, ValueError),
        ({"environment": {"A": "x" * 8193}}, ValueError),
        ({"environment": {"A": "\ud800"}}, ValueError),
        ({"environment": {"A": "\0"}}, ValueError),
        ({"environment": [("A", "b")]}, TypeError),
        ({"command": ["a"] * 65}, ValueError),
        ({"command": "redis-server"}, TypeError),
        ({"command": [b"a"]}, ValueError),
        ({"user": "0"}, ValueError),
        ({"user": "1000:0"}, ValueError),
        ({"user": "root"}, ValueError),
        ({"user": 1000}, ValueError),
        ({"writable": ["data"]}, ValueError),
        ({"writable": ["/"]}, ValueError),
        ({"writable": ["/data/../etc"]}, ValueError),
        ({"writable": ["/proc/x"]}, ValueError),
        ({"writable": "/data"}, TypeError),
        ({"readiness": {"command": ["true"]}}, TypeError),
        ({"budget": None, "image": None}, ValueError),
        ({"volumes": []}, TypeError),
        ({"budget": SandboxBudget(memory_bytes=1 << 26, scratch_bytes=1 << 26)}, ValueError),
    ],
)
def test_a_wrong_service_is_refused(options: dict[str, Any], error: type[Exception]) -> None:
    """Every option of a service is checked for its type and bounds."""
    with pytest.raises(error):
        service(**options)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({}, ValueError),
        ({"command": ["a"], "tcp": 1}, ValueError),
        ({"tcp": 0}, ValueError),
        ({"tcp": True}, ValueError),
        ({"log": ""}, ValueError),
        ({"command": ["a"], "interval_seconds": math.nan}, ValueError),
        ({"command": ["a"], "interval_seconds": True}, ValueError),
        ({"command": ["a"], "interval_seconds": "1"}, ValueError),
        ({"command": ["a"], "timeout_seconds": 3600.1}, ValueError),
        ({"command": ["a"], "retries": 101}, ValueError),
        ({"command": ["a"], "start_period_seconds": False}, ValueError),
        ({"command": ["a"], "start_period_seconds": 0.0001}, ValueError),
    ],
)
def test_a_wrong_readiness_is_refused(options: dict[str, Any], error: type[Exception]) -> None:
    """A readiness check has exactly one kind and finite timing."""
    with pytest.raises(error):
        docker.readiness(**options)


def test_names_are_unique_over_the_topology() -> None:
    """A name or alias that two services share is refused."""
    other = service(name="other", aliases=["queue"])
    with pytest.raises(ValueError, match="queue"):
        docker.sandbox(image="a", services=[service(), other])


def test_dependencies_are_declared_and_end_somewhere() -> None:
    """A dependency on nobody and a ring of dependencies are refused."""
    with pytest.raises(ValueError, match="not declared"):
        docker.sandbox(image="a", services=[service(depends_on=["db"])])
    ring = [service(name="a", depends_on=["b"]), service(name="b", depends_on=["a"])]
    with pytest.raises(ValueError, match="ring"):
        docker.sandbox(image="a", services=ring)


def test_egress_is_never_given_or_denied_silently() -> None:
    """An unrestricted policy with services names its network; an open network needs that policy."""
    unrestricted = SandboxNetworkPolicy.unrestricted()
    with pytest.raises(ValueError, match=r"docker\.network\(internal=False\)"):
        docker.sandbox(image="a", services=[service()], network_policy=unrestricted)
    with pytest.raises(SandboxPolicyUnsupportedError):
        docker.sandbox(image="a", services=[service()], network=docker.network(internal=False))
    for internal in (True, False):
        network = docker.network(internal=internal)
        declared = docker.sandbox(
            image="a", services=[service()], network=network, network_policy=unrestricted
        )
        assert isinstance(declared, Sandbox)


def test_defaults_are_the_documented_ones() -> None:
    """A sandbox of only an image has the documented deadline, policy and name."""
    declared = docker.sandbox(image="python")
    assert declared.timeout_seconds == 300
    assert declared.network_policy == SandboxNetworkPolicy.none()
    assert declared.backend == "docker"
    ready = docker.readiness(command=["true"])
    assert (ready.interval_seconds, ready.timeout_seconds) == (1.0, 2.0)
    assert (ready.retries, ready.start_period_seconds) == (30, 0.0)
    assert docker.network() == DockerNetwork(internal=True)
    assert [scope.value for scope in DockerScope] == ["execution", "invocation", "session"]


def test_contracts_are_immutable_and_hash() -> None:
    """Nothing of a contract can be changed, and equal contracts are one in a set."""
    secret = service(environment={"PASSWORD": "s3cret"}, ports=[1, 1, 2], command=["run", "s3cret"])
    assert secret.ports == (1, 2)
    assert (
        len(
            {
                secret,
                service(
                    environment={"PASSWORD": "s3cret"}, ports=[1, 2], command=["run", "s3cret"]
                ),
            }
        )
        == 1
    )
    with pytest.raises(AttributeError):
        secret.name = "other"  # type: ignore[misc]
    with pytest.raises(TypeError):
        secret.environment["A"] = "b"  # type: ignore[index]
    assert pickle.loads(pickle.dumps(secret)) == secret
    assert copy.deepcopy(secret) == secret


def test_secrets_are_not_shown() -> None:
    """Neither the value of an environment entry nor an argument is in a contract's repr."""
    secret = service(environment={"PASSWORD": "s3cret"}, command=["run", "s3cret"])
    assert "s3cret" not in repr(secret)
    assert "s3cret" not in repr(docker.sandbox(image="a", services=[secret]))


def test_a_refusal_repeats_no_value() -> None:
    """An error about a value names the option and the bound, not the value."""
    with pytest.raises(ValueError, match="8192 bytes") as caught:
        service(environment={"PASSWORD": "s3cret" * 2000})
    assert "s3cret" not in str(caught.value)


def test_declaring_imports_no_sdk_and_contacts_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """A declaration at an address where nobody listens is made and built without a word to it."""
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:1")
    declared = docker.sandbox(image="a", services=[service()], base_url="tcp://127.0.0.1:1")
    provider = declared.build()
    provider.close()


def _contract(call: str, kwargs: dict[str, Any]) -> object:
    special = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
    values = {
        name: special.get(value, value) if isinstance(value, str) else value
        for name, value in kwargs.items()
    }
    nested = {
        "budget": lambda value: _contract("budget", value),
        "network": lambda value: docker.network(**value),
        "readiness": lambda value: _contract("readiness", value),
        "network_policy": lambda value: SandboxNetworkPolicy(**value),
    }
    for name, make in nested.items():
        if isinstance(values.get(name), dict):
            values[name] = make(values[name])
    if isinstance(values.get("services"), list):
        values["services"] = [_contract("service", item) for item in values["services"]]
    if isinstance(values.get("scope"), str):
        known = {scope.value: scope for scope in DockerScope}
        values["scope"] = known.get(values["scope"], values["scope"])
    calls: dict[str, Any] = {
        "sandbox": docker.sandbox,
        "service": docker.service,
        "readiness": docker.readiness,
        "network": docker.network,
        "budget": SandboxBudget,
    }
    return calls[call](**values)


@pytest.mark.corpus
def test_the_corpus_of_declarations_is_judged_as_it_says() -> None:
    """Each declaration of the corpus is accepted, or refused with the right type of error."""
    corpus = os.environ.get("HARNEST_CORPUS")
    if not corpus:
        pytest.skip("HARNEST_CORPUS names no unpacked corpus")
    cases = json.loads((Path(corpus) / "docker-declaration" / "cases.json").read_text())
    wrong = []
    for case in cases:
        try:
            _contract(case["call"], case["kwargs"])
            outcome: object = "accept"
        except (ValueError, TypeError) as error:
            outcome = type(error)
        expected = "accept" if case["expected"] == "accept" else ERRORS[case["error"]]
        if outcome != expected:
            wrong.append((case["what"], outcome))
    assert len(cases) > 50
    assert wrong == []


def test_readiness_knows_three_kinds() -> None:
    """A readiness check is a command, a port or a text in the log."""
    kinds = [
        docker.readiness(command=["true"]),
        docker.readiness(tcp=80),
        docker.readiness(log="up"),
    ]
    assert all(isinstance(kind, DockerReadiness) for kind in kinds)
    assert (
        docker.readiness(tcp=80, retries=2, interval_seconds=1, timeout_seconds=2).patience_seconds
        == 6
    )
