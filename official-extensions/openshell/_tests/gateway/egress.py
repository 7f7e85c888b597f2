"""A sandbox's egress proxy as the gateway sees it: fed with the policy, read for its log."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import threading
import uuid
from typing import TYPE_CHECKING

from openshell._proto import openshell_pb2

from . import containers, proxy

if TYPE_CHECKING:
    from .state import SandboxState

_DENIED = re.compile(r"DENIED (?P<program>.+)\(\d+\) -> (?P<host>\S+):(?P<port>\d+)")


class Proxy:
    """The proxy of one sandbox.

    Args:
        container: Where it runs.
        owner: The sandbox.
    """

    def __init__(self, container: str, owner: SandboxState) -> None:
        self._container = container
        self._owner = owner
        self.write_policy()
        self._process = subprocess.Popen(
            ["docker", "exec", "-i", "-u", "0", container, "python3", "-u", "-c", proxy.PROXY],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        if not self._ready.wait(120):
            raise RuntimeError("the proxy did not start")

    def write_policy(self) -> None:
        """Let the policy as it is now decide."""
        rules = [
            {
                "endpoints": [[e.host, list(e.ports) or [e.port]] for e in rule.endpoints],
                "programs": [binary.path for binary in rule.binaries],
            }
            for rule in self._owner.spec.policy.network_policies.values()
        ]
        write = f"cat >{proxy.POLICY_FILE}.new && mv {proxy.POLICY_FILE}.new {proxy.POLICY_FILE}"
        containers.docker(
            "exec", "-i", "-u", "0", self._container, "sh", "-c", write,
            stdin=json.dumps(rules).encode(),
        )  # fmt: skip

    def close(self) -> None:
        """Wait for its end: its container is gone."""
        self._process.wait()
        self._thread.join()

    def _read(self) -> None:
        output, answers = self._process.stdout, self._process.stdin
        if output is None or answers is None:
            return
        with output, contextlib.suppress(BrokenPipeError), answers:
            for line in output:
                if line == "ready\n":
                    self._ready.set()
                    continue
                self._owner.log(line.rstrip("\n"))
                self._propose(line)
                answers.write("\n")  # only then the program is told that it was refused
                answers.flush()

    def _propose(self, line: str) -> None:
        match = _DENIED.search(line)
        if match is None:
            return
        name = f"allow-{match['host']}-{match['port']}"
        if any(chunk.rule_name == name for chunk in self._owner.chunks):
            return
        chunk = openshell_pb2.PolicyChunk(
            id=uuid.uuid4().hex,
            status="pending",
            rule_name=name,
            rationale="it was denied",
            review_token=uuid.uuid4().hex,
            binary=match["program"],
        )
        chunk.proposed_rule.name = name
        chunk.proposed_rule.endpoints.add(host=match["host"], ports=[int(match["port"])])
        chunk.proposed_rule.binaries.add(path=match["program"])
        self._owner.chunks.append(chunk)
