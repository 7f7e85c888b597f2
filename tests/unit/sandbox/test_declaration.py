"""A declaration validates at once, calls nothing, and builds only what can serve it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from harnest.sandbox import (
    Sandbox,
    SandboxNetworkPolicy,
    SandboxPolicyUnsupportedError,
    SandboxProvider,
    SandboxProviderCapabilities,
)
from harnest.sandbox.runtime import ManagedSandbox
from tests.fakes.provider import ScriptedProvider, declare

NONE = SandboxNetworkPolicy.none()


class Capable(ScriptedProvider):
    """A provider that denies the network."""

    sandbox_capabilities = SandboxProviderCapabilities(frozenset({NONE.mode}))


def refuse_to_build() -> None:
    """Fail the test: nobody may call a factory early."""
    pytest.fail("the factory was called")


def test_declaring_calls_nothing() -> None:
    """Everything is stored in its normal form, and the factory stays untouched."""
    sandbox = Sandbox.provider(
        refuse_to_build,
        name="mine",
        timeout_seconds=3,
        metadata={"a": [1]},
        network_policy=NONE,
        adapter_options={"error_retry_attempts": 1},
    )
    assert sandbox.backend == "mine"
    assert sandbox.timeout_seconds == 3
    assert sandbox.metadata == {"a": (1,)}
    assert sandbox.network_policy is NONE
    assert sandbox.adapter_options == {"error_retry_attempts": 1}
    assert "refuse_to_build" not in repr(sandbox)


@pytest.mark.parametrize(
    ("error", "options"),
    [
        (TypeError, {"factory": None}),
        (TypeError, {"factory": ScriptedProvider()}),
        (ValueError, {"name": " "}),
        (ValueError, {"name": 3}),
        (ValueError, {"timeout_seconds": 0}),
        (ValueError, {"timeout_seconds": True}),
        (TypeError, {"metadata": [1]}),
        (TypeError, {"network_policy": "none"}),
        (TypeError, {"adapter_options": {1: 2}}),
    ],
)
def test_a_wrong_declaration_is_refused_at_once(
    error: type[Exception], options: dict[str, Any]
) -> None:
    """Each argument is checked before anything is built."""
    with pytest.raises(error):
        Sandbox.provider(**{"factory": refuse_to_build, **options})


def test_each_build_asks_the_factory() -> None:
    """The caller owns what it built; a second build is a second provider."""
    sandbox = Sandbox.provider(ScriptedProvider)
    assert sandbox.build() is not sandbox.build()


@pytest.mark.parametrize("built", [None, 3, object(), type("Wrong", (), {"execute": 3})()])
def test_a_provider_must_execute(built: object) -> None:
    """An object without a callable execute is a TypeError that names its type."""
    with pytest.raises(TypeError, match=type(built).__name__):
        declare(built).build()


def test_a_factory_that_returns_a_class_is_refused() -> None:
    """A class has an ``execute`` too, but nobody to execute; the message names the slip."""
    with pytest.raises(TypeError, match="the class ScriptedProvider, not an object"):
        Sandbox.provider(lambda: ScriptedProvider).build()


def test_a_policy_needs_capabilities_that_hold_it() -> None:
    """No statement, one of a wrong type, or one that says no, is refused; a fitting one is not."""
    with pytest.raises(SandboxPolicyUnsupportedError, match="sandbox_capabilities"):
        declare(ScriptedProvider(), network_policy=NONE).build()
    wrong = ScriptedProvider()
    wrong.sandbox_capabilities = {"none"}  # type: ignore[attr-defined]
    with pytest.raises(SandboxPolicyUnsupportedError, match="sandbox_capabilities"):
        declare(wrong, network_policy=NONE).build()
    with pytest.raises(SandboxPolicyUnsupportedError, match="unrestricted"):
        declare(Capable(), network_policy=SandboxNetworkPolicy.unrestricted()).build()
    capable = Capable()
    assert isinstance(capable, SandboxProvider)
    assert declare(capable, network_policy=NONE).build() is capable


class BaseCodeExecutor:
    """Named and placed like google-adk's, as one would be recognised without importing ADK."""

    __module__ = "google.adk.code_executors.base_code_executor"


class AdkExecutor(BaseCodeExecutor):
    """An executor of somebody's own."""


def test_an_adk_executor_serves_adk_only() -> None:
    """It is built without a policy, refused with one, and executes through ADK alone."""
    executor = AdkExecutor()
    assert declare(executor).build() is executor
    with pytest.raises(SandboxPolicyUnsupportedError):
        declare(executor, network_policy=NONE).build()
    managed = ManagedSandbox(declare(executor))
    with pytest.raises(TypeError, match="ADK only"):
        managed.execute(managed.request("print(1)"))


def test_building_imports_no_framework() -> None:
    """Declaring, building and recognising executors costs no import of ADK or LangChain."""
    program = (
        "import sys; from harnest.sandbox import Sandbox\n"
        "class P:\n    def execute(self, request): ...\n"
        "Sandbox.provider(P).build()\n"
        "print([n for n in sys.modules if n.split('.')[0] in ('google', 'langchain_core')])"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {sys.path[0]!r})\n{program}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() in {"[]", "['google']"}  # a namespace path file may name google
