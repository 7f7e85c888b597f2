"""Access: what programs reach of the host, as far as the tier takes it away."""

from __future__ import annotations

import os
import socket

from harnest.execution import UnsupportedPromiseError
from harnest_ext.conformance.checks import expect, refuse
from harnest_ext.conformance.workspace.raising import raises
from harnest_ext.conformance.workspace_bench import WorkspaceBench, WorkspaceGroup
from harnest_ext.conformance.workspace_profile import WorkspaceFeature

__all__ = ["GROUP"]

GROUP = WorkspaceGroup("access")

CONNECTING = """\
import socket
for host in {hosts!r}:
    try:
        socket.create_connection((host, {port}), timeout=2).close()
    except OSError:
        continue
    print('reached', host)
print(sorted(name for _, name in socket.if_nameindex()))
"""


@GROUP.promise("directory", needs=[WorkspaceFeature.HOST_DIRECTORY])
async def directory(bench: WorkspaceBench) -> None:
    """Programs start in the work directory, write to it, and the host sees what they write."""
    async with bench.workspace() as workspace:
        await workspace.execute_command("echo text > file")
        await workspace.execute("open('other', 'w').write('more')")
        found = {path.name: path.read_text() for path in workspace.directory.iterdir()}
        expect("files", found, {"file": "text\n", "other": "more"})


@GROUP.promise("environment")
async def environment(bench: WorkspaceBench) -> None:
    """Programs see the variables that are configured, and none of the host process's."""
    os.environ["HARNEST_CONFORMANCE_MARK"] = "set"
    try:
        async with bench.workspace(environment={"GIVEN": "it's"}) as workspace:
            result = await workspace.execute_command('echo "$GIVEN"; env')
            expect("variable", result.stdout.splitlines()[0], "it's")
            refuse("a variable of the host is seen", if_true="CONFORMANCE_MARK" in result.stdout)
            refuse("a value is shown", if_true="it's" in repr(workspace.config))
    finally:
        del os.environ["HARNEST_CONFORMANCE_MARK"]


@GROUP.promise("network-off", needs=[WorkspaceFeature.NETWORK_OFF])
async def network_off(bench: WorkspaceBench) -> None:
    """Without network a program sees no device but loopback and reaches no listener of the host."""
    with socket.create_server(("0.0.0.0", 0)) as server:  # noqa: S104 - reachable by every way there is
        port = server.getsockname()[1]
        hosts = ["127.0.0.1", "172.17.0.1", "host.docker.internal", socket.gethostname()]
        async with bench.workspace(network_enabled=False) as workspace:
            code = CONNECTING.format(hosts=hosts, port=port)
            expect("stdout", (await workspace.execute(code)).stdout, "['lo']\n")


@GROUP.promise("network-promise")
async def network_promise(bench: WorkspaceBench) -> None:
    """Where a network can't be taken away, asking for it is refused before anything runs."""
    if WorkspaceFeature.NETWORK_OFF in bench.profile.supports:
        async with bench.workspace(network_enabled=False) as workspace:
            expect("open", (await workspace.execute_command("echo on")).stdout, "on\n")
        return
    workspace = bench.workspace(network_enabled=False)
    await raises("no network", UnsupportedPromiseError, workspace.start())


@GROUP.promise("isolation", needs=[WorkspaceFeature.ISOLATION])
async def isolation(bench: WorkspaceBench) -> None:
    """Programs neither read nor write a file of the host that they were not given."""
    secret = bench.folder / "secret"
    secret.write_text("secret")
    async with bench.workspace() as workspace:
        result = await workspace.execute_command(
            f"cat '{secret}'; echo more >> '{secret}'; echo x > /etc/x"
        )
        refuse("it was read", if_true="secret" in result.stdout)
    expect("content", secret.read_text(), "secret")


@GROUP.promise("allowed-paths", needs=[WorkspaceFeature.ALLOWED_PATHS])
async def allowed_paths(bench: WorkspaceBench) -> None:
    """A path that is allowed can be read under its own name and not be written."""
    given = bench.folder / "given"
    given.mkdir()
    given.chmod(0o755)
    (given / "file").write_text("text")
    (given / "file").chmod(0o644)
    bench.folder.chmod(0o755)
    async with bench.workspace(allowed_paths=(given,)) as workspace:
        result = await workspace.execute_command(
            f"cat '{given}/file'; echo more >> '{given}/file' || touch '{given}/new' || echo kept"
        )
        expect("stdout", result.stdout, "textkept\n")
    expect("content", (given / "file").read_text(), "text")
    expect("files", [path.name for path in given.iterdir()], ["file"])


@GROUP.promise("guarantees", needs=[WorkspaceFeature.HOST_DIRECTORY])
async def guarantees(bench: WorkspaceBench) -> None:
    """The tier tells what it promises, each promise once."""
    async with bench.workspace() as workspace:
        names = [row.name for row in workspace.guarantees]
        refuse("there are none", if_true=not names)
        expect("names", len(names), len(set(names)))
