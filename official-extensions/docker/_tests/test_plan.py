"""From a declaration to what the daemon is asked for: pure, exact, and the same for every machine."""

from __future__ import annotations

import io
import ipaddress
import json
import os
import random
import re
import subprocess
import sys
import tarfile
from typing import TYPE_CHECKING, Any

import pytest
from harnest.extensions.docker import docker
from harnest.extensions.docker.lib.contracts.config import DockerSandboxConfig
from harnest.extensions.docker.lib.contracts.topology import start_order
from harnest.extensions.docker.lib.daemon.port import Found, Image, Server
from harnest.extensions.docker.lib.errors import DockerImageError, DockerSandboxError
from harnest.extensions.docker.lib.pid1 import bundle
from harnest.extensions.docker.lib.plan.containers import primary_plan, service_plan
from harnest.extensions.docker.lib.plan.labels import (
    NETWORK,
    OURS,
    PRIMARY,
    SERVICE_RESOURCE,
    labels,
)
from harnest.extensions.docker.lib.plan.leftovers import abandoned, resource_of
from harnest.extensions.docker.lib.plan.mounts import tmpfs
from harnest.extensions.docker.lib.plan.network import bridge_options, free_subnets
from harnest.extensions.docker.lib.plan.owner import Owner, Verdict
from harnest.extensions.docker.lib.plan.seccomp import ARCHITECTURES, profile
from harnest.extensions.docker.lib.run.context import Ignore, read_context
from harnest.extensions.docker.lib.run.estate import Estate, Kind
from harnest.extensions.docker.lib.settings import Settings
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from pathlib import Path

SERVER = Server(
    version="20.10.24",
    api="1.41",
    machine="x86_64",
    system="linux",
    cpus=2,
    cgroup="1",
    rootless=False,
    local=True,
    runtimes=("runc",),
)
IMAGE = Image(id="sha256:abc", machine="amd64", system="linux", volumes=("/data/",))


def planned(**options: Any) -> dict[str, Any]:
    """Return the body for a primary container."""
    config = DockerSandboxConfig(image="python", **options)
    return primary_plan(
        config,
        IMAGE,
        SERVER,
        command=("python3",),
        name="harnest-u20001",
        number=20_001,
        network=None,
        topology="t",
        owner="o",
    ).body()


def test_the_body_of_a_container_is_the_documented_hardening() -> None:
    """Everything that hardens a container is in the one request that makes it."""
    body = planned()
    host = body["HostConfig"]
    assert body["User"] == "20001:20001"
    assert body["Image"] == "sha256:abc"
    assert body["Healthcheck"] == {"Test": ["NONE"]}
    assert (body["AttachStdin"], body["StdinOnce"], body["Tty"]) == (True, True, False)
    assert (host["ReadonlyRootfs"], host["CapDrop"]) == (True, ["ALL"])
    assert host["SecurityOpt"][0] == "no-new-privileges"
    assert host["Memory"] == host["MemorySwap"] == 512 << 20
    assert (host["NanoCpus"], host["PidsLimit"]) == (10**9, 64)
    assert (host["NetworkMode"], host["IpcMode"]) == ("none", "none")
    assert host["LogConfig"] == {"Type": "none", "Config": {}}
    assert {item["Name"]: item["Hard"] for item in host["Ulimits"]} == {"core": 0, "nofile": 1024}
    assert not {"Binds", "Mounts", "PortBindings", "Privileged", "CapAdd", "Devices"} & host.keys()
    assert set(host["Tmpfs"]) == {"/tmp", "/dev/shm", "/data"}


def test_a_budget_over_the_daemons_cpus_is_bounded_by_them() -> None:
    """The daemon refuses more CPUs than it has, so the plan asks for what it has."""
    from harnest.sandbox import SandboxBudget  # noqa: PLC0415 - beside its one use

    assert planned(budget=SandboxBudget(cpu=64))["HostConfig"]["NanoCpus"] == 2 * 10**9


@given(
    st.integers(min_value=1 << 20, max_value=1 << 40),
    st.lists(
        st.sampled_from(["/data", "/data/", "/var/x//", "/b", "/tmp", "/dev/shm"]), max_size=5
    ),
)
def test_scratch_mounts_share_the_budget(scratch: int, volumes: list[str]) -> None:
    """Sizes add up to at most the budget, inodes are bounded, and no path ends with a slash."""
    mounts = tmpfs(scratch, uid=7, gid=8, volumes=volumes)
    sizes = [int(re.search(r"size=(\d+)", options)[1]) for options in mounts.values()]
    assert sum(sizes) <= scratch
    for path, options in mounts.items():
        assert not path.endswith("/")
        assert {"nosuid", "nodev", "noexec", "uid=7", "gid=8"} <= set(options.split(","))
        assert "nr_inodes=" in options


def test_a_service_keeps_its_program_and_gets_no_more_rights() -> None:
    """A service runs the image's own program under the same hardening, without an open input."""
    service = docker.service(
        name="queue",
        image="redis",
        command=["redis-server"],
        aliases=["cache"],
        environment={"A": "b"},
        readiness=docker.readiness(command=["redis-cli", "ping"], interval_seconds=0.5),
        writable=["/run/x"],
    )
    config = DockerSandboxConfig(image="python", services=(service,))
    body = service_plan(
        config,
        service,
        IMAGE,
        SERVER,
        name="harnest-u20002",
        user=(999, 999),
        network="net",
        topology="t",
        owner="o",
    ).body()
    assert "Entrypoint" not in body
    assert body["Cmd"] == ["redis-server"]
    assert body["OpenStdin"] is False
    assert body["User"] == "999:999"
    assert "A=b" in body["Env"]
    assert body["Healthcheck"]["Test"] == ["CMD", "redis-cli", "ping"]
    assert body["Healthcheck"]["Interval"] == 500_000_000
    assert set(body["HostConfig"]["Tmpfs"]) == {"/tmp", "/dev/shm", "/data", "/run/x"}
    assert body["NetworkingConfig"]["EndpointsConfig"]["net"]["Aliases"] == ["queue", "cache"]
    assert body["HostConfig"]["Dns"] == ["127.0.0.1"]


@pytest.mark.parametrize("machine", sorted(ARCHITECTURES))
def test_the_profile_allows_a_list_and_nothing_else(machine: str) -> None:
    """What is not listed is refused; conditions compare the 32 bits that the kernel looks at."""
    document = json.loads(profile(machine))
    assert document["defaultAction"] == "SCMP_ACT_ERRNO"
    assert document["architectures"] == [ARCHITECTURES[machine]]
    plain = {n for rule in document["syscalls"] if "args" not in rule for n in rule["names"]}
    forbidden = (
        "io_uring_setup ptrace process_vm_readv pidfd_getfd kcmp keyctl add_key userfaultfd bpf mount "
        "setns unshare open_by_handle_at clone socket prlimit64 setpriority shmget mq_open init_module "
        "reboot perf_event_open process_madvise move_mount quotactl"
    )
    assert not plain & set(forbidden.split())
    for rule in document["syscalls"]:
        for condition in rule.get("args", ()):
            assert condition["op"] == "SCMP_CMP_MASKED_EQ"
    families = [
        rule["args"][0]["valueTwo"] for rule in document["syscalls"] if "socket" in rule["names"]
    ]
    assert sorted(families) == [1, 2, 10, 16]
    (clone3,) = (rule for rule in document["syscalls"] if "clone3" in rule["names"])
    assert (clone3["action"], clone3["errnoRet"]) == ("SCMP_ACT_ERRNO", 38)


def test_only_services_may_use_system_v_ipc() -> None:
    """PostgreSQL needs shared memory and semaphores; programs do not."""
    allowed = {
        service: {
            n
            for rule in json.loads(profile("x86_64", service=service))["syscalls"]
            for n in rule["names"]
        }
        for service in (False, True)
    }
    assert {"shmget", "semop", "mq_open"} <= allowed[True] - allowed[False]


def test_an_internal_bridge_has_no_address_on_the_host() -> None:
    """Whatever the engine's age, the host is not on an internal bridge; an open one is a plain bridge."""
    old = bridge_options("hx1", internal=True, engine=20)
    new = bridge_options("hx1", internal=True, engine=28)
    assert old["com.docker.network.bridge.inhibit_ipv4"] == "true"
    assert new["com.docker.network.bridge.gateway_mode_ipv4"] == "isolated"
    assert set(bridge_options("hx1", internal=False, engine=28)) == {
        "com.docker.network.bridge.name",
        "com.docker.network.bridge.enable_icc",
    }


def test_subnets_avoid_what_is_taken_and_run_out() -> None:
    """Every free subnet of the range comes once, none that overlaps, and then no more."""
    whole = ipaddress.IPv4Network("10.0.0.0/24")
    taken = [ipaddress.IPv4Network("10.0.0.0/25"), ipaddress.IPv4Network("10.0.0.200/32")]
    found = list(free_subnets([whole], taken, random.Random(1)))
    assert len(found) == len(set(found)) == 7
    assert not any(net.overlaps(other) for net in found for other in taken)


def test_dependencies_decide_the_order() -> None:
    """Without dependencies services start in declaration order, with them in groups."""
    one, two, three = (docker.service(name=name, image="x") for name in ("one", "two", "three"))
    assert start_order([one, two]) == ((one,), (two,))
    first = docker.service(name="first", image="x", depends_on=["two"])
    assert start_order([first, two, three]) == ((two, three), (first,))


def test_owners_are_told_apart() -> None:
    """This process lives; one with another start time is gone; another boot cannot be seen."""
    here = Owner.here()
    assert here.verdict() is Verdict.ALIVE
    assert Owner.parse(here.text) == here
    machine, boot, namespace, pid, started = here.text.split(".")
    gone = f"{machine}.{boot}.{namespace}.{pid}.{int(started) - 1}"
    assert Owner.parse(gone).verdict() is Verdict.GONE
    for other in (f"x.{boot}.{namespace}", f"{machine}.x.{namespace}", f"{machine}.{boot}.1"):
        assert Owner.parse(f"{other}.{pid}.{started}").verdict() is Verdict.ELSEWHERE
    for text in ("", "a.b", "a.b.c.d.e"):
        with pytest.raises(ValueError, match=r"."):
            Owner.parse(text)


def dead_owner() -> str:
    """Return the label of a process of this machine that has ended."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    here = Owner.here()
    return Owner(
        machine=here.machine, boot=here.boot, namespace=here.namespace, pid=child.pid, started=1
    ).text


def found(kind: str, topology: str, owner: str, status: str = "running", age: float = 1000) -> Any:
    """Return a resource of some age."""
    return resource_of(
        Found(
            id=f"{kind}-{topology}-{status}",
            name="",
            status=status,
            created=5000 - age,
            labels=labels(kind, topology=topology, owner=owner),
        )
    )


def test_only_what_nobody_owns_is_abandoned() -> None:
    """Of the living nothing, of the dead everything, of others what is stopped and old; in order."""
    here, dead, other = Owner.here().text, dead_owner(), "m.b.1.2.3"
    resources = [
        found(NETWORK, "dead", dead, ""),
        found(SERVICE_RESOURCE, "dead", dead),
        found(PRIMARY, "dead", dead),
        found(PRIMARY, "alive", here, "exited"),
        found(SERVICE_RESOURCE, "alive", here),
        found(NETWORK, "alive", here, ""),
        found(PRIMARY, "far", other),
        found(SERVICE_RESOURCE, "far", other),
        found(NETWORK, "far", other, ""),
        found(PRIMARY, "young", other, "exited", age=10),
        found(PRIMARY, "old", other, "exited"),
        found(SERVICE_RESOURCE, "lone", other),
        found(NETWORK, "alone", other, ""),
        found(PRIMARY, "unlabelled", ""),
    ]
    left = [(item.kind, item.topology) for item in abandoned(resources, 5000)]
    assert left == [
        (PRIMARY, "dead"),
        (PRIMARY, "old"),
        (SERVICE_RESOURCE, "dead"),
        (SERVICE_RESOURCE, "lone"),
        (NETWORK, "dead"),
        (NETWORK, "alone"),
    ]
    assert all(item.found.labels.items() >= OURS.items() for item in resources)


def test_an_estate_forgets_nothing_and_keeps_the_order() -> None:
    """The primary goes first, services in reverse, the network last; what is gone never comes back."""
    estate = Estate("t")
    network = estate.request(Kind.NETWORK, "n")
    primary = estate.request(Kind.PRIMARY, "p")
    first = estate.request(Kind.SERVICE, "a")
    second = estate.request(Kind.SERVICE, "b")
    assert [item.name for item in estate.remaining] == ["p", "b", "a", "n"]
    assert primary.lost
    primary.owned("id")
    assert not primary.lost
    for item in (network, primary, first, second):
        item.unconfirmed()
        item.gone()
    assert estate.settled
    with pytest.raises(ValueError, match="gone"):
        first.unconfirmed()


@pytest.mark.parametrize(
    ("pattern", "name", "ignored"),
    [
        ("*.pyc", "a.pyc", True),
        ("*.pyc", "deep/a.pyc", False),
        ("**/*.pyc", "deep/er/a.pyc", True),
        ("node", "node/x/y", True),
        ("/node/", "node/x", True),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("[ab]c", "bc", True),
        ("./a", "a", True),
        ("b/../a", "a", True),
        ("b//a/.", "b/a", True),
        ("!", "a", None),
        ("a[", "a", None),
        ("[z-a]", "a", None),
        ("a\\", "a", None),
        ("# comment", "# comment", False),
        ("", "a", False),
    ],
)
def test_dockerignore_patterns(pattern: str, name: str, ignored: bool | None) -> None:
    """Patterns match as in Docker: whole paths, parents, and ``**`` across folders; others are refused."""
    if ignored is None:
        with pytest.raises(DockerImageError, match="is no pattern"):
            Ignore([pattern])
    else:
        assert Ignore([pattern]).matches(name) is ignored


def test_the_last_rule_that_matches_decides() -> None:
    """An exception after a rule brings a file back."""
    rules = Ignore(["docs", "!docs/keep.md"])
    assert rules.matches("docs/drop.md")
    assert not rules.matches("docs/keep.md")


def test_dockerignore_is_read_whatever_its_bytes(tmp_path: Path) -> None:
    """A byte order mark is none of the first name, and a name need not be UTF-8."""
    names = (b"secret", b"odd\xff")
    for name in (*names, b"Dockerfile"):
        (tmp_path / os.fsdecode(name)).write_text("FROM scratch\n")
    (tmp_path / ".dockerignore").write_bytes(b"\xef\xbb\xbf" + b"\r\n".join(names))
    with tarfile.open(fileobj=io.BytesIO(read_context(str(tmp_path)).archive)) as archive:
        assert archive.getnames() == [".dockerignore", "Dockerfile"]


def test_a_context_is_its_contents(tmp_path: Path) -> None:
    """The digest depends on names, modes and contents, not on times, owners or ignored files."""
    (tmp_path / "Dockerfile").write_text("FROM scratch\n")
    (tmp_path / "a").write_text("a")
    (tmp_path / ".dockerignore").write_text("secret\nDockerfile\n")
    (tmp_path / "secret").write_text("s3cret")
    (tmp_path / "link").symlink_to("/etc/passwd")
    first = read_context(str(tmp_path))
    os.utime(tmp_path / "a", (1, 1))
    (tmp_path / "secret").write_text("other")
    assert read_context(str(tmp_path)).digest == first.digest
    (tmp_path / "a").write_text("b")
    assert read_context(str(tmp_path)).digest != first.digest
    with tarfile.open(fileobj=io.BytesIO(first.archive)) as archive:
        assert archive.getnames() == [".dockerignore", "Dockerfile", "a", "link"]
        assert archive.getmember("link").issym()


def test_a_context_is_bounded_and_plain(tmp_path: Path) -> None:
    """No Dockerfile, a pipe and too many files are refused with what to do."""
    with pytest.raises(DockerImageError, match="Dockerfile"):
        read_context(str(tmp_path))
    (tmp_path / "Dockerfile").write_text("FROM scratch\n")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DockerImageError, match="pipe"):
        read_context(str(tmp_path))
    (tmp_path / "pipe").unlink()
    with (tmp_path / "large").open("wb") as file:
        file.truncate((64 << 20) + 1)
    with pytest.raises(DockerImageError, match="64 MiB"):
        read_context(str(tmp_path))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HARNEST_DOCKER_UIDS", "1-9"),
        ("HARNEST_DOCKER_UIDS", "60000-70000"),
        ("HARNEST_DOCKER_UIDS", "x"),
        ("HARNEST_DOCKER_UIDS", "3000-2000"),
        ("HARNEST_DOCKER_SUBNETS", "10.0.0.0/29"),
        ("HARNEST_DOCKER_SUBNETS", "10.0.0.1/16"),
        ("HARNEST_DOCKER_SUBNETS", "fd00::/64"),
        ("HARNEST_DOCKER_LEASE", "0"),
        ("HARNEST_DOCKER_LEASE", "3601"),
        ("HARNEST_DOCKER_LEASE", "a minute"),
    ],
)
def test_settings_that_make_no_sense_are_named(name: str, value: str) -> None:
    """The error names the variable and an example."""
    with pytest.raises(DockerSandboxError, match=name):
        Settings.read({name: value})


def test_settings_are_read() -> None:
    """Ranges of the operator replace the defaults."""
    settings = Settings.read(
        {
            "HARNEST_DOCKER_UIDS": "3000-3999",
            "HARNEST_DOCKER_SUBNETS": "10.9.0.0/16, 10.8.0.0/24",
            "HARNEST_DOCKER_LEASE": "90",
        }
    )
    assert settings.lease == 90
    assert Settings.read({}).lease == 60
    assert settings.uids == range(3000, 4000)
    assert [str(net) for net in settings.subnets] == ["10.9.0.0/16", "10.8.0.0/24"]


def test_what_runs_inside_is_one_argument_without_secrets() -> None:
    """PID 1 fits into one argument, compiles, and uses nothing that Python 3.8 lacks."""
    text = bundle.source()
    assert len(text.encode()) < 100_000
    compile(text, "bundle", "exec")
    assert bundle.command()[:6] == ["python3", "-I", "-B", "-X", "utf8", "-c"]
    import ast  # noqa: PLC0415 - beside its one use
    from pathlib import Path as Folder  # noqa: PLC0415 - the one above is for types

    for name in (*bundle.SHIPPED, *bundle.LATE):
        source = (Folder(bundle.__file__).parent / f"{name}.py").read_text(encoding="utf-8")
        ast.parse(source, feature_version=(3, 8))
