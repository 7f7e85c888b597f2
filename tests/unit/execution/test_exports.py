"""The names of execution backends are the documented ones, and cost nothing until they are used."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import harnest.execution
import harnest.execution.local

NAMES = [
    "TIERS",
    "BackendError",
    "DescribedBackend",
    "EngineResult",
    "ExecutionBackend",
    "ExecutionCall",
    "ExecutionError",
    "ExecutionResult",
    "Guarantee",
    "HookContext",
    "HookEvent",
    "HookManager",
    "OwnedBackend",
    "SandboxExecData",
    "TierUnavailableError",
    "UnsupportedPromiseError",
    "Workspace",
    "WorkspaceClosedError",
    "WorkspaceConfig",
    "WorkspaceEngine",
    "WorkspaceExtension",
]


def test_the_names_are_the_documented_ones() -> None:
    """No more, no less, and each can be had."""
    assert sorted(harnest.execution.__all__) == sorted(NAMES)
    for name in NAMES:
        assert getattr(harnest.execution, name) is not None
        assert name in dir(harnest.execution)


@pytest.mark.parametrize("module", [harnest.execution, harnest.execution.local])
def test_every_class_and_function_says_what_it_is_for(module: object) -> None:
    """Its own docstring, and those of its public methods."""
    missing = []
    for name in module.__all__:  # type: ignore[attr-defined]
        value = getattr(module, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            members = vars(value) if inspect.isclass(value) else {}
            methods = {
                f"{name}.{member}": method
                for member, method in members.items()
                if inspect.isfunction(method) and not member.startswith("_")
            }
            missing += [
                title
                for title, item in {name: value, **methods}.items()
                if not inspect.getdoc(item)
            ]
    assert missing == []


@pytest.mark.parametrize("module", [harnest.execution, harnest.execution.local])
def test_an_unknown_name_is_an_attribute_error(module: object) -> None:
    """Names are loaded when they are used; a wrong one is told as by any module."""
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = module.no_such_name  # type: ignore[attr-defined]


def test_importing_loads_no_framework_and_no_event_loop() -> None:
    """Building blocks of tiers are imported where programs start, and every millisecond counts."""
    code = (
        "import sys, harnest.execution, harnest.execution.local\n"
        "from harnest.execution import WorkspaceConfig, ExecutionResult, HookManager\n"
        "heavy = {'asyncio', 'docker', 'langchain_core', 'google', 'harnest_ext', 'pydantic'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout == "[]\n"
