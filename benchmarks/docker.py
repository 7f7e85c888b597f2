"""Measure the Docker sandbox beside ``docker run``, ``docker exec``, the SDK and an interpreter.

``python -m benchmarks.docker [--rounds N] [--json FILE]``; needs a daemon and the images of
``scripts/test-images``. Everything that is made is removed at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if not __package__:
    # Run as a file: this folder would hide the SDK, whose name is this module's.
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks.measure import Comparison, measure, program, table, write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

IMAGE = "harnest-test/python"
CODE = "print(1)"
MIB = 1 << 20
LARGE = 50 * MIB
POOL_SECONDS = 30
SCRATCH_FILE = "/tmp/large"  # noqa: S108 - inside a container
FLAGS = shlex.split(
    """
    --network=none --read-only --cap-drop=ALL --security-opt=no-new-privileges --memory=512m
    --memory-swap=512m --cpus=1 --pids-limit=64 --ipc=none --log-driver=none --user=19999:19999
    --ulimit=core=0 --ulimit=nofile=1024 --no-healthcheck --env=HOME=/tmp --workdir=/tmp
    --tmpfs=/tmp:rw,nosuid,nodev,noexec,size=56m --tmpfs=/dev/shm:rw,nosuid,nodev,noexec,size=8m
    """
)


def interpreter() -> str:
    """Return the host's own interpreter, not the one of an environment."""
    return str(Path(sys.executable).resolve())


class Bench:
    """A provider, and contenders that run one program in it."""

    def __init__(self, **options: Any) -> None:
        from harnest.extensions.docker import docker  # noqa: PLC0415 - imported when this is measured

        self.provider = docker.sandbox(image=IMAGE, timeout_seconds=120, **options).build()

    def run(self, code: str = CODE, expected: str = "1\n") -> None:
        """Run one program and look at what it printed."""
        from harnest.sandbox import SandboxContext, SandboxRequest  # noqa: PLC0415 - likewise

        who = SandboxContext(agent_name="a", user_id="u", session_id="s", invocation_id="i")
        result = self.provider.execute(SandboxRequest(code=code, context=who))
        if result.stdout != expected:
            sys.exit(f"the sandbox gave {result}: {result.stderr}")

    def ready(self) -> None:
        """Wait until the pool is full, so that no refill runs beside what is measured."""
        pool = self.provider._engine.household._pool  # noqa: SLF001 - no call tells that
        until = time.monotonic() + POOL_SECONDS
        while len(pool._ready) < pool._size:  # noqa: SLF001 - likewise
            if time.monotonic() > until:
                sys.exit("the pool does not fill")
            time.sleep(0.01)
        time.sleep(0.05)


def at_once(count: int, one: Callable[[], object]) -> Callable[[], object]:
    """Return a contender that does *one* in *count* threads at the same time."""

    def run() -> None:
        threads = [threading.Thread(target=one) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    return run


def repeated(count: int, one: Callable[[], object]) -> Callable[[], object]:
    """Return a contender that does *one* for *count* times, one after the other."""

    def run() -> None:
        for _ in range(count):
            one()

    return run


def docker_run(scratch: Path) -> Callable[[], object]:
    """Return ``docker run --rm`` of the program with the flags of our containers."""
    from harnest.extensions.docker.lib.plan.seccomp import profile  # noqa: PLC0415 - as above

    seccomp = scratch / "seccomp.json"
    seccomp.write_text(profile("x86_64"))
    flags = [*FLAGS, f"--security-opt=seccomp={seccomp}"]
    return program("docker", "run", "--rm", *flags, IMAGE, "python3", "-I", "-c", CODE)


@contextmanager
def running_container() -> Iterator[str]:
    """Give the name of a container that runs for ``docker exec``."""
    name = "harnest-benchmark-exec"
    program("docker", "rm", "-f", name)()
    program("docker", "run", "-d", "--name", name, *FLAGS, IMAGE, "sleep", "3600")()
    try:
        fill = f"open('{SCRATCH_FILE}', 'wb').write(b'x' * {LARGE})"
        program("docker", "exec", name, "python3", "-c", fill)()
        yield name
    finally:
        program("docker", "rm", "-f", name)()


def bare_topology() -> Callable[[], object]:
    """Return the same topology by the SDK alone: a network, two containers, probes, one program."""
    import docker  # noqa: PLC0415 - the SDK, needed here alone

    client = docker.from_env()

    def run() -> None:
        network = client.networks.create("harnest-benchmark", internal=True)
        made = []
        try:
            command = ["redis-server", "--save", "", "--protected-mode", "no"]
            common: dict[str, Any] = {"network": network.name, "detach": True, "read_only": True}
            primary = client.containers.run(IMAGE, ["sleep", "60"], **common)
            made.append(primary)
            scratch = {"/data": ""}
            redis = client.containers.run(
                "harnest-test/redis", command, user="19998", tmpfs=scratch, **common
            )
            made.append(redis)
            while redis.exec_run(["redis-cli", "ping"]).exit_code:
                time.sleep(0.01)
            if primary.exec_run(["python3", "-I", "-c", CODE]).output != b"1\n":
                sys.exit("the bare topology gave something else")
        finally:
            for container in made:
                container.remove(force=True, v=True)
            network.remove()

    return run


def fresh(stack: ExitStack, scratch: Path, exec_: Callable[[], object]) -> Iterator[Comparison]:
    """Yield the rows about one fresh container per call."""
    cold, warm, busy = Bench(), Bench(warm=2), Bench(warm=8)
    # As many at once as the docker command, which has no queue, runs.
    wide = Bench(max_concurrency=8)
    for bench in (cold, warm, busy, wide):
        stack.callback(bench.provider.close)
        bench.run()
    host = program(interpreter(), "-I", "-c", CODE)
    run = docker_run(scratch)
    yield Comparison(
        name="fresh container, cold",
        ours=cold.run,
        others={"docker run --rm": run},
        reach={"docker run --rm": 1.1},
        rounds=15,
    )
    yield Comparison(
        name="fresh container, warm, refill idle",
        ours=warm.run,
        others={"host interpreter": host, "docker exec": exec_},
        reach={"host interpreter": 0.7, "docker exec": 0.15},
        rounds=21,
        before=warm.ready,
    )
    busy.ready()
    yield Comparison(
        name="fresh container, warm, refill running",
        ours=busy.run,
        others={"host interpreter": host},
        rounds=7,
    )
    yield Comparison(
        name="8 fresh containers at once",
        ours=at_once(8, wide.run),
        others={"8 docker run at once": at_once(8, run), "8 in sequence": repeated(8, wide.run)},
        # Calls at once may take 1.3 times what they would if each had a CPU of its own in turn.
        reach={"8 docker run at once": 1.18, "8 in sequence": 1.3 / (os.cpu_count() or 1)},
        rounds=3,
    )
    yield Comparison(
        name="32 fresh containers at once",
        ours=at_once(32, cold.run),
        others={"4 times 8 at once": repeated(4, at_once(8, cold.run))},
        reach={"4 times 8 at once": 1.1},
        rounds=2,
    )


def session(stack: ExitStack, exec_: Callable[[], object]) -> Iterator[Comparison]:
    """Yield the row about later calls of a session."""
    from harnest.extensions.docker import DockerScope  # noqa: PLC0415 - as above

    bench = Bench(scope=DockerScope.SESSION)
    stack.callback(bench.provider.close)
    bench.run()
    yield Comparison(
        name="session, later call with reset",
        ours=bench.run,
        others={
            "docker exec": exec_,
            "host interpreter": program(interpreter(), "-I", "-c", CODE),
        },
        reach={"docker exec": 0.15, "host interpreter": 0.8},
        rounds=51,
    )


def output(stack: ExitStack, name: str) -> Iterator[Comparison]:
    """Yield the row about much output."""
    from harnest.extensions.docker import DockerScope  # noqa: PLC0415 - as above

    bench = Bench(scope=DockerScope.SESSION, max_output_bytes=LARGE)
    stack.callback(bench.provider.close)
    code = f"import os\nfor _ in range({LARGE // MIB}): os.write(1, b'x' * {MIB})"
    expected = "x" * LARGE
    bench.run()
    yield Comparison(
        name="50 MB through stdout",
        ours=lambda: bench.run(code, expected),
        others={"docker exec cat": program("docker", "exec", name, "cat", SCRATCH_FILE)},
        reach={"docker exec cat": 1.5},
        rounds=7,
    )


def topology(stack: ExitStack) -> Iterator[Comparison]:
    """Yield the row about a topology with one service."""
    from harnest.extensions.docker import docker  # noqa: PLC0415 - as above

    from harnest.sandbox import SandboxBudget  # noqa: PLC0415 - likewise

    redis = docker.service(
        name="queue",
        image="harnest-test/redis",
        readiness=docker.readiness(command=["redis-cli", "ping"]),
        budget=SandboxBudget(memory_bytes=128 * MIB, scratch_bytes=32 * MIB),
    )
    bench = Bench(services=[redis])
    stack.callback(bench.provider.close)
    bench.run()
    yield Comparison(
        name="topology with one redis, cold to removed",
        ours=bench.run,
        others={"bare SDK": bare_topology()},
        reach={"bare SDK": 1.3},
        rounds=7,
    )


def comparisons(stack: ExitStack, scratch: Path) -> Iterator[Comparison]:
    """Yield every comparison; what they need lives as long as *stack*."""
    name = stack.enter_context(running_container())
    exec_ = program("docker", "exec", name, "python3", "-I", "-c", CODE)
    yield from fresh(stack, scratch, exec_)
    yield from session(stack, exec_)
    yield from output(stack, name)
    yield from topology(stack)


def main() -> None:
    """Parse the arguments, measure, print and write."""
    parser = argparse.ArgumentParser(prog="benchmarks/docker.py", description=__doc__)
    parser.add_argument("--rounds", type=int, help="rounds of each comparison")
    parser.add_argument("--json", type=Path, help="file that the records are written to")
    chosen = parser.parse_args()
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory(prefix="harnest-bench-") as scratch, ExitStack() as stack:
        for comparison in comparisons(stack, Path(scratch)):
            found = measure(replace(comparison, rounds=chosen.rounds or comparison.rounds)).rows()
            print(table(found), end="\n\n", flush=True)
            rows += found
    if chosen.json:
        write(rows, chosen.json)
    missed = [row for row in rows if row["reached"] is False]
    print(json.dumps({"rows": len(rows), "aims missed": len(missed)}))


if __name__ == "__main__":
    main()
