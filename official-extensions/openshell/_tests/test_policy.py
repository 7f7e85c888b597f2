from __future__ import annotations

from typing import Any

import pytest
from harnest_extension_openshell.extension import (
    Endpoint,
    Filesystem,
    HttpRule,
    NetworkRule,
    OpenShellConfig,
    Policy,
    Secret,
)
from harnest_extension_openshell.lib.policy.document import normal
from harnest_extension_openshell.lib.settings import SandboxSettings

CURL = "/usr/bin/curl"
TOKEN = Secret(name="UNSET_HERE", hosts=["a.example.com"])
OTHER = Secret(name="UNSET_HERE", hosts=["b.example.com"])


def rule(**options: Any) -> NetworkRule:
    """A rule with one endpoint and one program unless said otherwise."""
    options.setdefault("name", "api")
    options.setdefault("endpoints", [Endpoint(host="api.example.com", ports=[443])])
    options.setdefault("programs", [CURL])
    return NetworkRule(**options)


def test_the_default_policy_is_complete_and_allows_no_connection() -> None:
    """Nothing is left to the gateway or the image: every part is sent, and no rule."""
    message = Policy().message()
    assert message["version"] == 1
    assert message["network_policies"] == {}
    assert message["landlock"] == {"compatibility": "hard_requirement"}
    assert message["process"] == {"run_as_user": "sandbox", "run_as_group": "sandbox"}
    assert message["filesystem"]["include_workdir"] is True
    assert "/" not in message["filesystem"]["read_write"]


def test_a_rule_names_host_port_and_program() -> None:
    """What is allowed is one host with its ports, for one program."""
    message = Policy(network=[rule()]).message()
    assert message["network_policies"]["api"] == {
        "name": "api",
        "endpoints": [
            {
                "host": "api.example.com",
                "ports": [443],
                "enforcement": "NETWORK_ENFORCEMENT_MODE_ENFORCE",
            }
        ],
        "binaries": [{"path": CURL}],
    }


def test_inspected_endpoints_say_what_is_let_through() -> None:
    """Rules for requests, addresses and a provider of credentials are written out."""
    endpoint = Endpoint(
        host="API.example.com.",
        ports=[8443, 443],
        protocol="rest",
        tls="terminate",
        rules=[HttpRule(method="get", path="/v1/**")],
        allowed_ips=["10.0.0.0/8"],
    )
    assert endpoint.message("keys") == {
        "host": "api.example.com",
        "ports": [443, 8443],
        "protocol": "rest",
        "tls": "NETWORK_TLS_MODE_TERMINATE",
        "enforcement": "NETWORK_ENFORCEMENT_MODE_ENFORCE",
        "rules": [{"allow": {"method": "GET", "path": "/v1/**"}}],
        "allowed_ips": ["10.0.0.0/8"],
        "credential_binding": {"provider": "keys"},
    }


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("example.com", True),
        ("*.example.com", True),
        ("**.example.com", True),
        ("10.0.0.1", True),
        ("2001:db8::1", True),
        ("*", False),
        ("a.*.com", False),
        ("*a.example.com", False),
        ("exa mple.com", False),
        ("-a.com", False),
        ("a..com", False),
        ("", False),
        ("x" * 254, False),
        ("http://example.com", False),
        ("example.com:443", False),
    ],
)
def test_a_wildcard_stands_for_the_first_label_only(host: str, *, allowed: bool) -> None:
    """Hosts are names or addresses; nothing allows every host."""
    if allowed:
        assert Endpoint(host=host, ports=[1]).host == host
    else:
        with pytest.raises(ValueError, match="host"):
            Endpoint(host=host, ports=[1])


@pytest.mark.parametrize(
    ("make", "error", "match"),
    [
        (lambda: Endpoint(host="a.b", ports=[]), ValueError, "ports"),
        (lambda: Endpoint(host="a.b", ports=443), TypeError, "ports"),
        (lambda: Endpoint(host="a.b", ports=[0]), ValueError, "65535"),
        (lambda: Endpoint(host="a.b", ports=[True]), ValueError, "65535"),
        (lambda: Endpoint(host="a.b", ports=[65536]), ValueError, "65535"),
        (lambda: Endpoint(host="a.b", ports=[1], protocol="ftp"), ValueError, "protocol"),
        (lambda: Endpoint(host="a.b", ports=[1], tls="maybe"), ValueError, "tls"),
        (lambda: Endpoint(host="a.b", ports=[1], access="full"), ValueError, "protocol"),
        (lambda: Endpoint(host="a.b", ports=[1], enforcement="off"), ValueError, "enforcement"),
        (lambda: Endpoint(host="a.b", ports=[1], allowed_ips=["10.0.0.1/8"]), ValueError, "CIDR"),
        (
            lambda: Endpoint(
                host="a.b",
                ports=[1],
                protocol="rest",
                access="full",
                rules=[HttpRule(method="GET", path="/")],
            ),
            ValueError,
            "exclude",
        ),
        (lambda: HttpRule(method="GET /", path="/"), ValueError, "method"),
        (lambda: HttpRule(method="GET", path="x"), ValueError, "path"),
        (lambda: rule(programs=[]), ValueError, "program"),
        (lambda: rule(programs=["curl"]), ValueError, "absolute"),
        (lambda: rule(programs=["/usr/../bin/sh"]), ValueError, r"\.\."),
        (lambda: rule(programs=["/" + "x" * 256]), ValueError, "256"),
        (lambda: rule(programs="/bin/sh"), TypeError, "programs"),
        (lambda: rule(endpoints=[]), ValueError, "endpoint"),
        (lambda: rule(endpoints=["a.b:1"]), TypeError, "Endpoint"),
        (lambda: rule(name="a b"), ValueError, "name"),
        (lambda: Filesystem(read_write=["/"]), ValueError, "everything"),
        (lambda: Filesystem(read_only=["etc"]), ValueError, "absolute"),
        (lambda: Filesystem(read_only=["/a/../b"]), ValueError, r"\.\."),
        (lambda: Filesystem(include_workdir=1), TypeError, "include_workdir"),
        (lambda: Policy(run_as_user="root"), ValueError, "root"),
        (lambda: Policy(run_as_group="0"), ValueError, "root"),
        (lambda: Policy(landlock="none"), ValueError, "landlock"),
        (lambda: Policy(network=[rule(), rule(programs=["/x"])]), ValueError, "same name"),
        (lambda: Policy(network=["allow all"]), TypeError, "NetworkRule"),
        (lambda: Policy(network=[rule(name=f"r{n}") for n in range(257)]), ValueError, "257"),
        (lambda: Policy(filesystem={}), TypeError, "Filesystem"),
    ],
)
def test_what_a_gateway_would_refuse_is_refused_before_anything_is_sent(
    make: Any, error: type[Exception], match: str
) -> None:
    """Each bound of a policy is checked in construction and named."""
    with pytest.raises(error, match=match):
        make()


def test_a_policy_of_more_than_256_kib_is_refused() -> None:
    """The size of the whole is checked as well."""
    many = [f"/usr/bin/{n:0240}" for n in range(1100)]
    with pytest.raises(ValueError, match="262144"):
        Policy(network=[rule(programs=many)])


def test_two_policies_are_told_apart_by_what_they_allow_alone() -> None:
    """Order and what a gateway leaves out make no difference; another port does."""
    first = Policy(network=[rule(programs=["/bin/a", "/bin/b"])]).message()
    second = Policy(network=[rule(programs=["/bin/b", "/bin/a"])]).message()
    third = Policy(
        network=[
            rule(
                programs=["/bin/a", "/bin/b"],
                endpoints=[Endpoint(host="api.example.com", ports=[80])],
            )
        ]
    ).message()
    sparse = {name: value for name, value in first.items() if name != "version"}
    assert normal(first) == normal(second) == normal(sparse)
    assert normal(first) != normal(third)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"work": "work"}, "work"),
        ({"work": "/"}, "work"),
        ({"work": "/a/../etc"}, "work"),
        ({"work": "/" + "x" * 300}, "work"),
        ({"image": "an image"}, "image"),
        ({"image": " "}, "image"),
        ({"ready_seconds": 0}, "ready_seconds"),
    ],
)
def test_settings_out_of_bounds_are_refused(options: dict[str, object], named: str) -> None:
    """The message names the option, before a gateway is asked anything."""
    with pytest.raises(ValueError, match=named):
        SandboxSettings(**options)


@pytest.mark.parametrize(
    ("options", "error", "named"),
    [
        ({"connection": "127.0.0.1:1"}, TypeError, "connection"),
        ({"policy": {}}, TypeError, "policy"),
        ({"secrets": "TOKEN"}, TypeError, "secrets"),
        ({"secrets": ["TOKEN"]}, TypeError, "secrets"),
        ({"secrets": [TOKEN, OTHER]}, ValueError, "two secrets"),
        ({"secrets": [TOKEN]}, ValueError, "no network rule"),
        ({"secrets": [TOKEN], "environment": {"UNSET_HERE": ""}}, ValueError, "both a secret"),
        ({"work": "/"}, ValueError, "work"),
        ({"image": "an image"}, ValueError, "image"),
        ({"image": None}, TypeError, "image"),
        ({"ready_seconds": 0}, ValueError, "ready_seconds"),
    ],
)
def test_a_configuration_out_of_bounds_is_refused_where_it_is_made(
    options: dict[str, Any], error: type[Exception], named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No backend is needed for it, and no secret's value either."""
    monkeypatch.delenv("UNSET_HERE", raising=False)
    with pytest.raises(error, match=named):
        OpenShellConfig(**options)


def test_a_configuration_needs_no_value_of_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are read when a backend is made, and missing ones refused then."""
    monkeypatch.delenv("UNSET_HERE", raising=False)
    endpoint = Endpoint(host="a.example.com", ports=[443], protocol="rest")
    config = OpenShellConfig(policy=Policy(network=[rule(endpoints=[endpoint])]), secrets=[TOKEN])
    assert config.secrets == (TOKEN,)
    with pytest.raises(ValueError, match="set the environment variable UNSET_HERE"):
        config.settings()
    monkeypatch.setenv("UNSET_HERE", "value")
    assert config.settings().secrets.names == {"UNSET_HERE"}
    assert "value" not in repr(config)


def test_a_project_that_is_not_there_is_named_as_that() -> None:
    """By the option's own name."""
    with pytest.raises(ValueError, match="project must name what exists"):
        OpenShellConfig(project="/nonexistent")
