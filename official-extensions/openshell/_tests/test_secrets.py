from __future__ import annotations

import pickle

import pytest
from harnest_extension_openshell.extension import (
    Endpoint,
    NetworkRule,
    OpenShellBackend,
    OpenShellConfig,
    Policy,
    Secret,
    openshell,
)
from harnest_extension_openshell.lib.policy.secrets import Secrets
from harnest_extension_openshell.lib.settings import SandboxSettings

VALUES = {"A": "value-of-a", "B": "value-of-b", "C": "value-of-c"}


def allowing(*hosts: str, protocol: str = "rest") -> Policy:
    """A policy by which curl reaches some hosts."""
    endpoints = [Endpoint(host=host, ports=[443], protocol=protocol) for host in hosts]
    return Policy(network=[NetworkRule(name="r", endpoints=endpoints, programs=["/usr/bin/curl"])])


def test_a_missing_variable_fails_in_the_constructor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a backend nor a declaration is made without its secret; the variable is named."""
    monkeypatch.delenv("NOT_SET_HERE", raising=False)
    secret = Secret(name="TOKEN", hosts=["a.example.com"], variable="NOT_SET_HERE")
    config = OpenShellConfig(policy=allowing("a.example.com"), secrets=[secret])
    with pytest.raises(ValueError, match="NOT_SET_HERE"):
        OpenShellBackend(config)
    with pytest.raises(ValueError, match="NOT_SET_HERE"):
        openshell.sandbox(policy=allowing("a.example.com"), secrets=[secret])


def test_secrets_with_identical_hosts_are_one_group() -> None:
    """Sets of hosts are compared, not their order; other ports are another group."""
    secrets = Secrets(
        [
            Secret(name="A", hosts=["x.example.com", "y.example.com"]),
            Secret(name="B", hosts=["y.example.com", "X.example.com"]),
            Secret(name="C", hosts=["x.example.com"]),
        ],
        VALUES,
    )
    groups = secrets.groups(lambda number: f"g{number}")
    assert [(g.name, [s.name for s in g.secrets]) for g in groups] == [
        ("g1", ["A", "B"]),
        ("g2", ["C"]),
    ]
    assert groups[0].hosts == ("x.example.com", "y.example.com")
    assert dict(groups[0].values) == {"A": "value-of-a", "B": "value-of-b"}


def test_values_are_in_no_representation_and_can_not_be_pickled() -> None:
    """Neither secrets, groups nor settings show a value; redacting takes it out of any text."""
    secrets = Secrets([Secret(name="A", hosts=["x.example.com"])], VALUES)
    settings = SandboxSettings(policy=allowing("x.example.com"), secrets=secrets)
    shown = repr(secrets) + repr(secrets.groups(str)) + repr(settings) + str(settings)
    assert "value-of-a" not in shown
    assert secrets.redact("it said value-of-a twice: value-of-a") == "it said *** twice: ***"
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(secrets)


@pytest.mark.parametrize(
    ("policy", "match"),
    [
        (Policy(), "no network rule"),
        (allowing("other.example.com"), "no network rule"),
        (allowing("x.example.com", protocol=""), "protocol"),
    ],
)
def test_a_secret_that_no_request_could_carry_is_refused(policy: Policy, match: str) -> None:
    """A host that no rule allows, or whose traffic is not looked into, is told at once."""
    secrets = Secrets([Secret(name="A", hosts=["x.example.com"])], VALUES)
    with pytest.raises(ValueError, match=match):
        SandboxSettings(policy=policy, secrets=secrets)


def test_a_host_is_bound_to_the_provider_of_its_secrets() -> None:
    """The rule's endpoint names the provider; a host without secrets names none."""
    secrets = Secrets([Secret(name="A", hosts=["x.example.com"])], VALUES)
    settings = SandboxSettings(policy=allowing("x.example.com", "z.example.com"), secrets=secrets)
    groups = secrets.groups(lambda number: f"keys-{number}")
    endpoints = settings.policy_message(groups)["network_policies"]["r"]["endpoints"]
    assert [endpoint.get("credential_binding") for endpoint in endpoints] == [
        {"provider": "keys-1"},
        None,
    ]
    assert settings.programs(groups[0]) == ("/usr/bin/curl",)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"name": "1A", "hosts": ["a.b"]}, ValueError),
        ({"name": "A", "hosts": []}, ValueError),
        ({"name": "A", "hosts": "a.b"}, TypeError),
        ({"name": "A", "hosts": ["*"]}, ValueError),
        ({"name": "A", "hosts": ["a.b"], "ports": []}, ValueError),
        ({"name": "A", "hosts": ["a.b"], "ports": [0]}, ValueError),
        ({"name": "A", "hosts": ["a.b"], "variable": "A B"}, ValueError),
        ({"name": "A", "hosts": ["a.b"], "header": "x y"}, ValueError),
    ],
)
def test_a_secret_out_of_bounds_is_refused(
    options: dict[str, object], error: type[Exception]
) -> None:
    """Names, hosts and ports are checked in construction."""
    with pytest.raises(error):
        Secret(**options)


def test_more_than_32_sets_of_hosts_are_refused() -> None:
    """A sandbox has at most 32 providers, so there are no more groups."""
    wanted = [Secret(name=f"S{n}", hosts=[f"h{n}.example.com"]) for n in range(33)]
    with pytest.raises(ValueError, match="32"):
        Secrets(wanted, {f"S{n}": "v" for n in range(33)})


def test_values_that_no_message_could_hold_are_refused() -> None:
    """One value, all of them together, a NUL and bytes that are no text are bounded."""
    one = Secret(name="A", hosts=["a.b"])
    for value in ("x" * 32769, "a\0b", "\udcff"):
        with pytest.raises(ValueError, match="variable A holds"):
            Secrets([one], {"A": value})
    many = [Secret(name=f"S{n}", hosts=["a.b"]) for n in range(17)]
    with pytest.raises(ValueError, match="together"):
        Secrets(many, {f"S{n}": "x" * 32768 for n in range(17)})


def test_two_secrets_of_one_name_are_refused() -> None:
    """A program could find one of them only."""
    twice = [Secret(name="A", hosts=["a.b"]), Secret(name="A", hosts=["c.d"])]
    with pytest.raises(ValueError, match="same name"):
        Secrets(twice, VALUES)
